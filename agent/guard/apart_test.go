package guard

import "testing"

// TestDecideApart: the programs of a command are decided one by one, and the strictest ruling holds.
func TestDecideApart(t *testing.T) {
	exec := func(argv ...string) Action { return Action{Op: OpExec, Argv: argv} }
	reads := func(argv ...string) Action { return Action{Op: OpExec, Argv: argv, ReadOnly: true} }
	whole := func(parts ...Action) Action {
		return Action{Op: OpExec, Argv: []string{"sh", "-c", "text"}, Parts: parts}
	}
	doubt := exec("touch", "x")
	doubt.Doubt = `it is not known what "touch" does`
	policy := Policy{Rules: []Rule{
		{Effect: Allow, Op: OpExec, Prefix: []string{"go", "test"}}, {Effect: Deny, Op: OpExec, Prefix: []string{"curl"}}, {Effect: Ask, Op: OpExec, Prefix: []string{"git", "push"}},
	}}
	always := State{Contained: true, Approvals: []Approval{{Op: OpExec, Scope: ScopeAlways, Argv: []string{"git", "commit"}, Prefix: true}}}
	for _, c := range []struct {
		name   string
		state  State
		action Action
		want   Ruling
	}{
		{"one that only reads", State{Contained: true}, whole(reads("ls")), Ruling{Verdict: Allow, Rule: ruleReadOnly}},
		{"the same without a sandbox", State{}, whole(reads("ls")), Ruling{Verdict: Ask}},
		{"a program that only reads", State{Contained: true}, reads("ls"), Ruling{Verdict: Allow, Rule: ruleReadOnly}},
		{"reading in a session that only reads", State{Contained: true, Mode: "ask"}, whole(reads("ls")), Ruling{Verdict: Deny, Rule: ruleMode, Reason: "this session is in ask mode, which only reads"}},
		{"one allowed beside one that reads", State{Contained: true}, whole(reads("ls"), exec("go", "test", "./...")), Ruling{Verdict: Allow, Rule: ruleConfigured}},
		{"one asked beside one that reads", State{Contained: true}, whole(reads("ls"), doubt), Ruling{Verdict: Ask, Reason: `in "touch x": it is not known what "touch" does`}},
		{"one alone is not named", State{Contained: true}, whole(doubt), Ruling{Verdict: Ask, Reason: `it is not known what "touch" does`}},
		{"a denied one behind all others", State{Contained: true}, whole(reads("ls"), doubt, exec("curl", "x")), Ruling{Verdict: Deny, Rule: ruleConfigured, Reason: `the configuration denies exec "curl"`}},
		{"a question of the configuration", State{Contained: true}, whole(exec("git", "push")), Ruling{Verdict: Ask, Reason: `the configuration asks about exec "git push"`}},
		{"a remembered beginning", always, whole(exec("git", "commit", "-m", "x"), reads("ls")), Ruling{Verdict: Allow, Rule: "always", Scope: ScopeAlways}},
		{"a flag that it does not cover", always, whole(exec("git", "commit", "--template=x")), Ruling{Verdict: Ask}},
		{"a shell's text", State{Contained: true}, Action{Op: OpExec, Argv: []string{"sh", "-c", "a > b"}, Doubt: `"> b" redirects`}, Ruling{Verdict: Ask, Reason: `"> b" redirects`}},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, Decide(policy, c.state, c.action), c.want) })
	}
}
