package guard

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func trusted(t *testing.T, g *Guard, content string) bool {
	t.Helper()
	ok, err := g.Trusted(t.Context(), ".nodwyn/closeout.toml", []byte(content))
	if err != nil {
		t.Fatal(err)
	}
	return ok
}

func TestTrustIsAskedOncePerContent(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says("trust")
	const content = "run = [\"make\"]\x1b"
	check(t, trusted(t, b.Guard, content), true)
	log := b.log()
	check(t, len(log), 3)
	checkLines(t, log[1:], `close p1 trust by "ann"`, fmt.Sprintf("set trust %.4x applied by ann at p1", sha256.Sum256([]byte(content))))
	check(t, strings.HasSuffix(b.asked[0].Text, "for exactly this content:\n\nrun = [\"make\"]\\x1b"), true)
	check(t, trusted(t, b.Guard, content), true)
	check(t, trusted(t, b.another(t), content), true)
	check(t, b.prompts(), 1)
	check(t, trusted(t, b.Guard, "run = [\"rm\"]"), true)
	check(t, b.prompts(), 2)
	b.cfg.Repository = "/another"
	check(t, trusted(t, b.another(t), "run = [\"rm\"]"), true)
	check(t, b.prompts(), 3)
}

func TestSkipHoldsForTheSession(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says("skip")
	check(t, trusted(t, b.Guard, "x"), false)
	check(t, trusted(t, b.Guard, "x"), false)
	check(t, b.prompts(), 1)
	check(t, trusted(t, b.another(t), "x"), false)
	check(t, b.prompts(), 2)
}

func TestWithoutAnAnswerThereIsNoTrust(t *testing.T) {
	b := setUp(t, nil)
	for _, answer := range []string{"", "Trust", "yes"} {
		b.answer = says(answer)
		check(t, trusted(t, b.Guard, "x"), false)
	}
	b.answer = nil
	check(t, trusted(t, b.Guard, "x"), false)
	if _, err := os.Stat(b.cfg.StateDir); err == nil {
		t.Error("something was remembered")
	}
}

func TestStateFilesArePrivateAndStrict(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says("trust")
	check(t, trusted(t, b.Guard, "x"), true)
	b.answer = says(AllowAlways)
	check(t, rule(write(b.Guard, t.Context(), "a", []byte("x"))), "")
	for _, name := range []string{"trust.json", "approvals.json"} {
		info, err := os.Stat(filepath.Join(b.cfg.StateDir, name))
		if err != nil {
			t.Fatal(err)
		}
		check(t, info.Mode().Perm().String(), "-rw-------")
		put(t, filepath.Join(b.cfg.StateDir, name), `{"repositories":{},"more":1}`)
	}
	g := b.another(t)
	if _, err := g.Trusted(t.Context(), "it", []byte("x")); err == nil || !strings.Contains(err.Error(), "trust.json") {
		t.Errorf("got error %v", err)
	}
	if err := write(g, t.Context(), "b", []byte("x")); err == nil || !strings.Contains(err.Error(), "approvals.json") {
		t.Errorf("got error %v", err)
	}
	check(t, b.content(t, "b"), "-")
}

func TestWhatCannotBeKeptHoldsForTheSession(t *testing.T) {
	b := setUp(t, nil)
	for _, name := range []string{"trust.json.lock", "approvals.json.lock"} { // a folder where the lock should be
		if err := os.MkdirAll(filepath.Join(b.cfg.StateDir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b.answer = says("trust")
	for range 2 {
		check(t, trusted(t, b.Guard, "x"), true)
	}
	b.answer = says(AllowAlways)
	for _, content := range []string{"x", "y"} {
		check(t, rule(write(b.Guard, t.Context(), "a", []byte(content))), "")
	}
	check(t, b.prompts(), 2)
	log := strings.Join(b.log(), "\n")
	for _, code := range []string{"trust_not_kept", "approval_not_kept"} {
		check(t, strings.Count(log, code), 1)
	}
}

func TestAnswersOfParallelSessionsAreAllKept(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowAlways)
	var all sync.WaitGroup
	for _, name := range strings.Fields("a b c d e f g h") {
		g := b.another(t)
		all.Go(func() {
			if err := write(g, t.Context(), name, []byte("x")); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	kept, err := b.always()
	check(t, err, nil)
	check(t, len(kept), 8)
}
