package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// LandSpec says how a session's work goes into a branch of the person's.
type LandSpec struct {
	// Strategy is "squash" (also when empty) or "merge".
	Strategy string
	// Into is the target branch; empty is the one the session started from.
	Into string
	// Message is the commit's message; empty has the side model propose one, or makes one of what was asked.
	Message string
	// Preview computes everything and moves nothing.
	Preview bool
	// Actor is who asked for it.
	Actor string
}

// Land computes the landing and, unless it is a preview, records it, moves the target and records the outcome. A landing that fails leaves everything as it was.
func (s *Session) Land(ctx context.Context, spec LandSpec) (worktree.Landing, error) {
	if err := s.hold(); err != nil {
		return worktree.Landing{}, fmt.Errorf("land session %s: %w", s.id, err)
	}
	defer s.letGo()
	if s.repo == nil {
		return worktree.Landing{}, fmt.Errorf("land session %s: %w", s.id, ErrNoWorktree)
	}
	if !spec.Preview {
		if err := s.checkLanding(ctx); err != nil {
			return worktree.Landing{}, err
		}
	}
	message, err := s.askMessage(ctx, spec)
	if err != nil {
		return worktree.Landing{}, err
	}
	spec.Message = message
	if spec.Preview {
		return s.agent.PreviewLanding(ctx, s.id, spec)
	}
	// One landing at a time: the second of two at once would meet a target that moved.
	select {
	case s.agent.landings <- struct{}{}:
		defer func() { <-s.agent.landings }()
	case <-ctx.Done():
		return worktree.Landing{}, context.Cause(ctx)
	}
	l, err := s.prepare(ctx, spec)
	if err != nil {
		return l, err
	}
	record := event.WorktreeLand{
		Strategy: string(l.Strategy), Into: l.Into, Previous: l.Previous, Commit: l.Commit, Base: l.Base, Actor: spec.Actor,
	}
	if err := s.record(record); err != nil {
		return worktree.Landing{}, err
	}
	// From here on the landing is finished whatever becomes of the request: a half-known landing helps nobody.
	after := context.WithoutCancel(ctx)
	failed := s.repo.Apply(after, l)
	ok := failed == nil
	record.OK, record.Conflicts = &ok, conflictPaths(failed)
	if err := s.record(record); err != nil {
		return worktree.Landing{}, errors.Join(failed, err)
	}
	return l, failed
}

// checkLanding runs the project's items for a landing, as part of the last turn.
func (s *Session) checkLanding(ctx context.Context) error {
	ctx, done := s.cancellable(ctx)
	defer done()
	failures, err := (&Turn{s: s, n: max(s.State().Turn, 1)}).closeout(ctx, "land")
	if err != nil {
		return fmt.Errorf("check the landing of session %s: %w", s.id, err)
	}
	if ctx.Err() != nil {
		return fmt.Errorf("check the landing of session %s: %w", s.id, context.Cause(ctx))
	}
	if len(failures) > 0 {
		return &ChecksError{Failed: names(failures)}
	}
	return nil
}

// hold keeps turns, landings and changes of mode away until letGo.
func (s *Session) hold() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return ErrClosed
	case s.turn != nil, s.held:
		return ErrBusy
	}
	s.held, s.freed = true, make(chan struct{})
	return nil
}

func (s *Session) letGo() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	close(s.freed)
	s.nextLocked()
}

// prepare takes a snapshot of the worktree as it is now, so that the person's own edits there land too, and computes the commit.
func (s *Session) prepare(ctx context.Context, spec LandSpec) (worktree.Landing, error) {
	if err := s.checkpoint(ctx, max(s.State().Turn, 1)); err != nil {
		return worktree.Landing{}, err
	}
	st := s.State()
	return s.repo.Prepare(ctx, s.tree, landing(st, st.Tip(), spec))
}

// PreviewLanding computes what a landing would be. It records nothing and moves nothing, also in a session that is closed or open elsewhere.
func (a *Agent) PreviewLanding(ctx context.Context, session string, spec LandSpec) (worktree.Landing, error) {
	st, err := a.State(session)
	if err != nil {
		return worktree.Landing{}, err
	}
	if st.Config.Worktree == nil {
		return worktree.Landing{}, fmt.Errorf("preview the landing of session %s: %w", session, ErrNoWorktree)
	}
	id := worktree.Identity(*st.Config.Worktree)
	repo, err := a.repository(ctx, id.Repository)
	if err != nil {
		return worktree.Landing{}, err
	}
	tip := st.Tip()
	if !st.WorktreeRemoved && repo.Present(id) {
		if tip, err = repo.Tree(ctx, id); err != nil {
			return worktree.Landing{}, err
		}
	}
	return repo.Prepare(ctx, id, landing(st, tip, spec))
}

// landing fills in what a spec leaves open.
func landing(st view.State, tip string, spec LandSpec) worktree.LandSpec {
	if spec.Strategy == "" {
		spec.Strategy = "squash"
	}
	if spec.Message == "" {
		spec.Message = landingMessage(st)
	}
	return worktree.LandSpec{
		Strategy: worktree.Strategy(spec.Strategy), Into: spec.Into, Message: spec.Message, Landings: landings(st), Tip: tip, Turns: turnCommits(st),
	}
}

// landings lists the session's landings as the worktree judges them: what became of them since is not in the log.
func landings(st view.State) []worktree.Landing {
	var done []worktree.Landing
	for _, l := range st.Landings {
		done = append(done, worktree.Landing{Into: l.Into, Previous: l.Previous, Commit: l.Commit, Base: l.Base})
	}
	return done
}

// turnCommits lists the newest snapshot of each turn since the last landing.
func turnCommits(st view.State) []worktree.TurnCommit {
	var turns []worktree.TurnCommit
	last := 0
	for _, c := range st.Checkpoints {
		if len(turns) > 0 && last == c.Turn { // taken again after the turn
			turns[len(turns)-1].Commit = c.Commit
			continue
		}
		last = c.Turn
		turns = append(turns, worktree.TurnCommit{Commit: c.Commit, Subject: subject(st.Ask(c.Turn))})
	}
	return turns
}

// asksToLand are the first lines of what was asked since the last landing.
func asksToLand(st view.State) []string {
	var asks []string
	for _, c := range turnCommits(st) {
		asks = append(asks, c.Subject)
	}
	return asks
}

// landingMessage makes a commit message of the title and of what was asked since the last landing.
func landingMessage(st view.State) string {
	asks := asksToLand(st)
	head := st.Title
	if head == "" && len(asks) > 0 {
		head = asks[0]
	}
	if head == "" { // a landing that was undone lands again, with nothing asked since
		head = st.FirstAsk
	}
	if len(asks) < 2 {
		return subject(head) + "\n"
	}
	return subject(head) + "\n\n- " + strings.Join(asks, "\n- ") + "\n"
}

func conflictPaths(err error) []string {
	var conflict *worktree.ConflictError
	if !errors.As(err, &conflict) {
		return nil
	}
	var paths []string
	for _, c := range conflict.Conflicts {
		paths = append(paths, c.Path)
	}
	return paths
}

// leaveTree removes the worktree when nothing in it would be lost, or moves its branch to the newest snapshot so that nothing lives in hidden refs alone.
func (s *Session) leaveTree(ctx context.Context, discard bool) (Closed, error) {
	if s.repo == nil {
		return Closed{}, nil
	}
	if !s.repo.Present(s.tree) {
		return s.leaveLost(ctx)
	}
	if err := s.checkpoint(ctx, max(s.State().Turn, 1)); err != nil {
		return Closed{}, err
	}
	st := s.State()
	removed, unlanded, err := s.repo.Remove(ctx, s.tree, worktree.RemoveSpec{Session: s.id, Landings: landings(st), Tip: st.Tip(), Discard: discard})
	if err != nil {
		return Closed{Unlanded: unlanded}, fmt.Errorf("remove worktree %s: %w", s.tree.Path, err)
	}
	if removed {
		return Closed{WorktreeRemoved: true}, s.record(event.WorktreeRemove{Worktree: event.Worktree(s.tree)})
	}
	if err := s.repo.Settle(ctx, s.tree, st.Tip()); err != nil {
		return Closed{Unlanded: unlanded}, fmt.Errorf("keep unlanded work on %s: %w", s.tree.Branch, err)
	}
	return Closed{Unlanded: unlanded}, nil
}

// leaveLost leaves a worktree that is not there, or not what it should be, as it is, and says what would be lost with it. A resume restores it.
func (s *Session) leaveLost(ctx context.Context) (Closed, error) {
	st := s.State()
	if st.WorktreeRemoved {
		return Closed{}, nil
	}
	unlanded, err := s.repo.Unlanded(ctx, s.tree, st.Tip(), landings(st))
	var refused *worktree.RefusedError
	if errors.As(err, &refused) {
		return Closed{}, s.record(event.Note{Code: "worktree_kept", Text: refused.Message})
	}
	return Closed{Unlanded: unlanded}, err
}
