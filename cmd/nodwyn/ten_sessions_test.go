package main

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestTenSessions has ten sessions change a few files in the same places, and lands them in any order while some bring the moved branch in between: each lands, or names a conflict that is one and lands once that is resolved. What the person has not committed stays as it is.
func TestTenSessions(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3} {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s, err := newScenario(t.TempDir(), os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.model.close)
			ten := &tenSessions{
				scenario: s, random: rand.New(rand.NewPCG(seed, 10)), number: map[string]int{},
				spots: map[string][]spot{}, landed: map[spot]bool{}, seen: map[string]map[spot]bool{},
			}
			if err := ten.run(); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, s.abandon())
			}
			if err := s.finish(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		})
	}
}

// tenSessions is a scenario with a model of what its sessions change.
type tenSessions struct {
	*scenario
	random    *rand.Rand
	number    map[string]int           // of each session
	spots     map[string][]spot        // what each changes
	landed    map[spot]bool            // what the branch has
	seen      map[string]map[spot]bool // what of it each brought in
	conflicts int
	own       map[string]string // the person's uncommitted files
}

// spot is a line that sessions change. Spots lie so far apart that two never are one conflict.
type spot struct {
	path string
	line int
}

const (
	spotsOfFile    = 5
	linesOfSpot    = 4
	sharedFiles    = 3
	spotsOfSession = 3 // at most
)

func (p spot) String() string { return fmt.Sprintf("%s line %d", p.path, p.line) }

func (t *tenSessions) run() error {
	for _, step := range []func() error{t.begin, t.work, t.landAll, t.history, t.personsFiles} {
		if err := step(); err != nil {
			return err
		}
	}
	if t.conflicts == 0 {
		return errors.New("no two sessions met: the test shows nothing")
	}
	return nil
}

// begin makes the repository, the person's uncommitted work, the sessions and what each will do.
func (t *tenSessions) begin() error {
	for i := range sharedFiles {
		if err := writeFile(filepath.Join(t.repo(), sharedFile(i)), sharedText(sharedFile(i))); err != nil {
			return err
		}
	}
	if err := errors.Join(writeFile(filepath.Join(t.repo(), "mine.txt"), "committed\n"), t.commit(), t.personWorks()); err != nil {
		return err
	}
	if err := errors.Join(t.configure("[guard]\nwrite = \"session-worktree\"\n"), t.start()); err != nil {
		return err
	}
	if err := t.initialize(every...); err != nil {
		return err
	}
	for i := range 10 {
		if _, err := t.newSession(map[string]any{}); err != nil {
			return err
		}
		t.number[t.session], t.seen[t.session] = i, map[spot]bool{}
		for range 1 + t.random.IntN(spotsOfSession) {
			p := spot{sharedFile(t.random.IntN(sharedFiles)), 1 + linesOfSpot*t.random.IntN(spotsOfFile)}
			if !slices.Contains(t.spots[t.session], p) {
				t.spots[t.session] = append(t.spots[t.session], p)
			}
		}
		if err := t.play(fmt.Sprintf("task number %d", i), "reply.txt", t.script(t.session)); err != nil {
			return err
		}
	}
	return nil
}

func sharedFile(i int) string { return string(rune('a'+i)) + ".txt" }

func sharedText(path string) string {
	var b strings.Builder
	for line := range linesOfSpot * (spotsOfFile + 1) {
		fmt.Fprintln(&b, spot{path, line + 1})
	}
	return b.String()
}

// personWorks leaves every kind of uncommitted work in the checkout, also in a file that sessions change.
func (t *tenSessions) personWorks() error {
	t.own = map[string]string{"mine.txt": "edited\n", "staged.txt": "staged\n", "loose.txt": "loose\r\n"}
	for path, text := range t.own {
		if err := writeFile(filepath.Join(t.repo(), path), text); err != nil {
			return err
		}
	}
	if err := writeFile(filepath.Join(t.repo(), sharedFile(0)), sharedText(sharedFile(0))+"of the person\n"); err != nil {
		return err
	}
	_, err := t.git(t.repo(), "add", "staged.txt")
	return err
}

// line is what a session makes of a spot.
func (t *tenSessions) line(id string, p spot) string {
	return fmt.Sprintf("%v by %d\n", p, t.number[id])
}

// script has a session change its spots.
func (t *tenSessions) script(id string) string {
	var b strings.Builder
	for _, p := range t.spots[id] {
		edits := []map[string]string{{"old": p.String() + "\n", "new": t.line(id, p)}}
		fmt.Fprintf(&b, "call file-edit %s\n", object("path", p.path, "edits", edits))
	}
	return b.String() + "\nsay Done.\n"
}

// work runs all turns at once.
func (t *tenSessions) work() error {
	errs := make([]error, len(t.ids))
	var turns sync.WaitGroup
	for i, id := range t.ids {
		turns.Go(func() {
			_, errs[i] = t.call("session/prompt", object("session", id, "text", fmt.Sprintf("task number %d", i)))
		})
	}
	turns.Wait()
	return errors.Join(errs...)
}

func (t *tenSessions) landAll() error {
	left := slices.Clone(t.ids)
	for len(left) > 0 {
		if t.random.IntN(3) == 0 {
			if err := t.sync(left[t.random.IntN(len(left))]); err != nil {
				return err
			}
		}
		if t.random.IntN(4) == 0 {
			if _, err := t.git(t.repo(), "commit", "-q", "--allow-empty", "--only", "-m", "of the person"); err != nil {
				return err
			}
		}
		i := t.random.IntN(len(left))
		if err := t.land(left[i]); err != nil {
			return fmt.Errorf("session %d: %w", t.number[left[i]], err)
		}
		left = slices.Delete(left, i, i+1)
	}
	return nil
}

// land lands a session, after its conflicts are resolved where it has any, and closes it.
func (t *tenSessions) land(id string) error {
	strategy := []string{"squash", "merge", "rebase"}[t.random.IntN(3)]
	meets := t.meets(id)
	_, err := t.call("session/land", object("session", id, "strategy", strategy))
	if len(meets) > 0 {
		t.conflicts++
		if err := errors.Join(t.trueConflict(err, meets), t.sync(id)); err != nil {
			return err
		}
		_, err = t.call("session/land", object("session", id, "strategy", strategy))
	}
	if err != nil {
		return fmt.Errorf("land by %s: %w", strategy, err)
	}
	for _, p := range t.spots[id] {
		t.landed[p] = true
	}
	closed, err := t.call("session/close", object("session", id))
	if err == nil && !strings.Contains(string(closed), `"worktreeRemoved":true`) {
		err = fmt.Errorf("close: %s", closed)
	}
	return err
}

// meets are the spots of a session that others landed and that it did not bring in.
func (t *tenSessions) meets(id string) []spot {
	return slices.DeleteFunc(slices.Clone(t.spots[id]), func(p spot) bool { return !t.landed[p] || t.seen[id][p] })
}

// trueConflict compares the files that a refusal names with those that meet, and looks for a session's work in each place that it names.
func (t *tenSessions) trueConflict(err error, meets []spot) error {
	refused, ok := errors.AsType[*wireError](err)
	if !ok || refused.Code != -32013 {
		return fmt.Errorf("land: got %v, want a conflict at %v", err, meets)
	}
	var data struct {
		Conflicts []fileConflict `json:"conflicts"`
	}
	if err := json.Unmarshal(refused.Data, &data); err != nil {
		return err
	}
	got, want := map[string]bool{}, map[string]bool{}
	for _, p := range meets {
		want[p.path] = true
	}
	for _, c := range data.Conflicts {
		got[c.Path] = true
		if err := t.landedThere(c); err != nil {
			return err
		}
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("conflict names %v, want %v", got, want)
	}
	return nil
}

// fileConflict is what a refusal says of one file.
type fileConflict struct {
	Path  string `json:"path"`
	Lines []struct {
		First int `json:"first"`
		Count int `json:"count"`
	} `json:"lines"`
}

func (t *tenSessions) landedThere(c fileConflict) error {
	text, err := t.git(t.repo(), "show", "HEAD:"+c.Path)
	if err != nil {
		return err
	}
	lines := strings.Split(text, "\n")
	for _, at := range c.Lines {
		named := strings.Join(lines[at.First-1:at.First-1+at.Count], "\n")
		if !strings.Contains(named, " by ") {
			return fmt.Errorf("conflict names lines %d+%d of %s, which no session landed: %q", at.First, at.Count, c.Path, named)
		}
	}
	if len(c.Lines) == 0 {
		return fmt.Errorf("conflict in %s names no lines", c.Path)
	}
	return nil
}

// sync brings the branch into a session, and resolves what conflicts as a person would: both lines stay.
func (t *tenSessions) sync(id string) error {
	result, err := t.call("session/sync", object("session", id))
	if refused, ok := errors.AsType[*wireError](err); ok && strings.Contains(refused.Message, "nothing to bring in") {
		return nil
	}
	if err != nil {
		return fmt.Errorf("sync: %w", err)
	}
	var synced struct {
		Conflicts []fileConflict `json:"conflicts"`
	}
	if err := json.Unmarshal(result, &synced); err != nil {
		return err
	}
	if met := t.meets(id); (len(met) > 0) != (len(synced.Conflicts) > 0) {
		return fmt.Errorf("sync: got conflicts %v, want them at %v", synced.Conflicts, met)
	}
	t.seen[id] = maps.Clone(t.landed)
	for _, c := range synced.Conflicts {
		if err := t.resolve(filepath.Join(t.tree(id), c.Path)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tenSessions) resolve(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "<<<<<<<") && !strings.HasPrefix(line, "=======") && !strings.HasPrefix(line, ">>>>>>>") {
			kept.WriteString(line)
		}
	}
	return os.WriteFile(path, []byte(kept.String()), 0o644)
}

// history has each session's work once, nothing of ours, and is sound.
func (t *tenSessions) history() error {
	added, err := t.git(t.repo(), "log", "--first-parent", "-m", "-p", "--format=", "main")
	if err != nil {
		return err
	}
	for id, spots := range t.spots {
		for _, p := range spots {
			now, err := t.git(t.repo(), "show", "main:"+p.path)
			if err != nil {
				return err
			}
			line := t.line(id, p)
			got := [...]int{strings.Count(added, "\n+"+line), strings.Count(added, "\n-"+line), strings.Count("\n"+now, "\n"+line)}
			if want := [...]int{1, 0, 1}; got != want {
				return fmt.Errorf("%q: added, removed and there: got %v, want %v", line, got, want)
			}
		}
	}
	authors, err := t.git(t.repo(), "log", "--format=%ae%ce", "main")
	if err != nil || strings.ReplaceAll(authors, "ada@example.orgada@example.org\n", "") != "" {
		return fmt.Errorf("authors of the history: %v, %q", err, authors)
	}
	found, err := t.git(t.repo(), "fsck", "--strict", "--no-dangling")
	if err == nil && found != "" {
		err = fmt.Errorf("git fsck: %s", found)
	}
	return err
}

// personsFiles are as they were, and what is staged is.
func (t *tenSessions) personsFiles() error {
	for path, want := range t.own {
		got, err := os.ReadFile(filepath.Join(t.repo(), path))
		if err != nil || string(got) != want {
			return fmt.Errorf("the person's %s: got %q, %v, want %q", path, got, err, want)
		}
	}
	status, err := t.git(t.repo(), "status", "--porcelain")
	if want := " M a.txt\n M mine.txt\nA  staged.txt\n?? loose.txt\n"; err != nil || status != want {
		return fmt.Errorf("status of the checkout: got %q, %v, want %q", status, err, want)
	}
	diff, err := t.git(t.repo(), "diff", "--unified=0", "--", "a.txt")
	if err == nil && (strings.Count(diff, "\n@@") != 1 || !strings.HasSuffix(diff, "\n+of the person\n")) {
		err = fmt.Errorf("the person's edit of a.txt: got %q", diff)
	}
	return err
}
