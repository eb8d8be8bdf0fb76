package plain

import (
	"regexp"
	"slices"
	"strings"
)

// programs only read with these flags, whatever their operands are. A program that writes, runs, follows orders or prints what links lead to with a flag lacks that flag here; one that can be told to by the content of a file is not here at all.
var programs = [...]program{
	{names: "ls dir", flags: "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T: -u -U -v -w: -x -X -Z -1 -I: --all --almost-all --human-readable --color? --group-directories-first --time-style: --sort: --full-time --recursive --reverse --size --inode --classify? --directory --si --ignore: --time: --format: --dereference"},
	{names: "cat tac", flags: "-A -b -e -E -n -s -t -T -u -v --number --number-nonblank --show-all --squeeze-blank --show-ends --show-tabs"},
	{names: "nl", flags: "-b: -d: -f: -h: -i: -l: -n: -p -s: -v: -w:"},
	{names: "head tail", flags: "-# -n: -c: -q -v -z --lines: --bytes: --quiet --verbose"},
	{names: "wc", flags: "-c -m -l -L -w --bytes --chars --lines --words --max-line-length"},
	{
		names: "grep egrep fgrep", operands: pattern, given: []string{"-e", "-f", "--regexp"}, env: "GREP_OPTIONS=", deep: []string{"-r", "--recursive"},
		flags: "-# -r -n -i -y -l -L -c -v -w -x -E -F -P -G -o -h -H -s -q -a -I -U -z -b -Z -T -e: -f@ -m: -A: -B: -C: --include: --exclude: --exclude-dir: --color? --colour? --line-number --ignore-case --recursive --count --files-with-matches --files-without-match --invert-match --word-regexp --line-regexp --only-matching --no-filename --with-filename --quiet --text --extended-regexp --fixed-strings --perl-regexp --regexp: --max-count: --context: --after-context: --before-context: --no-messages --null --binary-files:",
	},
	{
		names: "rg", operands: pattern, given: []string{"-e", "-f", "--regexp", "--files", "--type-list"}, env: "RIPGREP_CONFIG_PATH=", deep: []string{""},
		flags: "-n -N -i -s -S -l -c -v -w -x -F -o -H -I -u -U -a -0 -P -p -q -g: -t: -T: -e: -f@ -m: -A: -B: -C: -M: -j: -r: --files --files-with-matches --files-without-match --hidden --no-ignore --no-ignore-vcs --glob: --iglob: --type: --type-not: --type-list --count --count-matches --json --stats --heading --no-heading --line-number --no-line-number --ignore-case --smart-case --case-sensitive --fixed-strings --word-regexp --line-regexp --max-count: --context: --after-context: --before-context: --sort: --sortr: --vimgrep --multiline --multiline-dotall --pcre2 --max-depth: --color: --only-matching --invert-match --text --no-filename --with-filename --max-columns: --trim --regexp: --quiet --null --replace: --no-config --no-messages --max-filesize: --threads: --passthru --column",
	},
	{names: "sort", flags: "-n -r -u -k: -t: -h -f -b -V -g -M -s -c -C -z -d -i -m -R --numeric-sort --reverse --unique --key: --field-separator: --human-numeric-sort --ignore-case --version-sort --stable --check? --zero-terminated --general-numeric-sort"},
	{names: "uniq", operands: one, flags: "-c -d -D -u -i -f: -s: -w: -z --count --repeated --unique --ignore-case"},
	{names: "cut", flags: "-d: -f: -c: -b: -s -z -n --delimiter: --fields: --characters: --bytes: --complement --output-delimiter: --only-delimited"},
	{names: "tr", operands: words, flags: "-d -s -c -C -t --delete --squeeze-repeats --complement"},
	{names: "rev", flags: ""},
	{names: "fold", flags: "-w: -s -b"},
	{names: "fmt", flags: "-w: -s -u -t -c -p:"},
	{names: "column", flags: "-t -s: -c: -x -n -o: -N: -H: -R:"},
	{names: "expand unexpand", flags: "-t: -i -a"},
	{names: "comm", flags: "-1 -2 -3 -i -z --check-order --nocheck-order --output-delimiter: --total"},
	{names: "paste", flags: "-d: -s -z"},
	{names: "join", flags: "-1: -2: -a: -e: -i -j: -o: -t: -v:"},
	{names: "diff", deep: []string{"-r", "--recursive"}, flags: "-# -u -r -q -N -b -w -B -i -y -a -s -c -e -n -p -t -E -Z -U: -C: -W: -x: -I: --brief --recursive --unified? --context? --color? --new-file --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --side-by-side --suppress-common-lines --exclude: --text --report-identical-files --no-dereference --strip-trailing-cr --width: --label:"},
	{names: "cmp", flags: "-s -l -b -n: -i: --silent --quiet --verbose --bytes: --print-bytes"},
	{names: "file", flags: "-b -i -L -h -k -N -r -0 --brief --mime --mime-type --mime-encoding --dereference --no-dereference"},
	{names: "stat", flags: "-c: -f -L -t --format: --printf: --terse --dereference --file-system"},
	{names: "du", flags: "-a -b -c -d: -D -h -H -k -L -l -m -P -s -S -x -B: --all --apparent-size --bytes --total --human-readable --max-depth: --summarize --one-file-system --exclude: --block-size: --si --inodes --time? --dereference"},
	{names: "df", flags: "-a -h -H -i -k -l -P -T -t: -x: -B: --all --human-readable --inodes --local --portability --print-type --total --output? --type: --block-size:"},
	{names: "tree", flags: "-a -d -l -f -x -L: -P: -I: -p -s -h -u -g -D -F -q -N -v -t -r -U -i -A -S -n -C -J --dirsfirst --noreport --gitignore --prune --si --du --inodes --filelimit: --charset: --sort? --matchdirs --ignore-case"},
	{names: "basename dirname", operands: words, flags: "-a -s: -z --multiple --suffix: --zero"},
	{names: "realpath readlink", flags: "-e -f -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --relative-to@ --relative-base@ --strip --no-symlinks --quiet --zero"},
	{names: "which", operands: words, flags: "-a"},
	{names: "md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum", flags: "-b -t -z --binary --text --tag --zero"},
	{names: "base64", flags: "-d -i -w: --decode --wrap: --ignore-garbage"},
	{names: "od", flags: "-A: -t: -N: -j: -a -b -c -d -f -i -l -o -s -x -v -w?"},
	{names: "hexdump", flags: "-b -c -C -d -o -x -v -n: -s:"},
	{names: "xxd", operands: one, long: true, flags: "-a -b -c: -e -g: -i -l: -o: -p -s: -u -ps -plain"},
	{names: "strings", check: noResponse, flags: "-a -f -n: -t: -o -w --all --bytes: --radix: --print-file-name"},
	{names: "jq", operands: pattern, check: pureFilter, flags: "-r -c -e -s -n -M -S -C -a -j -R --raw-output --compact-output --exit-status --slurp --null-input --monochrome-output --sort-keys --color-output --ascii-output --join-output --raw-input --tab --indent: --seq --stream"},
	{names: "sed", operands: pattern, given: []string{"-e", "--expression"}, check: onlyPrints, flags: "-n -e: -E -r -s -u -z --quiet --silent --expression: --regexp-extended --null-data"},
	{names: "date", operands: words, check: onlyFormat, flags: "-u -R -I? -d: --date: --utc --iso-8601? --rfc-3339: --rfc-email -r@ --reference@"},
	{names: "true false tty arch logname whoami", operands: none, flags: ""},
	{names: "pwd", operands: none, flags: "-P -L"},
	{names: "id groups", operands: words, flags: "-u -g -G -n -r -z --user --group --groups --name --real"},
	{names: "uname", operands: none, flags: "-a -s -n -r -v -m -p -i -o --all --kernel-name --kernel-release --machine --operating-system --nodename"},
	{names: "hostname", operands: none, flags: "-s --short"},
	{names: "nproc", operands: none, flags: "--all --ignore:"},
	{names: "uptime free", operands: none, flags: "-h -p -m -g -k -b"},
	{names: "getconf seq", operands: words, flags: "-a -w -s:"},
	{names: "sleep", operands: words, flags: ""},
	{names: "gofmt", deep: []string{"-d"}, flags: "-l -d -s -e"},
}

// noResponse refuses words that stand for the content of a file.
func noResponse(r reading) error {
	if slices.ContainsFunc(slices.Concat(r.operands, r.values), func(w string) bool { return strings.HasPrefix(w, "@") }) {
		return Reason("a file holds the rest of its words")
	}
	return nil
}

// pureFilter refuses filters of jq that may read files of their own choice.
func pureFilter(r reading) error {
	for _, filter := range r.values {
		if strings.Contains(filter, "import") || strings.Contains(filter, "include") || strings.Contains(filter, "modulemeta") {
			return Reason("its filter may read other files")
		}
	}
	return nil
}

// printing is a script of sed that chooses lines and prints or drops them, or replaces one text by another, and can do nothing else: a letter that writes or runs has no place in it. What stands between slashes has no character by which one version of sed would find its end elsewhere.
var printing = regexp.MustCompile(`^((` + address + `(,(` + address + `|\+[0-9]+))?)?([pqd=]|s/` + between + `/` + between + `/[gpI0-9]{0,3})(;|$))+$`)

const (
	between = `[A-Za-z0-9_ .,:^$*+=@#%"'<>-]*`
	address = `([0-9]+|\$|/` + between + `/)`
)

func onlyPrints(r reading) error {
	if !slices.ContainsFunc(r.values, func(script string) bool { return !printing.MatchString(script) }) {
		return nil
	}
	return Reason("its script may do more than print lines")
}

func onlyFormat(r reading) error {
	if !slices.ContainsFunc(r.operands, func(w string) bool { return !strings.HasPrefix(w, "+") }) {
		return nil
	}
	return Reason("it may set the clock")
}
