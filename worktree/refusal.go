package worktree

import (
	"os"
	"path/filepath"
	"strings"
)

// refuseRepository turns git's no to a folder into ours. Whether there is no repository or git does not take the one that is there must never be mixed up: without a repository a session works in the folder itself, and in a refused one that folder is the person's checkout.
func refuseRepository(dir string, err error) error {
	words := stderrOf(err)
	if strings.Contains(words, "safe.directory") {
		return refuse(RepositoryRefused, "open repository %q: git refuses it (%s); if you trust who owns it, run: git config --global --add safe.directory %s", dir, firstLine(err), suggested(words, dir))
	}
	if strings.Contains(words, "safe.bareRepository") {
		return refuse(RepositoryRefused, "open repository %q: it is part of a git folder, where nothing may work; choose the working tree of the repository", dir)
	}
	if !strings.Contains(words, "not a git repository (or any") {
		return refuse(RepositoryRefused, "open repository %q: git refuses it (%s); mend what git names, then start the session again", dir, firstLine(err))
	}
	if broken := gitAbove(dir, words); broken != "" {
		return refuse(RepositoryRefused, "open repository %q: git takes %q for no repository (%s), though it looks like one; mend it or move it away, then start the session again", dir, broken, firstLine(err))
	}
	return refuse(NoRepository, "open repository %q: git finds none (%s); run git init and make a first commit, or start the session in the folder itself", dir, firstLine(err))
}

// suggested returns the folder in the command with which git itself says how to trust a repository; it is not always the one that was asked for.
func suggested(words, dir string) string {
	for line := range strings.Lines(words) {
		if _, folder, ok := strings.Cut(line, "--add safe.directory "); ok {
			return strings.TrimSpace(folder)
		}
	}
	return dir
}

// gitAbove looks for a .git that git passed over on its way up from dir, such as one with a damaged HEAD. It stops where git stopped, at the root of a disk.
func gitAbove(dir, words string) string {
	_, rest, _ := strings.Cut(words, "(or any parent up to mount point ")
	last, _, _ := strings.Cut(rest, ")")
	for {
		if name := filepath.Join(dir, ".git"); looksLikeGit(name) {
			return name
		}
		parent := filepath.Dir(dir)
		if parent == dir || dir == last {
			return ""
		}
		dir = parent
	}
}

// looksLikeGit leaves out an empty .git folder, which some tools make as a guard.
func looksLikeGit(name string) bool {
	stat, err := os.Stat(name)
	if err != nil || !stat.IsDir() {
		return err == nil
	}
	for _, part := range [...]string{"HEAD", "objects", "refs", "config"} {
		if _, err := os.Lstat(filepath.Join(name, part)); err == nil {
			return true
		}
	}
	return false
}
