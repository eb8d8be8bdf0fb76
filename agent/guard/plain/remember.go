package plain

import (
	"path"
	"slices"
	"strings"
)

// habit is a beginning of commands that may be remembered for all commands that begin so and have no other flags than these. What such a command runs is what its name says: the project's build, its tests, its hooks.
type habit struct {
	prefix string
	flags  spec
	// long says that flags have one dash, as those of go do.
	long bool
	// operands says what the other words may be.
	operands func(word string) bool
}

const (
	goFlags    spec = "-v -x -n -a -race -msan -asan -cover -covermode: -coverpkg: -p: -tags: -trimpath -mod: -buildvcs: -json -o> "
	testFlags  spec = goFlags + "-run: -skip: -count: -short -timeout: -bench: -benchmem -benchtime: -failfast -list: -parallel: -cpu: -shuffle: -vet: -fuzz: -fuzztime: -c -fullpath -coverprofile> -cpuprofile> -memprofile> -blockprofile> -mutexprofile> -trace>"
	cargoFlags spec = "-r -p: -F: -v -q -j: --release --package: --workspace --all --exclude: --lib --bins --bin: --tests --test: --examples --example: --benches --bench: --all-targets --all-features --features: --no-default-features --verbose --quiet --locked --offline --frozen --jobs: --message-format: --no-run --no-fail-fast --keep-going --doc --no-deps --check --profile: --color:"
	fetchFlags spec = "-v -q -p -t --verbose --quiet --all --prune --tags --no-tags --depth: --progress --no-progress --dry-run"
	pullFlags  spec = "-v -q --verbose --quiet --progress --no-progress --ff-only --no-rebase --rebase"
	pushFlags  spec = "-v -q -u --verbose --quiet --set-upstream --tags --follow-tags --progress --no-progress --dry-run --porcelain --atomic"
)

// habits are what is worth to be remembered. Missing are what runs any text or script that is given to it (make, npm run, go run, go generate), what fetches programs by their names, and what throws work away.
var habits = [...]habit{
	{prefix: "go build", flags: goFlags, long: true, operands: isLocal},
	{prefix: "go test", flags: testFlags, long: true, operands: isLocal},
	{prefix: "go vet", flags: "-v -x -n -tags: -json -mod:", long: true, operands: isLocal},
	{prefix: "go fmt", flags: "-x -n", long: true, operands: isLocal},
	{prefix: "go mod tidy", flags: "-v -x -e -compat: -go:", long: true},
	{prefix: "go mod download", flags: "-x -json", long: true},
	{prefix: "go mod verify", long: true},
	{prefix: "gofmt", flags: "-l -w -d -s -e", operands: isLocal},
	{prefix: "cargo build", flags: cargoFlags},
	{prefix: "cargo check", flags: cargoFlags},
	{prefix: "cargo test", flags: cargoFlags, operands: isName},
	{prefix: "cargo clippy", flags: cargoFlags},
	{prefix: "cargo bench", flags: cargoFlags, operands: isName},
	{prefix: "cargo doc", flags: cargoFlags},
	{prefix: "cargo fmt", flags: cargoFlags},
	{prefix: "npm ci", flags: "--ignore-scripts --no-audit --no-fund --offline --prefer-offline --silent -s"},
	{prefix: "pytest", flags: "-v -q -x -s -l -k: -m: -r: --verbose --quiet --exitfirst --tb: --lf --ff --last-failed --failed-first --maxfail: --durations: --co --collect-only --no-header --disable-warnings", operands: isTest},
	{prefix: "ruff check", flags: "-q -v --fix --diff --quiet --verbose --select: --ignore: --no-cache --statistics", operands: isLocal},
	{prefix: "ruff format", flags: "-q -v --check --diff --quiet --verbose --no-cache", operands: isLocal},
	{prefix: "black", flags: "-q -v --check --diff --quiet --verbose", operands: isLocal},
	{prefix: "mypy", flags: "-v --strict --ignore-missing-imports --no-incremental --pretty", operands: isLocal},
	{prefix: "tsc", flags: "-p@ -b --noEmit --build --pretty --project@ --strict --skipLibCheck", operands: isLocal},
	{prefix: "eslint", flags: "--fix --quiet --cache --max-warnings: --ext:", operands: isLocal},
	{prefix: "prettier", flags: "-c -w -l --check --write --list-different", operands: isLocal},
	{prefix: "git add", flags: "-A -u -v -n -N --all --update --verbose --dry-run --intent-to-add", operands: isLocal},
	{prefix: "git commit", flags: "-m: -a -q -v -s --message: --all --quiet --verbose --signoff --no-edit --allow-empty --dry-run --fixup:", operands: isLocal},
	{prefix: "git switch", flags: "-c: -d -q --create: --detach --quiet", operands: isName},
	{prefix: "git fetch", flags: fetchFlags, operands: isName},
	{prefix: "git pull", flags: pullFlags, operands: isName},
	{prefix: "git push", flags: pushFlags, operands: isName},
}

// isLocal reports whether a word is no path out of the folder, and no flag, which behind "--" may be one of another program. It may be a pattern of packages, a test's name or a pathspec of letters.
func isLocal(word string) bool {
	return word != "" && !strings.ContainsAny(word[:1], "/~:@+-") && !strings.ContainsAny(word, `\:@`) && !slices.Contains(strings.Split(word, "/"), "..")
}

// isName reports whether a word is the name of a remote, a branch or a test, and no address, path, forced or deleting ref.
func isName(word string) bool {
	return isLocal(word) && word[0] != '.' && !strings.ContainsAny(word, "^*?[")
}

// isTest reports whether a word is a test below the folder, as pytest names them.
func isTest(word string) bool { return isLocal(strings.ReplaceAll(word, "::", "/")) }

// isOutput reports whether a flag may write there: below the folder, and to nothing whose name is that of what configures a tool or instructs an agent.
func isOutput(word string) bool {
	endings := []string{"", ".a", ".bin", ".exe", ".o", ".out", ".pprof", ".prof", ".so", ".test", ".trace", ".txt", ".wasm"}
	return isLocal(word) && slices.Contains(endings, strings.ToLower(path.Ext(word))) && !slices.ContainsFunc(strings.Split(word, "/"), func(part string) bool { return len(part) > 1 && part[0] == '.' })
}

func (h habit) covers(argv []string) bool {
	prefix := strings.Fields(h.prefix)
	if !begins(argv, prefix) {
		return false
	}
	parse := h.flags.parse
	if h.long {
		parse = h.flags.parseLong
	}
	r, err := parse(argv[len(prefix):])
	if err != nil {
		return false
	}
	for _, w := range r.operands {
		if h.operands == nil || !h.operands(w) {
			return false
		}
	}
	return !slices.ContainsFunc(r.writes, func(w string) bool { return !isOutput(w) }) && !slices.ContainsFunc(r.reads, func(w string) bool { return !isLocal(w) })
}

func begins(argv, prefix []string) bool {
	return len(prefix) > 0 && len(argv) >= len(prefix) && slices.Equal(argv[:len(prefix)], prefix)
}

// Prefix returns the beginning to propose for remembering a command, which then stands for others; nil when only the whole command may be remembered.
func Prefix(argv []string) []string {
	for _, h := range habits {
		if h.covers(argv) {
			return strings.Fields(h.prefix)
		}
	}
	return nil
}

// launchers run what their words, their input or a file of the folder says.
var launchers = [...]string{
	"ash", "awk", "bash", "bun", "bunx", "busybox", "chroot", "cmd", "corepack", "csh", "dash", "deno", "direnv", "doas", "docker", "emacs", "env", "eval", "exec", "expect", "fish", "flock", "gawk", "gdb", "ionice", "java", "julia",
	"just", "ksh", "less", "lua", "make", "gmake", "man", "mawk", "more", "nice", "node", "nodejs", "nohup", "npm", "npx", "nsenter", "parallel", "perl", "php", "pip", "pip3", "pipx", "pnpm", "pnpx", "podman", "poetry", "powershell", "pwsh", "python", "rake", "rscript", "rsync", "ruby", "sed",
	"script", "setsid", "sh", "ssh", "stdbuf", "strace", "su", "sudo", "systemd-run", "tar", "task", "taskset", "tclsh", "time", "timeout", "tox", "ts-node", "tsx", "unshare", "uv", "uvx", "vi", "vim", "nvim", "watch", "xargs", "yarn", "zsh",
}

// Exact reports whether a command may be remembered word by word only: it is a wrapper or interpreter, or one of a known program whose words are not all known to do what its name says.
func Exact(argv []string) bool {
	if len(argv) == 0 || Prefix(argv) != nil {
		return len(argv) == 0
	}
	name := programName(argv[0])
	if slices.Contains(launchers[:], name) || slices.Contains(launchers[:], strings.TrimRight(name, "0123456789.-")) {
		return true
	}
	if !isKnown(name) {
		return false
	}
	_, err := ReadOnly(argv)
	return err != nil
}

// programName is the name by which a program is known, however it is called.
func programName(word string) string {
	return strings.TrimSuffix(strings.ToLower(path.Base(strings.ReplaceAll(word, `\`, "/"))), ".exe")
}

func isKnown(name string) bool {
	if name == "git" || name == "go" || name == "find" {
		return true
	}
	return slices.ContainsFunc(habits[:], func(h habit) bool { first, _, _ := strings.Cut(h.prefix, " "); return first == name }) ||
		slices.ContainsFunc(programs[:], func(p program) bool { return slices.Contains(strings.Fields(p.names), name) })
}

// Covers reports whether a remembered beginning stands for a command. That of a known program covers what is known of it, that of a launcher covers itself, and that of any other program, which only a person can have written, all that begins so.
func Covers(prefix, argv []string) bool {
	return begins(argv, prefix) && (len(prefix) == len(argv) || !Exact(argv))
}
