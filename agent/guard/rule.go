package guard

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Rule is an exception from the policies. It names files by Path or a command by Prefix.
type Rule struct {
	// Effect is what the rule does.
	Effect Verdict
	// Op is the kind of effect that it is about.
	Op Op
	// Path is a doublestar pattern, relative to the tree, for reads and writes. Denials and questions match in any case.
	Path string
	// Prefix are the leading words of a command: exactly these for a permission, while a denial or question also holds for a command that could start such a one.
	Prefix []string
	// Match and NotMatch are examples that Validate holds the rule to: paths, or commands whose words are parted by spaces.
	Match, NotMatch []string
}

// runners start what their arguments name, so a permission for them alone would be one for any program.
var runners = [...]string{
	"awk", "bash", "bun", "busybox", "cargo", "command", "dash", "deno", "docker", "doas", "env", "eval", "exec", "find", "fish", "flock", "gawk", "git", "go", "ionice", "ksh", "lua",
	"make", "mawk", "nice", "node", "nohup", "npm", "npx", "parallel", "perl", "php", "pnpm", "podman", "python", "python3", "ruby", "run", "setsid", "sh", "ssh",
	"stdbuf", "strace", "su", "sudo", "taskset", "time", "timeout", "unshare", "uv", "watch", "xargs", "yarn", "zsh",
}

// runnerFlags make a program start another one, or write where they say. They stand here without their dashes.
var runnerFlags = [...]string{
	"exec", "execdir", "ok", "okdir", "toolexec", "vettool", "pre", "ext-diff", "textconv", "open-files-in-pager",
	"upload-pack", "receive-pack", "compress-program", "checkpoint-action", "output",
}

// Validate reports the first value or rule that cannot stand, with what is wrong about it.
func (p Policy) Validate() error {
	for _, v := range []struct {
		key, value string
		known      []string
	}{
		{"read", p.Read, []string{"", PolicyWorkspace, PolicyAsk}},
		{"write", p.Write, []string{"", PolicyAsk, PolicySessionWorktree, PolicyDeny}},
		{"exec", p.Exec, []string{"", PolicyAsk, PolicyDeny}},
	} {
		if !slices.Contains(v.known, v.value) {
			return fmt.Errorf("guard %s is %q: it must be %s", v.key, v.value, strings.Join(v.known[1:], " or "))
		}
	}
	if p.PromptTimeout < 0 {
		return fmt.Errorf("guard prompt_timeout is %v: it must not be negative", p.PromptTimeout)
	}
	for i, r := range p.Rules {
		if err := r.validate(); err != nil {
			return fmt.Errorf("guard %s rule %d: %w", r.Effect, i+1, err)
		}
	}
	for i, r := range p.Hosts {
		if err := r.validate(); err != nil {
			return fmt.Errorf("guard hosts rule %d: %w", i+1, err)
		}
	}
	for i, r := range p.Paths {
		if err := r.validate(); err != nil {
			return fmt.Errorf("guard paths rule %d: %w", i+1, err)
		}
	}
	return nil
}

func (r Rule) validate() error {
	if !slices.Contains([]Verdict{Allow, Ask, Deny}, r.Effect) {
		return fmt.Errorf("effect %q is none of allow, ask and deny", r.Effect)
	}
	if err := r.validateTarget(); err != nil {
		return err
	}
	for _, text := range r.Match {
		if !r.matches(r.example(text)) {
			return fmt.Errorf("%s does not match its example %q", r, text)
		}
	}
	for _, text := range r.NotMatch {
		if r.matches(r.example(text)) {
			return fmt.Errorf("%s matches %q, which its not_match excludes", r, text)
		}
	}
	return nil
}

func (r Rule) validateTarget() error {
	switch {
	case r.Op == OpExec:
		return r.validatePrefix()
	case r.Op != OpRead && r.Op != OpWrite:
		return fmt.Errorf("op %q is none of read, write and exec", r.Op)
	case len(r.Prefix) > 0:
		return fmt.Errorf("op %s takes a path, not a prefix", r.Op)
	case r.Path == "" || !doublestar.ValidatePattern(r.Path):
		return fmt.Errorf("path %q is not a pattern", r.Path)
	case strings.HasPrefix(r.Path, "/"):
		return fmt.Errorf("path %q is absolute: patterns are relative to the tree", r.Path)
	}
	return nil
}

func (r Rule) validatePrefix() error {
	if r.Path != "" {
		return fmt.Errorf("op exec takes a prefix, not a path")
	}
	if len(r.Prefix) == 0 || slices.Contains(r.Prefix, "") {
		return fmt.Errorf("prefix %q has no or an empty word", r.Prefix)
	}
	if r.Effect == Allow && !slices.ContainsFunc(r.Prefix, isConcrete) {
		return fmt.Errorf("prefix %q allows any program: name what it runs, too", r.Prefix)
	}
	return nil
}

// isConcrete reports whether a word says what is run, rather than how.
func isConcrete(word string) bool {
	first := word[0]
	return first != '-' && (first < '0' || first > '9') && !strings.Contains(word, "=") && !slices.Contains(runners[:], word)
}

func (r Rule) example(text string) Action {
	if r.Op == OpExec {
		return Action{Op: r.Op, Argv: strings.Fields(text)}
	}
	return Action{Op: r.Op, Path: text}
}

// match returns the first rule of that effect for the action.
func (p Policy) match(effect Verdict, a Action) *Rule {
	for i, r := range p.Rules {
		if r.Effect == effect && r.matches(a) {
			return &p.Rules[i]
		}
	}
	return nil
}

func (r Rule) matches(a Action) bool {
	if r.Op != a.Op {
		return false
	}
	if a.Op != OpExec {
		return r.matchesPath(a.Path)
	}
	if len(a.Argv) == 0 {
		return false
	}
	if r.Effect != Allow {
		return mayRun(a.Argv, r.Prefix)
	}
	if len(a.Argv) < len(r.Prefix) || !slices.Equal(a.Argv[:len(r.Prefix)], r.Prefix) {
		return false
	}
	return !slices.ContainsFunc(a.Argv[len(r.Prefix):], startsProgram)
}

// matchesPath folds case only where that is the stricter reading.
func (r Rule) matchesPath(path string) bool {
	pattern := r.Path
	if r.Effect != Allow {
		pattern, path = strings.ToLower(pattern), strings.ToLower(path)
	}
	return doublestar.MatchUnvalidated(pattern, path)
}

// startsProgram reports whether a word is one of runnerFlags, with one dash or two. A long one may be abbreviated.
func startsProgram(word string) bool {
	flag, _, _ := strings.Cut(word, "=")
	name := strings.TrimLeft(flag, "-")
	switch len(flag) - len(name) {
	case 1:
		return slices.Contains(runnerFlags[:], name)
	case 2:
		return name != "" && slices.ContainsFunc(runnerFlags[:], func(f string) bool { return strings.HasPrefix(f, name) })
	}
	return false
}

// String names the rule as the configuration would.
func (r Rule) String() string {
	if r.Op == OpExec {
		return fmt.Sprintf("%s %q", r.Op, strings.Join(r.Prefix, " "))
	}
	return fmt.Sprintf("%s %q", r.Op, r.Path)
}
