package worktree

import "regexp"

var filterForm = regexp.MustCompile(`(?m)^fatal: (.*): (clean|smudge) filter '?(.*?)'? failed$`)

// filterRefusal says what to do when a filter that the repository requires does not work, most often because its program is not installed or not unlocked. Such a file can neither be kept nor written, and leaving it out would lose or garble it. Other errors stay as they are.
func filterRefusal(err error) error {
	parts := filterForm.FindStringSubmatch(stderrOf(err))
	if parts == nil {
		return err
	}
	path, way, filter := parts[1], parts[2], parts[3]
	return refuse(FilterFailed, "the %s filter %q, which the repository requires for %q, does not work (%s); install or unlock its program, or correct filter.%s in git config, then try again", way, filter, path, firstLine(err), filter)
}
