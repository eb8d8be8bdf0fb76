package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// runsVariable is the environment variable that asks for more runs of the property test.
const runsVariable = "NODWYN_LANDING_RUNS"

// A person's checkout and a session's tree are changed at random, the session lands in a random way, and the process dies at a random call. Whatever happens, the person's checkout is what it was, or that with the landing in it, and no byte of theirs is lost.
func TestLandingLosesNothing(t *testing.T) {
	const rounds, usual = 5, 200
	runs := usual
	if text := os.Getenv(runsVariable); text != "" {
		n, err := strconv.Atoi(text)
		noError(t, err)
		runs = n
	}
	var seen tally
	t.Run("worlds", func(t *testing.T) {
		for seed := range (runs + rounds - 1) / rounds {
			t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, uint64(seed), &seen)
				for round := 0; round < rounds && !t.Failed(); round++ {
					w.round(round + 1)
				}
			})
		}
	})
	t.Logf("landed %d, of them %d beside edits of the same files; refused %d; died %d, of them %d with the landing there; taken back %d", seen.landed.Load(), seen.beside.Load(), seen.refused.Load(), seen.died.Load(), seen.there.Load(), seen.undone.Load())
	if runs >= usual && (int(seen.landed.Load()) < runs/4 || int(seen.beside.Load()) < runs/20 || int(seen.died.Load()) < runs/10 || int(seen.undone.Load()) < runs/40) {
		t.Error("the runs do not reach what they are to test")
	}
}

type tally struct{ landed, beside, refused, died, there, undone atomic.Int64 }

// world is one repository with its model.
type world struct {
	*lab
	rand *rand.Rand
	seen *tally
	r    *Repository
	id   Identity
	// head, index and files are the person's checkout.
	head, index, files modelTree
	// base is what the session counts from, made is what it has.
	base, made modelTree
	landings   []Landing
	previous   string
	words      int
	// bases are the commits that the session ever counted from.
	bases map[string]modelTree
	// moved are the person's renames, which git follows.
	moved map[string]string
}

const linesOfFile = 14

func newWorld(t *testing.T, seed uint64, seen *tally) *world {
	w := &world{lab: newLab(t), rand: rand.New(rand.NewPCG(seed, 7)), seen: seen}
	for i := range 5 {
		w.write(w.repo, fmt.Sprintf("in/f%d", i), w.text())
	}
	w.commit("files")
	w.r = w.open(w.repo)
	w.id = w.create(w.r, "s1")
	w.head = w.folderTree(w.repo)
	w.index, w.files, w.base, w.made = w.head.clone(), w.head.clone(), w.head.clone(), w.head.clone()
	w.previous, w.moved = w.id.BaseCommit, make(map[string]string)
	w.bases = map[string]modelTree{w.id.BaseCommit: w.base}
	return w
}

func (w *world) word() string {
	w.words++
	return fmt.Sprintf("word %d", w.words)
}

func (w *world) text() string {
	var text strings.Builder
	for range linesOfFile {
		text.WriteString(w.word() + "\n")
	}
	return text.String()
}

// edited changes one line, or the mode.
func (w *world) edited(f *modelFile) *modelFile {
	if w.rand.IntN(8) == 0 {
		return &modelFile{exec: !f.exec, text: f.text}
	}
	lines := strings.SplitAfter(f.text, "\n")
	at := w.rand.IntN(len(lines) - 1)
	lines[at] = w.word() + "\n"
	return &modelFile{exec: f.exec, text: strings.Join(lines, "")}
}

// any picks one of the files that git is to know.
func (w *world) any(t modelTree) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(t)), func(name string) bool {
		return name == ".gitignore" || strings.HasSuffix(name, ".log")
	})
	return names[w.rand.IntN(len(names))]
}

// personWorks changes the checkout, staged or not.
func (w *world) personWorks() {
	for range w.rand.IntN(5) {
		name := w.any(w.files)
		tracked := w.index[name] != nil
		switch w.rand.IntN(13) {
		case 0, 1, 2, 3, 4:
			w.save(name, w.edited(w.files[name]))
		case 5, 6, 7, 8:
			w.save(name, w.edited(w.files[name]))
			w.stage(name)
		case 9:
			w.save(fmt.Sprintf("mine%d", w.rand.IntN(3)), &modelFile{text: w.text()})
		case 10:
			w.save(fmt.Sprintf("n%d.log", w.rand.IntN(3)), &modelFile{text: w.word()})
		case 11:
			w.save(name, nil)
			if tracked && w.rand.IntN(2) == 0 {
				w.stage(name)
			}
		case 12:
			to := fmt.Sprintf("in/moved%d", w.words)
			if !tracked || w.files[name] == nil {
				continue
			}
			w.words++
			w.save(to, w.files[name])
			w.save(name, nil)
			w.stage(name)
			w.stage(to)
			w.moved[name] = to
		}
	}
}

func (w *world) save(name string, f *modelFile) {
	w.writeFile(w.repo, name, f)
	w.files.put(name, f)
}

func (w *world) stage(name string) {
	w.run(w.repo, "add", "-A", "--", name)
	w.index.put(name, w.files[name])
}

// sessionWorks changes the session's tree and takes a checkpoint.
func (w *world) sessionWorks(turn int) TurnCommit {
	for range 1 + w.rand.IntN(4) {
		name := w.any(w.made)
		// Half of the time where the person is at work.
		if busy := w.parted(); len(busy) > 0 && w.rand.IntN(2) == 0 {
			name = busy[w.rand.IntN(len(busy))]
		}
		switch w.rand.IntN(12) {
		case 0:
			w.make(fmt.Sprintf("new%d", w.rand.IntN(4)), &modelFile{text: w.text()})
		case 1:
			w.make(name, nil)
		case 2:
			// What is untracked at the person's may be in the way.
			w.make(fmt.Sprintf("mine%d", w.rand.IntN(3)), &modelFile{text: w.text()})
		default:
			w.make(name, w.edited(w.made[name]))
		}
	}
	point, err := w.r.Checkpoint(w.t.Context(), w.id, CheckpointSpec{Session: "s1", Turn: turn, Previous: w.previous, Subject: "x"})
	noError(w.t, err)
	if point != nil {
		w.previous = point.Commit
	}
	return TurnCommit{w.previous, fmt.Sprint("turn ", turn)}
}

// parted are the files that both have and the person changed.
func (w *world) parted() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.made)), func(name string) bool {
		gone := w.files[name] == nil || w.index[name] == nil || w.head[name] == nil
		return gone || same(w.files[name], w.head[name]) && same(w.index[name], w.head[name])
	})
}

func (w *world) make(name string, f *modelFile) {
	w.writeFile(w.id.Path, name, f)
	w.made.put(name, f)
}

// round lets everybody work and the session land.
func (w *world) round(turn int) {
	w.personWorks()
	step := w.sessionWorks(turn)
	strategy := strategies[w.rand.IntN(len(strategies))]
	spec := LandSpec{Strategy: strategy, Landings: w.landings, Tip: step.Commit, Turns: []TurnCommit{step}}
	if strategy == Branch {
		spec.Into = fmt.Sprint("topic", turn)
	}
	what := fmt.Sprintf("round %d, %s", turn, strategy)
	before := w.now()
	landing, err := w.r.Prepare(w.t.Context(), w.id, spec)
	landed := err == nil
	if landed {
		landing.Files = nil
		landed, err = w.end(landing, func(ctx context.Context, r *Repository) error { return r.Apply(ctx, landing) })
	}
	w.judge(what, before, landing, landed, err, strategy)
	if landed {
		from := w.base
		w.landings = append(w.landings, landing)
		w.base = w.made.clone()
		w.bases[landing.Base] = w.base.clone()
		w.checkCounts(what)
		if w.rand.IntN(3) == 0 {
			w.undo(what, before, from, landing)
		}
	}
	w.settleRound()
}

// end runs do and lets its process die at a random call, and that of the recovery, too.
func (w *world) end(landing Landing, do func(context.Context, *Repository) error) (landed bool, err error) {
	ctx := w.t.Context()
	// About half of them live to the end.
	survived, err := w.die(w.r, w.rand, 1+w.rand.IntN(60), w.rand.IntN(3) == 0, func(r *Repository) error { return do(ctx, r) })
	if !survived {
		w.seen.died.Add(1)
		if w.rand.IntN(3) == 0 {
			_, _ = w.die(w.r, w.rand, 1+w.rand.IntN(12), w.rand.IntN(2) == 0, func(r *Repository) error {
				_, err := r.Recover(ctx, w.id, landing)
				return err
			})
		}
		w.r = w.again(w.r)
	}
	landed, failed := w.r.Recover(ctx, w.id, landing)
	noError(w.t, failed)
	if !survived && landed {
		w.seen.there.Add(1)
	}
	return landed, err
}

// moment is the person's checkout at one time.
type moment struct{ head, index, files modelTree }

func (w *world) now() moment { return moment{w.head.clone(), w.index.clone(), w.files.clone()} }

// judge compares the checkout with what the model says that it is after a landing or none.
func (w *world) judge(what string, before moment, landing Landing, landed bool, err error, strategy Strategy) {
	conflict, _ := errors.AsType[*ConflictError](err)
	refused, _ := errors.AsType[*RefusedError](err)
	if err != nil && conflict == nil && refused == nil {
		w.t.Fatalf("%s: %v", what, err)
	}
	if !landed {
		w.compare(what+": not landed", before)
		w.justified(what, before, strategy, conflict, refused)
		return
	}
	w.seen.landed.Add(1)
	after, met := w.expected(before, strategy)
	if len(met) > 0 {
		w.t.Errorf("%s: landed over %q", what, met)
	}
	for name, f := range before.files {
		if after.files[name] != nil && !same(after.files[name], f) && (!same(f, before.head[name]) || !same(f, before.index[name])) {
			w.seen.beside.Add(1)
			break
		}
	}
	w.head, w.index, w.files = after.head, after.index, after.files
	w.compare(what+": landed", after)
}

// expected is the model's landing.
func (w *world) expected(before moment, strategy Strategy) (after moment, met []string) {
	switch strategy {
	case Branch:
		return before, nil
	case Patch:
		base, made := w.followed(before.files)
		after.head, after.index = before.head, before.index
		after.files, met = merged(base, before.files, made)
		return after, met
	}
	base, made := w.followed(before.head)
	next, met := merged(base, before.head, made)
	after.head = next
	var more []string
	after.index, more = merged(before.head, before.index, next)
	met = append(met, more...)
	after.files, more = merged(before.head, before.files, next)
	return after, append(met, more...)
}

// followed gives the session's files the names that they have at the person's.
func (w *world) followed(theirs modelTree) (base, made modelTree) {
	base, made = w.base.clone(), w.made.clone()
	for range len(w.moved) { // a file may have moved several times
		for from, to := range w.moved {
			if base[from] == nil || made[from] == nil || theirs[from] != nil {
				continue
			}
			base.put(to, base[from])
			made.put(to, made[from])
			base.put(from, nil)
			made.put(from, nil)
		}
	}
	return base, made
}

// justified looks for a reason for a refusal: a path that both sides changed, or nothing to land.
func (w *world) justified(what string, before moment, strategy Strategy, conflict *ConflictError, refused *RefusedError) {
	if conflict == nil && refused == nil {
		return // it died before
	}
	w.seen.refused.Add(1)
	if refused != nil && refused.Reason == NothingToLand {
		return
	}
	if refused != nil {
		w.t.Errorf("%s: %v", what, refused)
		return
	}
	for _, c := range conflict.Conflicts {
		name := c.Path
		touched := !same(w.base[name], w.made[name])
		theirs := !same(before.head[name], w.base[name]) || !same(before.index[name], before.head[name]) || !same(before.files[name], before.head[name])
		for from, to := range w.moved { // a conflict about a rename may be named by either name
			touched = touched || from == name || to == name
		}
		if !touched && strategy != Patch || !theirs {
			w.t.Errorf("%s: %v, though nobody else changed %q", what, conflict, name)
		}
	}
}

func (w *world) compare(what string, want moment) {
	w.t.Helper()
	got := w.folderTree(w.repo)
	check(w.t, what+": files", got.String(), want.files.String())
	check(w.t, what+": index", w.run(w.repo, "ls-files", "-s"), want.index.entries())
	check(w.t, what+": commit", w.run(w.repo, "ls-tree", "-r", "--format=%(objectmode) %(objectname) 0%x09%(path)", "main"), want.head.entries())
	for _, left := range [...]string{"index.lock", journalName} {
		if _, err := os.Lstat(filepath.Join(w.repo, ".git", left)); err == nil {
			w.t.Errorf("%s: %s is left", what, left)
		}
	}
}

// checkCounts makes sure that the next landing carries only what is new.
func (w *world) checkCounts(what string) {
	base, err := w.r.CountsFrom(w.t.Context(), w.id, w.landings)
	noError(w.t, err)
	check(w.t, what+": counts from", w.run(w.repo, "ls-tree", "-r", "--format=%(objectmode) %(objectname) 0%x09%(path)", base), w.base.entries())
}

// undo takes the landing back; the checkout is then as before.
func (w *world) undo(what string, before moment, from modelTree, landing Landing) {
	there, err := w.end(landing, func(ctx context.Context, r *Repository) error { return r.Unland(ctx, w.id, landing) })
	if err != nil {
		w.t.Errorf("%s: taken back: %v", what, err)
	}
	if there {
		w.compare(what+": not taken back", w.now())
		return
	}
	w.seen.undone.Add(1)
	w.landings, w.base = w.landings[:len(w.landings)-1], from
	w.head, w.index, w.files = before.head, before.index, before.files
	w.compare(what+": taken back", before)
}

// settleRound brings everybody to a common state, so that not every round meets the same conflict: the session goes back to what it counts from, and now and then the person commits.
func (w *world) settleRound() {
	if w.t.Failed() {
		return
	}
	if w.rand.IntN(2) == 0 {
		w.personCommits()
	}
	for name := range w.made {
		if w.base[name] == nil {
			w.make(name, nil)
		}
	}
	for name, f := range w.base {
		if !same(f, w.made[name]) {
			w.make(name, f)
		}
	}
}

func (w *world) personCommits() {
	w.run(w.repo, "add", "-A")
	w.run(w.repo, "commit", "-q", "--allow-empty", "-m", "by the person")
	for name, f := range w.files {
		if strings.HasSuffix(name, ".log") {
			continue
		}
		w.index.put(name, f)
	}
	for name := range w.index {
		if w.files[name] == nil {
			delete(w.index, name)
		}
	}
	w.head = w.index.clone()
	base, err := w.r.CountsFrom(w.t.Context(), w.id, w.landings)
	noError(w.t, err)
	// What the person commits may take a landing back as a whole.
	w.base = w.bases[base].clone()
}
