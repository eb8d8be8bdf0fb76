package guard

import (
	"slices"
	"time"
)

// Op is what an effect does.
type Op string

// The effects that are decided.
const (
	OpRead  Op = "read"
	OpWrite Op = "write"
	OpExec  Op = "exec"
)

// Verdict is what is to happen with an effect.
type Verdict string

// The verdicts, from lax to strict.
const (
	Allow Verdict = "allow"
	Ask   Verdict = "ask"
	Deny  Verdict = "deny"
)

// The values of a policy.
const (
	PolicyWorkspace       = "workspace"        // reads in the tree need no prompt
	PolicyAsk             = "ask"              // a person decides
	PolicySessionWorktree = "session-worktree" // writes in the session's own worktree need no prompt
	PolicyDeny            = "deny"             // never, whatever else would allow it
)

// Policy is the configuration's [guard]. Its zero value is the default: reads in the tree, everything else asks.
type Policy struct {
	// Read is PolicyWorkspace, the default, or PolicyAsk.
	Read string
	// Write is PolicyAsk, the default, PolicySessionWorktree or PolicyDeny.
	Write string
	// Exec is PolicyAsk, the default, or PolicyDeny.
	Exec string
	// PromptTimeout is the deadline of a prompt; 0 waits.
	PromptTimeout time.Duration
	// Rules are the exceptions: a denial beats a question, a question beats a permission.
	Rules []Rule
	// Paths let single programs change more than the tree, in a sandbox.
	Paths []PathRule
	// Hosts hold single programs to hosts that they may reach, in a sandbox.
	Hosts []HostRule
}

// Action is an effect that is to be decided.
type Action struct {
	Op Op
	// Path is where a file really lies, relative to the tree, with slashes.
	Path string
	// Argv is the command of an OpExec, Cwd its folder relative to the tree.
	Argv []string
	Cwd  string
	// Parts are the programs of a command that was taken apart; each is decided by itself, too, and the strictest ruling holds.
	Parts []Action
	// ReadOnly says that a command was proved to only read what may be read; Doubt says in a clause why it was not.
	ReadOnly bool
	Doubt    string
	// Hazard is what the file system says against it; nil when nothing.
	Hazard *Hazard
	// Trusted is the rule under which a person has trusted the exact content that the command comes from; empty when none has.
	Trusted string
}

// Hazard is a reason to refuse that no rule and no answer lifts.
type Hazard struct {
	// Rule is its name in the record.
	Rule string
	// Reason is a clause in plain words.
	Reason string
}

// State is what a session has come to, as far as it matters for a ruling.
type State struct {
	// Mode is the session's mode; only "edit" and empty allow effects beyond reading.
	Mode string
	// Worktree says that the tree is the session's own worktree.
	Worktree bool
	// Contained says that commands run in a sandbox.
	Contained bool
	// Approvals are the answers that are remembered.
	Approvals []Approval
}

// Ruling is what Decide says.
type Ruling struct {
	Verdict Verdict
	// Rule is what decided, as the record names it.
	Rule string
	// Scope is the scope of the remembered answer that decided; empty otherwise.
	Scope Scope
	// Reason says in a clause why it is denied, or why a person is asked.
	Reason string
	// Always says that a person is asked each time, so that no answer is remembered.
	Always bool
}

// The names of rules in records.
const (
	ruleProtected  = "protected"
	ruleMode       = "mode"
	ruleConfigured = "configured"
	rulePolicy     = "policy"
	ruleAnswer     = "answer"
	ruleInvalid    = "invalid-answer"
	ruleUnanswered = "unanswered"
	ruleStale      = "stale"
	ruleReadOnly   = "read-only"
	ruleSandbox    = "sandbox"
)

// Decide is the policy: a pure function of what is configured, what was answered and what is to be done. What comes first wins, and whatever is not decided is asked.
func Decide(p Policy, s State, a Action) Ruling {
	for _, step := range []func(Policy, State, Action) (Ruling, bool){refused, remembered, configured, proved, broadly, apart} {
		if r, ok := step(p, s, a); ok {
			return r
		}
	}
	return Ruling{Verdict: Ask, Reason: a.Doubt}
}

// proved holds the commands that can only read, where a sandbox sees to it that this is so.
func proved(_ Policy, s State, a Action) (Ruling, bool) {
	return Ruling{Verdict: Allow, Rule: ruleReadOnly}, a.Op == OpExec && a.ReadOnly && s.Contained
}

// apart decides the programs of a command one by one. The strictest ruling holds, and says which program it is about; of two that allow, the one that needed more.
func apart(p Policy, s State, a Action) (Ruling, bool) {
	if len(a.Parts) == 0 {
		return Ruling{}, false
	}
	all := Ruling{Verdict: Allow, Rule: ruleReadOnly}
	for _, part := range a.Parts {
		switch r := Decide(p, s, part); {
		case r.Verdict == Deny:
			return r, true
		case r.Verdict == Ask && all.Verdict != Ask:
			all = r
			if len(a.Parts) > 1 && r.Reason != "" {
				all.Reason = "in \"" + visible(commandLine(part.Argv)) + "\": " + r.Reason
			}
		case r.Verdict == Allow && all.Verdict == Allow && r.Rule != ruleReadOnly:
			all = r
		}
	}
	return all, true
}

// refused holds what no answer lifts, and what no remembered answer does. A .git comes before what the file system says: in a worktree it is a file, so that a path into it leads nowhere.
func refused(p Policy, s State, a Action) (Ruling, bool) {
	if a.Op == OpWrite && insideGit(a.Path) {
		return Ruling{Verdict: Deny, Rule: ruleProtected, Reason: "a .git is never written to, whoever asks"}, true
	}
	if a.Hazard != nil {
		return Ruling{Verdict: Deny, Rule: a.Hazard.Rule, Reason: a.Hazard.Reason}, true
	}
	if a.Op != OpRead && s.Mode != "" && s.Mode != "edit" {
		return Ruling{Verdict: Deny, Rule: ruleMode, Reason: "this session is in " + s.Mode + " mode, which only reads"}, true
	}
	if r := p.match(Deny, a); r != nil {
		return Ruling{Verdict: Deny, Rule: ruleConfigured, Reason: "the configuration denies " + r.String()}, true
	}
	if p.of(a.Op) == PolicyDeny {
		return Ruling{Verdict: Deny, Rule: rulePolicy, Reason: "the configuration allows no " + a.Op.plural()}, true
	}
	if a.Op == OpWrite && isProtected(a.Path) {
		return Ruling{Verdict: Ask, Reason: "other programs act on what this file says, so it is asked about each time", Always: true}, true
	}
	return Ruling{}, false
}

// remembered holds what a person has said about exactly this.
func remembered(_ Policy, s State, a Action) (Ruling, bool) {
	if a.Trusted != "" {
		return Ruling{Verdict: Allow, Rule: a.Trusted}, true
	}
	i := slices.IndexFunc(s.Approvals, func(v Approval) bool { return v.covers(a) })
	if i < 0 {
		return Ruling{}, false
	}
	scope := s.Approvals[i].Scope
	return Ruling{Verdict: Allow, Rule: scope.rule(), Scope: scope}, true
}

// configured holds the rules of the configuration that ask and allow.
func configured(p Policy, _ State, a Action) (Ruling, bool) {
	if r := p.match(Ask, a); r != nil {
		return Ruling{Verdict: Ask, Reason: "the configuration asks about " + r.String()}, true
	}
	if p.match(Allow, a) != nil {
		return Ruling{Verdict: Allow, Rule: ruleConfigured}, true
	}
	return Ruling{}, false
}

// broadly holds what is allowed as a whole: all edits of the session, and the policies.
func broadly(p Policy, s State, a Action) (Ruling, bool) {
	inWorktree := a.Op == OpWrite && s.Worktree
	if inWorktree && slices.ContainsFunc(s.Approvals, func(v Approval) bool { return v.Scope == ScopeEdits }) {
		return Ruling{Verdict: Allow, Rule: ScopeEdits.rule(), Scope: ScopeEdits}, true
	}
	policy := p.of(a.Op)
	if policy == PolicyWorkspace || policy == PolicySessionWorktree && inWorktree {
		return Ruling{Verdict: Allow, Rule: policy}, true
	}
	return Ruling{}, false
}

// of returns the policy for an op, the default where nothing is said.
func (p Policy) of(op Op) string {
	said, otherwise := p.Exec, PolicyAsk
	switch op {
	case OpRead:
		said, otherwise = p.Read, PolicyWorkspace
	case OpWrite:
		said = p.Write
	}
	if said == "" {
		return otherwise
	}
	return said
}

func (o Op) plural() string {
	if o == OpExec {
		return "commands"
	}
	return string(o) + "s"
}
