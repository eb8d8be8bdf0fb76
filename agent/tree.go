package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// CarrySpec says what of the person's own state comes along into a new worktree.
type CarrySpec struct {
	// Uncommitted brings changes of tracked files, Untracked files that git neither knows nor ignores.
	Uncommitted, Untracked bool
	// Ignored are patterns of ignored files that are copied beside those of the configuration.
	Ignored []string
}

// carry fills in what the request leaves to the configuration.
func (a *Agent) carry(spec StartSpec) event.Carry {
	c := event.Carry{From: spec.Repo, Uncommitted: a.cfg.Worktrees.Carry, Untracked: a.cfg.Worktrees.Carry}
	c.Ignored = append(c.Ignored, a.cfg.Worktrees.CopyIgnored...)
	if spec.Carry != nil {
		c.Uncommitted, c.Untracked = spec.Carry.Uncommitted, spec.Carry.Untracked
		c.Ignored = append(c.Ignored, spec.Carry.Ignored...)
	}
	return c
}

// checkout is a new worktree until its files are there.
type checkout struct {
	where place
	spec  worktree.StartSpec
	begun worktree.Begun
	// lacks is what the worktree will lack of the person's state.
	lacks worktree.Counts
	// done is closed when the files are there, or when they will not be; err says why, and is read only then.
	done chan struct{}
	err  error
	stop context.CancelCauseFunc
}

// beginTree does all of making the planned worktree but for writing its files. Again makes a start good that was cut off before it was on record.
func (s *Session) beginTree(ctx context.Context, where place, again bool) (*checkout, error) {
	from := where.carry
	carries := (from.Uncommitted || from.Untracked) && !again
	c := &checkout{where: where, done: make(chan struct{}), stop: func(error) {}, spec: worktree.StartSpec{
		Session: s.id, Again: again, Carry: worktree.CarrySpec{From: from.From, Uncommitted: from.Uncommitted, Untracked: from.Untracked},
	}}
	var err error
	if !carries { // else carrying counts
		if c.lacks, err = where.repo.UncommittedAt(ctx, from.From); err != nil {
			return nil, fmt.Errorf("count uncommitted work: %w", err)
		}
	}
	if c.begun, err = where.repo.Begin(ctx, where.tree, c.spec); err != nil {
		return nil, errors.Join(err, s.noteAside(where, c.begun.Aside))
	}
	s.repo, s.tree = where.repo, where.tree
	if carries {
		c.lacks = c.begun.Carry.Left
	}
	return c, nil
}

// fillTree writes the files of the worktree and records it with the counts of what it lacks.
func (s *Session) fillTree(ctx context.Context, c *checkout) error {
	started, err := s.repo.Complete(ctx, s.tree, c.spec, c.begun)
	if err != nil {
		return errors.Join(err, s.noteAside(c.where, started.Aside))
	}
	kit, err := s.equipTree(ctx, c.where.carry)
	if err != nil {
		return err
	}
	made := event.WorktreeCreate{
		Worktree: event.Worktree(s.tree), Uncommitted: c.lacks.Uncommitted, Untracked: c.lacks.Untracked,
		Carried: started.Carry.Commit, IgnoredCopied: firstOf(kit.Copied),
	}
	payloads := append([]event.Payload{made}, leftOut(started.Carry.LeftOut, kit)...)
	passed, err := s.passedOver(ctx)
	if err != nil {
		return err
	}
	return errors.Join(s.record(append(payloads, passed...)...), s.noteAside(c.where, started.Aside))
}

// passedOver notes the programs that the repository's own configuration has git run, and ours does not, so that nobody wonders why its files look as they are stored.
func (s *Session) passedOver(ctx context.Context) ([]event.Payload, error) {
	programs, err := s.agent.git.Programs(ctx, s.repo.Root())
	if err != nil {
		return nil, fmt.Errorf("look for programs that the repository names: %w", err)
	}
	if len(programs) == 0 {
		return nil, nil
	}
	var list []string
	for _, p := range programs {
		list = append(list, fmt.Sprintf("%s = %q", p.Key, p.Command))
	}
	text := "the repository's own configuration names programs for git, which nodwyn's git does not run: " + strings.Join(firstOf(list), "; ") + ". Files that they would have changed are as git stores them. What your own configuration (git config --global) says is run"
	return []event.Payload{event.Note{Code: "git_programs", Text: text}}, nil
}

// makeTree makes the planned worktree and waits for its files.
func (s *Session) makeTree(ctx context.Context, where place, again bool) error {
	if where.repo == nil {
		return nil
	}
	c, err := s.beginTree(ctx, where, again)
	if err == nil {
		err = s.fillTree(ctx, c)
	}
	if err == nil {
		s.keepSpare()
	}
	return err
}

// openTree makes the planned worktree. The files of a large one are written beside whatever comes next, and a turn waits for them.
func (s *Session) openTree(ctx context.Context, where place) error {
	if where.repo == nil {
		return nil
	}
	c, err := s.beginTree(ctx, where, false)
	if err != nil {
		return err
	}
	if c.begun.Spare || where.repo.Small() {
		defer s.keepSpare()
		return s.fillTree(ctx, c)
	}
	s.checkout = c
	return nil
}

// checkOut writes the files of a large worktree. It is the last step of opening a session; when it fails, the session ends with the reason.
func (s *Session) checkOut(policy guard.Policy) {
	c := s.checkout
	if c == nil {
		return
	}
	ctx, stop := context.WithCancelCause(context.Background())
	c.stop = stop
	s.turns.Go(func() {
		defer stop(nil)
		err := s.fillTree(ctx, c)
		if err == nil {
			err = s.preread(ctx, policy)
		}
		c.err = err
		close(c.done)
		switch {
		case err == nil:
			s.tellReady()
			s.keepSpare()
		case ctx.Err() == nil:
			s.agent.later(func(context.Context) { s.giveUp(err) })
		}
	})
}

// giveUp ends a session whose worktree could not be made.
func (s *Session) giveUp(why error) {
	if !s.stop(why) {
		return
	}
	err := errors.Join(s.abandon(context.Background()), s.record(event.Note{Code: "start_failed", Text: why.Error()}), s.finishLog("error"))
	if err != nil {
		s.agent.cfg.Log.Warn("end session without a worktree", "session", s.id, "err", err)
	}
}

// checkingOut reports whether the files of the worktree are still being written.
func (s *Session) checkingOut() bool {
	if s.checkout == nil {
		return false
	}
	select {
	case <-s.checkout.done:
		return false
	default:
		return true
	}
}

// awaitTree waits until the files of the worktree are there.
func (s *Session) awaitTree(ctx context.Context) error {
	c := s.checkout
	if c == nil {
		return nil
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if c.err != nil {
		return fmt.Errorf("the files of the worktree could not be checked out: %w", c.err)
	}
	return nil
}

// Opening says what a worktree will lack and hold of the person's state while its files are being written; false when they are there.
func (s *Session) Opening() (lacks worktree.Counts, carried string, opening bool) {
	if s.checkout == nil || s.State().WorktreeMade {
		return worktree.Counts{}, "", false
	}
	return s.checkout.lacks, s.checkout.begun.Carry.Commit, true
}

// keepSpare keeps a worktree ready for the next session of the repository, where the person wants one.
func (s *Session) keepSpare() {
	if !s.agent.cfg.Worktrees.Spare || s.repo == nil {
		return
	}
	repo, base := s.repo, s.tree.BaseCommit
	s.agent.later(func(ctx context.Context) {
		if err := repo.EnsureSpare(ctx, s.agent.cfg.WorktreeRoot, base); err != nil && ctx.Err() == nil {
			s.agent.cfg.Log.Warn("keep a spare worktree", "repository", repo.Root(), "err", err)
		}
	})
}

// tellReady says once that the files are there.
func (s *Session) tellReady() {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.status
	st.Ready = true
	for sub := range s.subs {
		sub.statusLocked(st)
	}
}

// maxListed bounds the paths of one record.
const maxListed = 100

func firstOf(paths []string) []string { return paths[:min(len(paths), maxListed)] }

// equipTree gives the worktree what no commit holds, whenever it was made.
func (s *Session) equipTree(ctx context.Context, from event.Carry) (worktree.Equipment, error) {
	kit, err := s.repo.Equip(ctx, s.tree, worktree.EquipSpec{From: from.From, Ignored: from.Ignored, Submodules: true})
	if err != nil {
		return kit, fmt.Errorf("equip worktree %s: %w", s.tree.Path, err)
	}
	return kit, nil
}

// leftOut notes what the worktree was to get and does not have.
func leftOut(carry []string, kit worktree.Equipment) []event.Payload {
	why := append([]string{}, carry...)
	for _, l := range kit.LeftOut {
		why = append(why, fmt.Sprintf("%q: %s", l.Path, l.Why))
	}
	if kit.MoreLeftOut > 0 {
		why = append(why, fmt.Sprintf("and %d more ignored files", kit.MoreLeftOut))
	}
	for _, l := range kit.Empty {
		why = append(why, fmt.Sprintf("submodule %q: %s", l.Path, l.Why))
	}
	if kit.Hooks != "" {
		why = append(why, fmt.Sprintf("%q, the folder of the person's git hooks, which commits made here pass over", kit.Hooks))
	}
	if len(why) == 0 {
		return nil
	}
	return []event.Payload{event.Note{Code: "worktree_lacks", Text: "the worktree does not have: " + strings.Join(why, "; ")}}
}

// include copies the ignored files that the repository itself names, once for each worktree that was made, if the person trusts what it names: they may hold what an agent should not see.
func (t *Turn) include(ctx context.Context) error {
	s := t.s
	if s.repo == nil || s.included {
		return nil
	}
	from := s.State().Carry.From
	text, err := s.repo.IncludePatterns(ctx, from)
	if err != nil {
		return fmt.Errorf("read %s: %w", worktree.IncludeFile, err)
	}
	s.included = true
	if strings.TrimSpace(text) == "" {
		return nil
	}
	trusted, err := s.guard.ForCall(t.n, "").Trusted(ctx, worktree.IncludeFile, []byte(text))
	if err != nil || !trusted {
		return err
	}
	kit, err := s.equipTree(ctx, event.Carry{From: from, Ignored: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")})
	if err != nil {
		return err
	}
	payloads := leftOut(nil, kit)
	if len(kit.Copied) > 0 {
		payloads = append(payloads, event.Note{Code: "ignored_copied", Text: "copied into the worktree, as " + worktree.IncludeFile + " says: " + strings.Join(firstOf(kit.Copied), ", ")})
	}
	if len(payloads) == 0 {
		return nil
	}
	return s.record(payloads...)
}

// restoreTree makes a missing worktree again, and one that was planned but never made.
func (s *Session) restoreTree(ctx context.Context, where place, before view.State) (bool, error) {
	if where.repo == nil {
		return false, nil
	}
	if !before.WorktreeMade {
		return false, s.makeTree(ctx, where, true)
	}
	s.repo, s.tree = where.repo, where.tree
	if where.repo.Present(where.tree) {
		s.included = true
		return false, nil
	}
	aside, err := where.repo.Restore(ctx, where.tree, s.id, before.Tip())
	if err != nil {
		return false, errors.Join(err, s.noteAside(where, aside))
	}
	kit, err := s.equipTree(ctx, where.carry)
	if err != nil {
		return false, errors.Join(err, s.noteAside(where, aside))
	}
	made := event.WorktreeRestore{Worktree: event.Worktree(where.tree), IgnoredCopied: firstOf(kit.Copied)}
	payloads := append([]event.Payload{made}, leftOut(nil, kit)...)
	return true, errors.Join(s.record(payloads...), s.noteAside(where, aside))
}

// noteAside says where that went which stood in the worktree's place.
func (s *Session) noteAside(where place, aside string) error {
	if aside == "" {
		return nil
	}
	text := fmt.Sprintf("something at %s was not what the session left there; it was moved to %s, and nothing of it was used", where.tree.Path, aside)
	return s.record(event.Note{Code: "worktree_set_aside", Text: text})
}
