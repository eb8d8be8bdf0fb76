package guard

import (
	"strings"
	"testing"
)

func TestDecide(t *testing.T) {
	rules := []Rule{
		{Effect: Deny, Op: OpRead, Path: "**/.env*"},
		{Effect: Deny, Op: OpExec, Prefix: []string{"git", "push", "--force"}},
		{Effect: Ask, Op: OpExec, Prefix: []string{"git", "push"}},
		{Effect: Ask, Op: OpWrite, Path: "deploy/**"},
		{Effect: Allow, Op: OpExec, Prefix: []string{"go", "test"}},
		{Effect: Allow, Op: OpExec, Prefix: []string{"git", "status"}},
		{Effect: Allow, Op: OpWrite, Path: "docs/**"},
	}
	session := func(a Approval) State {
		a.Scope = ScopeSession
		return State{Approvals: []Approval{a}}
	}
	edits := State{Worktree: true, Approvals: []Approval{{Op: OpWrite, Scope: ScopeEdits, Path: "**"}}}
	write := func(path string) Action { return Action{Op: OpWrite, Path: path} }
	read := func(path string) Action { return Action{Op: OpRead, Path: path} }
	run := func(line string) Action { return Action{Op: OpExec, Argv: strings.Fields(line), Cwd: "."} }
	shell := Action{Op: OpExec, Argv: []string{"sh", "-c", "go test ./..."}, Cwd: "."}
	free := Policy{Write: PolicySessionWorktree, Rules: rules}
	for _, tc := range []struct {
		name   string
		policy Policy
		state  State
		action Action
		want   string // verdict, rule, scope
	}{
		{"default read", Policy{}, State{}, read("a.go"), "allow workspace"},
		{"default write", Policy{}, State{Worktree: true}, write("a.go"), "ask"},
		{"default command", Policy{}, State{}, run("ls"), "ask"},
		{"read by policy ask", Policy{Read: PolicyAsk}, State{}, read("a.go"), "ask"},
		{"write in the session's worktree", free, State{Worktree: true}, write("a.go"), "allow session-worktree"},
		{"write without a worktree", free, State{}, write("a.go"), "ask"},
		{"write by policy deny", Policy{Write: PolicyDeny, Rules: rules}, edits, write("docs/a.md"), "deny policy"},
		{"command by policy deny beats an allow rule", Policy{Exec: PolicyDeny, Rules: rules}, State{}, run("go test ./..."), "deny policy"},
		{"command by policy deny beats trust", Policy{Exec: PolicyDeny}, State{}, Action{Op: OpExec, Argv: []string{"make"}, Trusted: "closeout"}, "deny policy"},

		{"hazard beats everything", free, edits, Action{Op: OpWrite, Path: "docs/a.md", Hazard: &Hazard{Rule: "escape"}}, "deny escape"},
		{"git folder", free, edits, write(".git/config"), "deny protected"},
		{"git file below", free, edits, write("sub/.GIT"), "deny protected"},
		{"git folder is readable", Policy{}, State{}, read(".git/HEAD"), "allow workspace"},
		{"protected under session-worktree", free, State{Worktree: true}, write(".vscode/settings.json"), "ask always"},
		{"protected under all edits", Policy{}, edits, write("sub/AGENTS.md"), "ask always"},
		{"protected though remembered", Policy{}, session(Approval{Op: OpWrite, Path: ".envrc"}), write(".envrc"), "ask always"},
		{"protected though a rule allows", free, State{Worktree: true}, write("docs/.npmrc"), "ask always"},

		{"mode ask refuses writes", free, State{Mode: "ask", Worktree: true}, write("docs/a.md"), "deny mode"},
		{"mode ask refuses commands, trusted or not", free, State{Mode: "ask"}, Action{Op: OpExec, Argv: []string{"make"}, Trusted: "closeout"}, "deny mode"},
		{"mode ask reads", free, State{Mode: "ask"}, read("a.go"), "allow workspace"},
		{"an unknown mode only reads", free, State{Mode: "new"}, run("go test"), "deny mode"},
		{"mode edit", free, State{Mode: "edit"}, run("go test"), "allow configured"},

		{"deny rule", free, State{}, read("sub/.env.local"), "deny configured"},
		{"deny rule in another case", free, State{}, read(".ENV"), "deny configured"},
		{"deny rule beats ask rule", free, State{}, run("git push --force origin"), "deny configured"},
		{"deny rule beats a remembered answer", free, session(Approval{Op: OpRead, Path: ".env"}), read(".env"), "deny configured"},
		{"ask rule", free, State{}, run("git push origin"), "ask"},
		{"ask rule beats session-worktree", free, State{Worktree: true}, write("deploy/prod.yml"), "ask"},
		{"ask rule beats all edits", Policy{Rules: rules}, edits, write("deploy/prod.yml"), "ask"},
		{"an answer to an ask rule is remembered", free, session(Approval{Op: OpExec, Argv: []string{"git", "push"}, Cwd: "."}), run("git push"), "allow session session"},
		{"allow rule", Policy{Rules: rules}, State{}, write("docs/a.md"), "allow configured"},
		{"allow rule for a command", free, State{}, run("go test -run X ./..."), "allow configured"},
		{"allow rule and a flag that runs a program", free, State{}, run("go test -exec x ./..."), "ask"},
		{"allow rule and the flag with two dashes and a value", free, State{}, run("go test --exec=x"), "ask"},
		{"allow rule and an abbreviated long flag", free, State{}, run("git status --exec-p=x"), "allow configured"},
		{"allow rule and a word that starts alike", free, State{}, run("go testing"), "ask"},
		{"allow rule and a shell text", free, State{}, shell, "ask"},

		{"remembered path", Policy{}, session(Approval{Op: OpWrite, Path: "a.go"}), write("a.go"), "allow session session"},
		{"remembered path, another one", Policy{}, session(Approval{Op: OpWrite, Path: "a.go"}), write("a.go.txt"), "ask"},
		{"remembered path for another effect", Policy{}, session(Approval{Op: OpRead, Path: "a.go"}), write("a.go"), "ask"},
		{"remembered command", Policy{}, session(Approval{Op: OpExec, Argv: []string{"ls", "-l"}, Cwd: "."}), run("ls -l"), "allow session session"},
		{"remembered command, longer", Policy{}, session(Approval{Op: OpExec, Argv: []string{"ls", "-l"}, Cwd: "."}), run("ls -l /"), "ask"},
		{"remembered command, words parted otherwise", Policy{}, session(Approval{Op: OpExec, Argv: []string{"ls -l"}, Cwd: "."}), run("ls -l"), "ask"},
		{"remembered command in another folder", Policy{}, session(Approval{Op: OpExec, Argv: []string{"ls"}, Cwd: "sub"}), run("ls"), "ask"},
		{"always", Policy{}, State{Approvals: []Approval{{Op: OpWrite, Scope: ScopeAlways, Path: "a.go"}}}, write("a.go"), "allow always always"},
		{"all edits", Policy{}, edits, write("a.go"), "allow session edits"},
		{"all edits say nothing about commands", Policy{}, edits, run("ls"), "ask"},
		{"all edits without a worktree", Policy{}, State{Approvals: edits.Approvals}, write("a.go"), "ask"},
		{"trusted command", Policy{}, State{}, Action{Op: OpExec, Argv: []string{"make"}, Trusted: "closeout"}, "allow closeout"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := Decide(tc.policy, tc.state, tc.action)
			parts := []string{string(r.Verdict), r.Rule, string(r.Scope)}
			if r.Always {
				parts = append(parts, "always")
			}
			check(t, strings.Join(strings.Fields(strings.Join(parts, " ")), " "), tc.want)
			if r.Verdict == Deny && r.Rule != "escape" && r.Reason == "" {
				t.Error("a denial without a reason")
			}
		})
	}
}

func TestValidate(t *testing.T) {
	exec := func(prefix ...string) Rule { return Rule{Effect: Allow, Op: OpExec, Prefix: prefix} }
	for _, tc := range []struct {
		name   string
		policy Policy
		want   string // in the error; "" for none
	}{
		{"zero value", Policy{}, ""},
		{"every value", Policy{Read: "ask", Write: "session-worktree", Exec: "deny"}, ""},
		{"unknown read", Policy{Read: "deny"}, `read is "deny"`},
		{"unknown write", Policy{Write: "allow"}, `write is "allow"`},
		{"unknown exec", Policy{Exec: "allow"}, `exec is "allow"`},
		{"negative time", Policy{PromptTimeout: -1}, "negative"},
		{"documented allow rule", Policy{Rules: []Rule{{Effect: Allow, Op: OpExec, Prefix: []string{"go", "test"}, Match: []string{"go test ./..."}, NotMatch: []string{"go test -exec x ./..."}}}}, ""},
		{"documented deny rule", Policy{Rules: []Rule{{Effect: Deny, Op: OpRead, Path: "**/.env*", Match: []string{".env", "a/.env.local"}, NotMatch: []string{"env.go"}}}}, ""},
		{"unknown effect", Policy{Rules: []Rule{{Effect: "maybe", Op: OpRead, Path: "*"}}}, `effect "maybe"`},
		{"unknown op", Policy{Rules: []Rule{{Effect: Deny, Op: "net", Path: "*"}}}, `op "net"`},
		{"no path", Policy{Rules: []Rule{{Effect: Deny, Op: OpRead}}}, `path ""`},
		{"bad pattern", Policy{Rules: []Rule{{Effect: Deny, Op: OpRead, Path: "a["}}}, `path "a["`},
		{"absolute pattern", Policy{Rules: []Rule{{Effect: Deny, Op: OpRead, Path: "/etc/*"}}}, "absolute"},
		{"path and prefix", Policy{Rules: []Rule{{Effect: Deny, Op: OpRead, Path: "*", Prefix: []string{"x"}}}}, "takes a path"},
		{"command with a path", Policy{Rules: []Rule{{Effect: Deny, Op: OpExec, Path: "*"}}}, "takes a prefix"},
		{"no prefix", Policy{Rules: []Rule{exec()}}, "empty word"},
		{"empty word", Policy{Rules: []Rule{exec("go", "")}}, "empty word"},
		{"a shell", Policy{Rules: []Rule{exec("sh", "-c")}}, "any program"},
		{"a wrapper", Policy{Rules: []Rule{exec("env", "A=b", "timeout", "5")}}, "any program"},
		{"any script", Policy{Rules: []Rule{exec("npm", "run")}}, "any program"},
		{"one script", Policy{Rules: []Rule{exec("npm", "run", "build")}}, ""},
		{"a shell may be denied", Policy{Rules: []Rule{{Effect: Deny, Op: OpExec, Prefix: []string{"sh"}}}}, ""},
		{"example that does not match", Policy{Rules: []Rule{{Effect: Ask, Op: OpExec, Prefix: []string{"git", "push"}, Match: []string{"git pull"}}}}, `does not match its example "git pull"`},
		{"counter-example that matches", Policy{Rules: []Rule{{Effect: Ask, Op: OpExec, Prefix: []string{"git"}, NotMatch: []string{"git log"}}}}, `matches "git log"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.policy.Validate()
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func TestProtectedNames(t *testing.T) {
	for path, want := range map[string]string{
		"README.md": "", "src/vscode/a.go": "", ".github/CODEOWNERS": "", "agents.go": "", ".gitignore": "", "a.git": "", ".gitattributes": "", "npmrc": "",
		".vscode/tasks.json": "asked", ".VSCode/x": "asked", "sub/.idea/x.xml": "asked", "x.code-workspace": "asked", "X.Code-Workspace": "asked",
		".v\u017fcode/x": "asked", ".idea": "asked", ".vscode./x": "asked", ".github/workflows/ci.yml": "asked", "a/.GitHub/Workflows/ci.yml": "asked",
		"AGENTS.md": "asked", "sub/claude.MD": "asked", ".npmrc": "asked", ".yarnrc.yml": "asked", ".envrc": "asked", ".ba\u200dshrc": "asked",
		".nodwyn/closeout.toml": "asked", ".mcp.json": "asked", ".pre-commit-config.yaml": "asked", "home/.zshenv": "asked", ".exrc ": "asked",
		".git": "refused", ".git/hooks/pre-commit": "refused", "sub/.git/config": "refused", ".GIT/config": "refused", ".gIt": "refused",
		".git./config": "refused", ".git /config": "refused", "GIT~1/config": "refused", ".git::$INDEX_ALLOCATION/config": "refused",
		".g\u200cit/config": "refused", "\ufeff.git/config": "refused", "a/.git:x": "refused",
	} {
		got := ""
		if isProtected(path) {
			got = "asked"
		}
		if insideGit(path) {
			got = "refused"
		}
		if got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}
