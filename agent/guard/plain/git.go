package plain

import (
	"fmt"
	"slices"
	"strings"
)

// gitSettings keep git from running what a repository's configuration names: monitors, hooks, programs that check signatures, and whatever looks into repositories inside this one, whose own configuration would count there.
//
// Filters have names of the repository's choice, so they cannot be turned off here. Who runs git has to do that, knowing the configuration.
var gitSettings = [...]string{
	"core.fsmonitor=false", "core.hooksPath=/dev/null", "safe.bareRepository=explicit", "submodule.recurse=false", "diff.submodule=short", "status.submoduleSummary=false",
	"log.showSignature=false", "gpg.program=false", "gpg.openpgp.program=false", "gpg.x509.program=false", "gpg.ssh.program=false",
}

// gitEnv keeps git from writing an index while it reads, and from fetching what a partial clone lacks.
const gitEnv = "GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none GIT_TERMINAL_PROMPT=0"

// What the commands share that show commits and differences. Not here are those that write or run something (--output, --ext-diff, --textconv), take orders from a file (-O), check a signature or look into other repositories.
const (
	diffFlags spec = "-p -u -s -U: -w -b -B? -M? -C? -D -R -S: -G: -W -a -z --patch --no-patch --unified: --raw --stat? --numstat --shortstat --summary --name-only --name-status --dirstat? --compact-summary --patch-with-stat --color? --no-color --color-words? --word-diff? --word-diff-regex: --color-moved? --no-renames --find-renames? --find-copies? --minimal --patience --histogram --diff-algorithm: --ignore-all-space --ignore-space-change --ignore-space-at-eol --ignore-blank-lines --ignore-cr-at-eol --function-context --inter-hunk-context: --full-index --binary --abbrev? --diff-filter: --pickaxe-regex --pickaxe-all --exit-code --quiet --text --check --no-prefix --src-prefix: --dst-prefix: --relative? --no-relative --merge-base --cc -c -m --no-ext-diff --no-textconv"
	logFlags  spec = diffFlags + " -# -n: -i -E -F -L: -g -q --oneline --graph --all --branches? --tags? --remotes? --author: --committer: --since: --after: --until: --before: --grep: --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --follow --decorate? --no-decorate --decorate-refs: --pretty? --format: --abbrev-commit --no-abbrev-commit --no-merges --merges --first-parent --reverse --date: --relative-date --max-count: --skip: --topo-order --date-order --author-date-order --left-right --cherry-pick --cherry-mark --cherry --left-only --right-only --boundary --ancestry-path --simplify-by-decoration --simplify-merges --full-history --dense --sparse --show-pulls --no-walk? --source --parents --children --walk-reflogs --log-size --full-diff --no-notes --notes? --min-parents: --max-parents: --not --count --use-mailmap --no-mailmap --clear-decorations --diff-merges: --no-diff-merges --expand-tabs? --no-expand-tabs --encoding:"

	noPrograms = "--no-ext-diff --no-textconv"
)

// gitCommand is a command of git that only reads with these flags.
type gitCommand struct {
	// name is its word or, where the first word behind it decides, both.
	name  string
	flags spec
	// insert are flags that stand behind the name and win over the configuration.
	insert string
	check  func(reading) error
	// deep says that it prints what is in files or commits.
	deep bool
}

var gitCommands = [...]gitCommand{
	{name: "status", flags: "-s -b -z -u? --short --branch --long --porcelain? --untracked-files? --ignored? --show-stash --ahead-behind --no-ahead-behind --renames --no-renames --find-renames? --column? --no-column", insert: "--ignore-submodules=dirty"},
	{name: "diff", flags: diffFlags + " --cached --staged -1 -2 -3 --base --ours --theirs", insert: noPrograms + " --ignore-submodules=dirty", deep: true},
	{name: "log", flags: logFlags, insert: noPrograms, deep: true},
	{name: "show", flags: logFlags, insert: noPrograms, deep: true},
	{name: "diff-tree", flags: diffFlags + " -r -t --root --no-commit-id --pretty? --format: --always", insert: noPrograms, deep: true},
	{name: "stash list", flags: logFlags, insert: noPrograms, deep: true},
	{name: "stash show", flags: diffFlags, insert: noPrograms, deep: true},
	{name: "reflog show", flags: logFlags, insert: noPrograms, deep: true},
	{name: "reflog", flags: logFlags, insert: noPrograms, check: onlyFlags, deep: true},
	{name: "rev-list", flags: logFlags + " --objects? --timestamp --header"},
	{name: "shortlog", flags: "-s -n -e -c -w? --summary --numbered --email --committer --group: --format: --no-merges --since: --until: --author: --all"},
	{name: "blame", flags: "-L: -l -t -s -e -w -f -n -c -p -b -M? -C? -S@ --porcelain --line-porcelain --incremental --date: --since: --abbrev: --root --show-stats --show-name --show-number --show-email --first-parent --ignore-rev: --color-lines --color-by-age --no-progress", insert: "--no-textconv", deep: true},
	{name: "grep", flags: "-# -n -i -l -L -c -w -v -E -F -P -G -h -H -o -p -W -q -I -a -z -r -e: -A: -B: -C: -m: --cached --untracked --no-exclude-standard --exclude-standard --line-number --column --ignore-case --files-with-matches --files-without-match --name-only --count --word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --basic-regexp --full-name --only-matching --show-function --function-context --heading --break --max-depth: --max-count: --context: --after-context: --before-context: --color? --no-color --and --or --not --all-match --quiet --null --threads: --text", insert: "--no-textconv", deep: true},
	{name: "branch", flags: "-a -r -v -i --list --all --remotes --show-current --verbose --contains: --no-contains: --merged? --no-merged? --points-at: --sort: --format: --color? --no-color --column? --no-column --ignore-case --abbrev? --no-abbrev", check: onlyWith("--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")},
	{name: "tag", flags: "-l -n? -i --list --contains: --no-contains: --merged? --no-merged? --points-at: --sort: --format: --color? --column? --no-column --ignore-case", check: onlyWith("-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at")},
	{name: "rev-parse", flags: "-q --verify --quiet --short? --abbrev-ref? --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --show-object-format --all --branches? --tags? --remotes? --show-ref-format --path-format: --git-path:"},
	{name: "ls-files", flags: "-c -d -m -o -i -s -u -k -z -t -v -f -x: --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude-standard --exclude: --full-name --error-unmatch --directory --no-empty-directory --eol --abbrev? --deduplicate --format: --debug"},
	{name: "ls-tree", flags: "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format:"},
	{name: "describe", flags: "--all --tags --always --contains --long --abbrev? --exact-match --match: --exclude: --candidates: --first-parent --debug"},
	{name: "remote", flags: "-v --verbose", check: onlyFlags},
	{name: "remote get-url", flags: "--all --push"},
	{name: "worktree list", flags: "-v -z --porcelain --verbose"},
	{name: "config", flags: "-l -z --list --get --get-all --get-regexp --get-urlmatch --show-origin --show-scope --name-only --local --global --system --worktree --includes --no-includes --bool --int --bool-or-int --path --type: --default: --null", check: asksSettings},
	{name: "merge-base", flags: "-a --all --is-ancestor --fork-point --octopus --independent"},
	{name: "cat-file", flags: "-t -s -p -e --allow-unknown-type", deep: true},
	{name: "for-each-ref", flags: "--format: --sort: --count: --contains: --no-contains: --merged? --no-merged? --points-at: --ignore-case --color? --exclude:"},
	{name: "show-ref", flags: "-q -s? -d --head --heads --branches --tags --verify --hash? --abbrev? --quiet --dereference"},
	{name: "name-rev", flags: "--tags --refs: --name-only --all --always --exclude:"},
	{name: "check-ignore", flags: "-v -n -q -z --verbose --non-matching --quiet --no-index"},
	{name: "count-objects", flags: "-v -H --verbose --human-readable"},
	{name: "symbolic-ref", flags: "-q --quiet --short", check: oneOperand},
	{name: "version", flags: "--build-options"},
}

// git reads the words of git. Of what may stand before the command, only what turns a pager or locks off is known: anything else makes it another repository or another program.
func git(args []string) (Safe, error) {
	for len(args) > 0 && (args[0] == "--no-pager" || args[0] == "-P" || args[0] == "--no-optional-locks") {
		args = args[1:]
	}
	switch {
	case len(args) == 1 && args[0] == "--version":
		return Safe{Argv: []string{"git", "--version"}}, nil
	case len(args) == 0:
		return Safe{}, Reason("git is told nothing to do")
	case args[0] == "" || args[0][0] == '-':
		return Safe{}, Reason(fmt.Sprintf("it is not known what %q lets git do", args[0]))
	}
	c, size := gitCommandOf(args)
	if size == 0 {
		return Safe{}, Reason(fmt.Sprintf("it is not known that \"git %s\" only reads", args[0]))
	}
	r, err := c.flags.parse(args[size:])
	if err == nil {
		err = trusting(r)
	}
	if err == nil && c.check != nil {
		err = c.check(r)
	}
	if err != nil {
		return Safe{}, err
	}
	argv := []string{"git", "--no-pager"}
	for _, s := range gitSettings {
		argv = append(argv, "-c", s)
	}
	argv = slices.Concat(argv, args[:size], strings.Fields(c.insert), args[size:])
	return Safe{Argv: argv, Env: strings.Fields(gitEnv), Reads: inCommits(slices.Concat(r.reads, r.operands)), Deep: c.deep}, nil
}

// gitCommandOf finds a command and of how many words its name is; of two words goes before of one.
func gitCommandOf(args []string) (c gitCommand, size int) {
	for _, known := range gitCommands {
		first, second, both := strings.Cut(known.name, " ")
		if first != args[0] || both && (len(args) < 2 || args[1] != second) {
			continue
		}
		if both {
			return known, 2
		}
		c, size = known, 1
	}
	return c, size
}

// inCommits adds the path of each word of the form COMMIT:PATH.
func inCommits(words []string) []string {
	for _, w := range words {
		if _, path, ok := strings.Cut(w, ":"); ok && path != "" {
			words = append(words, path)
		}
	}
	return words
}

// trusting refuses formats that have a signature checked, by a program that the configuration names.
func trusting(r reading) error {
	if slices.ContainsFunc(r.values, func(v string) bool {
		return strings.Contains(strings.NewReplacer("%+", "%", "%-", "%", "% ", "%").Replace(v), "%G") || strings.Contains(v, "signature")
	}) {
		return Reason("it has a signature checked by a program of the configuration")
	}
	return nil
}

// onlyWith allows operands beside one of the flags: without, they are names of what is made.
func onlyWith(flags ...string) func(reading) error {
	return func(r reading) error {
		if len(r.operands) > 0 && !r.has(flags...) {
			return Reason(fmt.Sprintf("it may make or move %q", r.operands[0]))
		}
		return nil
	}
}

func asksSettings(r reading) error {
	if !r.has("-l", "--list", "--get", "--get-all", "--get-regexp", "--get-urlmatch") {
		return Reason("it may change the configuration")
	}
	return nil
}

func onlyFlags(r reading) error {
	if len(r.operands) > 0 {
		return Reason(fmt.Sprintf("%q may be something to do", r.operands[0]))
	}
	return nil
}

func oneOperand(r reading) error {
	if len(r.operands) != 1 {
		return Reason("it may move a ref")
	}
	return nil
}
