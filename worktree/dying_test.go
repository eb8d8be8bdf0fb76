package worktree

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// dying is the git of a process that dies at one of its calls: from then on the process does nothing any more, not even clean up behind itself.
type dying struct {
	realGit
	l    *lab
	rand *rand.Rand
	// left counts the calls up to the last one; torn is set when that one is cut off half way, if it writes files.
	left *int
	torn bool
	// dead is closed at the death, over when the test is, so that no goroutine stays.
	dead, over chan struct{}
}

func (g dying) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	*g.left--
	if *g.left > 0 {
		return g.realGit.Run(ctx, dir, env, stdin, args...)
	}
	if *g.left == 0 {
		g.last(ctx, dir, env, stdin, args)
		close(g.dead)
	}
	<-g.over
	return nil, errors.New("the process is dead")
}

// last runs the last command: not at all, as a whole, or half.
func (g dying) last(ctx context.Context, dir string, env []string, stdin []byte, args []string) {
	if g.rand.IntN(2) == 0 && !g.torn {
		return
	}
	writes := args[0] == "checkout-index" || args[0] == "read-tree" && slices.Contains(args, "-u")
	if !writes || !g.torn {
		_, _ = g.realGit.Run(ctx, dir, env, stdin, args...)
		return
	}
	index := ""
	for _, variable := range env {
		if name, ok := strings.CutPrefix(variable, "GIT_INDEX_FILE="); ok {
			index = name
		}
	}
	staged, _ := os.ReadFile(index)
	before := g.l.files(dir)
	_, _ = g.realGit.Run(ctx, dir, env, stdin, args...)
	if index != "" { // git writes its index when all files are there
		noError(g.l.t, os.WriteFile(index, staged, 0o644))
	}
	g.tear(dir, before, g.l.files(dir))
}

// tear leaves some files of a change as they were, some as they become, and one cut off on the way.
func (g dying) tear(dir string, before, after map[string]string) {
	cut := false
	for _, name := range slices.Sorted(maps.Keys(union(before, after))) {
		was, there := before[name]
		if was == after[name] {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		switch draw := g.rand.IntN(3); {
		case draw == 0:
			if !there {
				noError(g.l.t, os.Remove(path))
				continue
			}
			mode, content, _ := strings.Cut(was, " ")
			noError(g.l.t, os.MkdirAll(filepath.Dir(path), 0o755))
			noError(g.l.t, os.RemoveAll(path))
			noError(g.l.t, os.WriteFile(path, []byte(content), 0o644))
			if strings.Contains(mode, "x") {
				noError(g.l.t, os.Chmod(path, 0o755))
			}
		case draw == 1 && !cut && after[name] != "":
			cut = true
			_, content, _ := strings.Cut(after[name], " ")
			noError(g.l.t, os.WriteFile(path, []byte(content[:g.rand.IntN(len(content)+1)]), 0o644))
		}
	}
}

func union(a, b map[string]string) map[string]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// die runs do with a repository whose process dies at the given call; survived is set when it ended before.
func (l *lab) die(r *Repository, random *rand.Rand, calls int, torn bool, do func(*Repository) error) (survived bool, err error) {
	g := dying{realGit: l.git, l: l, rand: random, left: &calls, torn: torn, dead: make(chan struct{}), over: make(chan struct{})}
	mortal := l.again(r)
	mortal.git = g
	var alive sync.WaitGroup
	done := make(chan error, 1)
	alive.Go(func() { done <- do(mortal) })
	l.t.Cleanup(func() {
		close(g.over)
		alive.Wait()
	})
	select {
	case err := <-done:
		return true, err
	case <-g.dead:
		return false, nil
	case <-time.After(time.Minute):
		l.t.Fatal("the landing neither ended nor died")
		return false, nil
	}
}

// again is the repository as a new process opens it.
func (l *lab) again(r *Repository) *Repository {
	return &Repository{git: l.git, common: r.common, root: r.root, bare: r.bare, version: r.version, writes: make(chan struct{}, 1)}
}
