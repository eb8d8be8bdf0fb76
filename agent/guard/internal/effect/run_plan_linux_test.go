package effect

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// prog is a program of a pipeline.
func prog(argv ...string) Program { return Program{Argv: argv} }

// sh is a program that does what a text says.
func sh(text string) Program { return prog("sh", "-c", text) }

func step(programs ...Program) Step         { return Step{Pipe: programs} }
func when(w When, programs ...Program) Step { return Step{When: w, Pipe: programs} }

// redirected marks a program by what a shell would be told.
func redirected(p Program, how string) Program {
	p.ErrToOut = strings.Contains(how, "2>&1")
	p.DropOut = strings.Contains(how, " >/dev/null")
	p.DropErr = strings.Contains(how, "2>/dev/null")
	return p
}

// TestPlanIsWhatBashDoes runs each text in bash, and its plan without a shell.
func TestPlanIsWhatBashDoes(t *testing.T) {
	both := "echo out; echo err >&2; exit 3"
	for _, tc := range []struct {
		text string
		plan []Step
	}{
		{"echo a; echo b", []Step{step(prog("echo", "a")), step(prog("echo", "b"))}},
		{"false; echo b", []Step{step(prog("false")), step(prog("echo", "b"))}},
		{"true; false", []Step{step(prog("true")), step(prog("false"))}},
		{"true && echo b", []Step{step(prog("true")), when(OnSuccess, prog("echo", "b"))}},
		{"false && echo b", []Step{step(prog("false")), when(OnSuccess, prog("echo", "b"))}},
		{"false || echo b", []Step{step(prog("false")), when(OnFailure, prog("echo", "b"))}},
		{"true || echo b", []Step{step(prog("true")), when(OnFailure, prog("echo", "b"))}},
		{"true || echo b && echo c", []Step{step(prog("true")), when(OnFailure, prog("echo", "b")), when(OnSuccess, prog("echo", "c"))}},
		{"false && echo b || echo c", []Step{step(prog("false")), when(OnSuccess, prog("echo", "b")), when(OnFailure, prog("echo", "c"))}},
		{"false && echo b; echo c", []Step{step(prog("false")), when(OnSuccess, prog("echo", "b")), step(prog("echo", "c"))}},
		{"sh -c 'exit 7' || sh -c 'exit 9'", []Step{step(sh("exit 7")), when(OnFailure, sh("exit 9"))}},
		{"sh -c 'exit 7' && echo b", []Step{step(sh("exit 7")), when(OnSuccess, prog("echo", "b"))}},
		{"sh -c 'kill -9 $$' || echo killed", []Step{step(sh("kill -9 $$")), when(OnFailure, prog("echo", "killed"))}},
		{"sh -c 'kill -9 $$' && echo killed; true", []Step{step(sh("kill -9 $$")), when(OnSuccess, prog("echo", "killed")), step(prog("true"))}},
		{"printf 'b\\na\\n' | sort", []Step{step(prog("printf", `b\na\n`), prog("sort"))}},
		{"printf 'b\\na\\nb\\n' | sort | uniq -c | tail -n 1", []Step{step(prog("printf", `b\na\nb\n`), prog("sort"), prog("uniq", "-c"), prog("tail", "-n", "1"))}},
		{"false | true", []Step{step(prog("false"), prog("true"))}},
		{"true | false", []Step{step(prog("true"), prog("false"))}},
		{"true | sh -c 'exit 4' || echo 4", []Step{step(prog("true"), sh("exit 4")), when(OnFailure, prog("echo", "4"))}},
		{"yes | head -n 2", []Step{step(prog("yes"), prog("head", "-n", "2"))}},
		{"sh -c 'yes; echo $? >&2' | true", []Step{step(sh("yes; echo $? >&2"), prog("true"))}},
		{"sh -c 'sleep 0.1; echo late >&2' | echo early", []Step{step(sh("sleep 0.1; echo late >&2"), prog("echo", "early"))}},
		{"cat", []Step{step(prog("cat"))}},
		{"cat | cat; echo end", []Step{step(prog("cat"), prog("cat")), step(prog("echo", "end"))}},
		{"sh -c '" + both + "' 2>&1 | sort", []Step{step(redirected(sh(both), " 2>&1"), prog("sort"))}},
		{"sh -c '" + both + "' 2>/dev/null", []Step{step(redirected(sh(both), " 2>/dev/null"))}},
		{"sh -c '" + both + "' >/dev/null", []Step{step(redirected(sh(both), " >/dev/null"))}},
		{"sh -c '" + both + "' >/dev/null 2>/dev/null", []Step{step(redirected(sh(both), " >/dev/null 2>/dev/null"))}},
		{"sh -c '" + both + "' 2>&1 >/dev/null | cat", []Step{step(redirected(sh(both), " 2>&1 >/dev/null"), prog("cat"))}},
		{"sh -c '" + both + "' >/dev/null 2>/dev/null | wc -c", []Step{step(redirected(sh(both), " >/dev/null 2>/dev/null"), prog("wc", "-c"))}},
		{"no-such-program || echo b", []Step{step(prog("no-such-program")), when(OnFailure, prog("echo", "b"))}},
		{"no-such-program 2>/dev/null; true", []Step{step(redirected(prog("no-such-program"), " 2>/dev/null")), step(prog("true"))}},
		{"no-such-program 2>&1 | cat", []Step{step(redirected(prog("no-such-program"), " 2>&1"), prog("cat"))}},
		{"echo a | no-such-program", []Step{step(prog("echo", "a"), prog("no-such-program"))}},
		{"no-such-program 2>/dev/null | wc -c", []Step{step(redirected(prog("no-such-program"), " 2>/dev/null"), prog("wc", "-c"))}},
		{"yes | no-such-program", []Step{step(prog("yes"), prog("no-such-program"))}},
		{"./none 2>/dev/null; sh -c 'exit 5'", []Step{step(redirected(prog("./none"), " 2>/dev/null")), step(sh("exit 5"))}},
		{"true; ./none 2>/dev/null", []Step{step(prog("true")), step(redirected(prog("./none"), " 2>/dev/null"))}},
		{"true; ./plain 2>/dev/null", []Step{step(prog("true")), step(redirected(prog("./plain"), " 2>/dev/null"))}},
		{"true; ./ 2>/dev/null", []Step{step(prog("true")), step(redirected(prog("./"), " 2>/dev/null"))}},
		{"ls /proc/self/fd | wc -l", []Step{step(prog("ls", "/proc/self/fd"), prog("wc", "-l"))}},
	} {
		t.Run(tc.text, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s := shell(in(t, dir), "")
			s.Plan = One("bash", "--norc", "-c", tc.text)
			want, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			s.Plan = tc.plan
			got, err := Run(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			want.Head = programsOwn(want.Head)
			check(t, show(got), show(want))
		})
	}
}

// programsOwn drops what bash itself says of its programs.
func programsOwn(out []byte) []byte {
	var kept strings.Builder
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, " Killed  ") {
			kept.WriteString(strings.TrimPrefix(line, "bash: line 1: "))
		}
	}
	return []byte(kept.String())
}

// TestPlanEndsWithTheWord has a plan that would go on behind the step that is ended.
func TestPlanEndsWithTheWord(t *testing.T) {
	dir := treeDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := shell(in(t, dir), "")
	s.Plan = []Step{step(sh(tree+"exec sleep 1000"), prog("cat")), step(sh("echo > $DIR/ran"))}
	done := make(chan Result, 1)
	go func() {
		r, err := Run(ctx, s)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	fds := handles(t, pids(t, dir))
	cancel()
	r := <-done
	gone(t, fds, 0)
	check(t, r.Left, 0)
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the next step ran")
	}
}

// TestPlanEndsWhatAStepLeaves has a first step that leaves processes behind for all of the plan.
func TestPlanEndsWhatAStepLeaves(t *testing.T) {
	dir := treeDir(t)
	s := shell(in(t, dir), "")
	s.Plan = []Step{step(sh(tree)), step(sh("wc -l < $DIR/made")), step(sh("kill -0 $(cat $DIR/made) && echo alive"))}
	done := make(chan Result, 1)
	go func() {
		r, err := Run(t.Context(), s)
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	fds := handles(t, pids(t, dir))
	r := <-done
	gone(t, fds, 0)
	check(t, string(r.Head), "4\nalive\n")
	check(t, strings.Join(r.Ended, " ") != "", true)
}

func TestEndNamesWhatStillRan(t *testing.T) {
	dir := treeDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() {
		r, err := Run(ctx, shell(in(t, dir), ": > $DIR/ready; read word < $DIR/ready"))
		check(t, err, nil)
		done <- r
	}()
	if _, err := os.ReadFile(filepath.Join(dir, "ready")); err != nil {
		t.Fatal(err)
	}
	cancel()
	check(t, strings.Join((<-done).Ended, " "), "sh")
}

// TestEndReachesInsideOfANamespace has a process that ends as it wants to, behind one that would take it along.
func TestEndReachesInsideOfANamespace(t *testing.T) {
	dir := treeDir(t)
	box := []string{"bwrap", "--unshare-pid", "--die-with-parent", "--dev-bind", "/", "/"}
	s := shell(in(t, dir), "")
	s.Plan = One(append(box, "true")...)
	if made, err := Run(t.Context(), s); err != nil || made.Exit == nil || *made.Exit != 0 {
		t.Skipf("bwrap makes no process namespace here: %s %s %v", made.NotStarted, made.Head, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	s.Plan = One(append(box, "sh", "-c", `trap 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; echo bye; exit 0' TERM; : > $DIR/ready; while :; do sleep 1000 & wait $!; done`)...)
	go func() {
		r, err := Run(ctx, s)
		check(t, err, nil)
		done <- r
	}()
	if _, err := os.ReadFile(filepath.Join(dir, "ready")); err != nil {
		t.Fatal(err)
	}
	cancel()
	check(t, string((<-done).Head), "bye\n")
}

func TestProgramsHaveVariablesOfTheirOwn(t *testing.T) {
	s := shell(in(t, t.TempDir()), "")
	s.Env = append(s.Env, "A=1", "B=2")
	first := prog("env")
	first.Env = []string{"A=3", "C=4"}
	s.Plan = []Step{step(first, prog("grep", "-v", "^PATH\\|^DIR")), step(sh("echo $A$B$C"))}
	got, err := Run(t.Context(), s)
	check(t, err, nil)
	check(t, string(got.Head), "B=2\nA=3\nC=4\n12\n")
}

func TestSupervisorRefusesAnEmptyOrder(t *testing.T) {
	for _, plan := range [][]Step{nil, {{}}, {step(prog())}, {step(prog("true"), prog())}} {
		check(t, order{Plan: plan}.check() != nil, true)
	}
}
