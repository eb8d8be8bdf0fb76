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
	// Strategy is "squash" (also when empty), "merge", "rebase", "patch" or "branch".
	Strategy string
	// Into is the target branch; empty is the one the session started from.
	Into string
	// Message is the commit's message; empty has the side model propose one, or makes one of what was asked.
	Message string
	// Paths are the files and folders that land, Hunks the ids of the hunks that land; both empty is everything.
	Paths, Hunks []string
	// Preview computes everything and moves nothing.
	Preview bool
	// Actor is who asked for it.
	Actor string
}

// Landed is a landing that happened, or the preview of one.
type Landed struct {
	worktree.Landing
	// Push says what became of the push; nil for strategies that have none.
	Push *Pushed
}

// UnresolvedError says that a sync left conflicts which nobody resolved.
type UnresolvedError struct{ Paths []string }

func (e *UnresolvedError) Error() string {
	return "not landed: conflict markers of a sync are left in " + strings.Join(e.Paths, ", ") + "; resolve them in the session, by a request or by hand in its worktree, or undo the sync, then land again"
}

// Land computes the landing and, unless it is a preview, records it, moves the target and records the outcome. A landing that fails leaves everything as it was.
func (s *Session) Land(ctx context.Context, spec LandSpec) (Landed, error) {
	if err := s.hold(); err != nil {
		return Landed{}, fmt.Errorf("land session %s: %w", s.id, err)
	}
	defer s.letGo()
	if s.repo == nil {
		return Landed{}, fmt.Errorf("land session %s: %w", s.id, ErrNoWorktree)
	}
	if !spec.Preview {
		if err := s.checkLanding(ctx); err != nil {
			return Landed{}, err
		}
	}
	message, err := s.askMessage(ctx, spec)
	if err != nil {
		return Landed{}, err
	}
	spec.Message = message
	if spec.Preview {
		return s.agent.PreviewLanding(ctx, s.id, spec)
	}
	l, err := s.land(ctx, spec)
	if err != nil {
		return Landed{}, err
	}
	s.meetLater()
	landed := Landed{Landing: l}
	if l.Strategy == worktree.Branch {
		landed.Push = s.push(ctx, l.Into)
	}
	return landed, nil
}

// land moves the target, one landing at a time: the second of two at once would meet a target that moved.
func (s *Session) land(ctx context.Context, spec LandSpec) (worktree.Landing, error) {
	done, err := s.agent.inTurn(ctx)
	if err != nil {
		return worktree.Landing{}, err
	}
	defer done()
	l, err := s.landOnce(ctx, spec)
	if targetMoved(err) { // between looking and moving, by another program
		l, err = s.landOnce(ctx, spec)
	}
	return l, err
}

func targetMoved(err error) bool {
	conflict, ok := errors.AsType[*worktree.ConflictError](err)
	return ok && conflict.Conflicts[0].Kind == "moved"
}

func (s *Session) landOnce(ctx context.Context, spec LandSpec) (worktree.Landing, error) {
	l, err := s.prepare(ctx, spec)
	if err != nil {
		return l, err
	}
	record := event.WorktreeLand{
		Strategy: string(l.Strategy), Into: l.Into, Previous: l.Previous, Commit: l.Commit, Base: l.Base,
		Paths: spec.Paths, Hunks: spec.Hunks, Actor: spec.Actor,
	}
	// From here on the landing is finished whatever becomes of the request: a half-known landing helps nobody.
	after := context.WithoutCancel(ctx)
	return l, s.recorded(record, func() error { return s.repo.Apply(after, l) })
}

// inTurn waits until no other landing is under way.
func (a *Agent) inTurn(ctx context.Context) (done func(), err error) {
	select {
	case a.landings <- struct{}{}:
		return func() { <-a.landings }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// recorded runs what moves a target between the record of the plan and that of the outcome.
func (s *Session) recorded(record event.WorktreeLand, move func() error) error {
	if err := s.record(record); err != nil {
		return err
	}
	failed := move()
	ok := failed == nil
	record.OK, record.Conflicts = &ok, conflictPaths(failed)
	return errors.Join(failed, s.record(record))
}

// Unland takes the last landing back, if nobody built on it.
func (s *Session) Unland(ctx context.Context, actor string) (worktree.Landing, error) {
	if err := s.hold(); err != nil {
		return worktree.Landing{}, fmt.Errorf("take the landing of session %s back: %w", s.id, err)
	}
	defer s.letGo()
	if s.repo == nil {
		return worktree.Landing{}, fmt.Errorf("take the landing of session %s back: %w", s.id, ErrNoWorktree)
	}
	st := s.State()
	last, ok := st.LastLanding()
	if !ok {
		reason := "nothing of it has landed"
		if _, synced := st.LastSync(); synced {
			reason = "its worktree was synced since it landed; undo that first"
		}
		return worktree.Landing{}, &worktree.RefusedError{Reason: worktree.NothingToUnland, Message: fmt.Sprintf("take the landing of session %s back: %s", s.id, reason)}
	}
	done, err := s.agent.inTurn(ctx)
	if err != nil {
		return worktree.Landing{}, err
	}
	defer done()
	record := last
	record.OK, record.Undo, record.Actor = nil, true, actor
	l := landingOf(last)
	after := context.WithoutCancel(ctx)
	if err := s.recorded(record, func() error { return s.repo.Unland(after, s.tree, l) }); err != nil {
		return worktree.Landing{}, err
	}
	s.meetLater()
	return l, nil
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
	case s.checkout != nil && !s.state.WorktreeMade:
		return ErrOpening
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
	if err := unresolved(ctx, s.repo, s.tree, st, ""); err != nil {
		return worktree.Landing{}, err
	}
	return s.repo.Prepare(ctx, s.tree, landing(st, st.Tip(), spec))
}

// unresolved refuses to land what a sync left marked. An empty revision is the tree as it is now.
func unresolved(ctx context.Context, repo *worktree.Repository, id worktree.Identity, st view.State, revision string) error {
	if len(st.Conflicts) == 0 {
		return nil
	}
	paths, err := repo.Unresolved(ctx, id, revision, st.Conflicts)
	if err != nil {
		return fmt.Errorf("look for conflict markers: %w", err)
	}
	if len(paths) > 0 {
		return &UnresolvedError{Paths: paths}
	}
	return nil
}

// PreviewLanding computes what a landing would be, and whether the checkout would take it now. It records nothing and moves nothing, also in a session that is closed or open elsewhere.
func (a *Agent) PreviewLanding(ctx context.Context, session string, spec LandSpec) (Landed, error) {
	st, err := a.State(session)
	if err != nil {
		return Landed{}, err
	}
	if st.Config.Worktree == nil {
		return Landed{}, fmt.Errorf("preview the landing of session %s: %w", session, ErrNoWorktree)
	}
	id := worktree.Identity(*st.Config.Worktree)
	repo, err := a.repository(ctx, id.Repository)
	if err != nil {
		return Landed{}, err
	}
	tip, err := treeNow(ctx, repo, st)
	if err == nil {
		err = unresolved(ctx, repo, id, st, tip)
	}
	if err != nil {
		return Landed{}, err
	}
	plan := landing(st, tip, spec)
	plan.Preview = true
	l, err := repo.Prepare(ctx, id, plan)
	if err == nil {
		err = repo.Check(ctx, l)
	}
	if err != nil {
		return Landed{}, err
	}
	landed := Landed{Landing: l}
	if l.Strategy == worktree.Branch {
		landed.Push = planPush(ctx, repo, l.Into)
	}
	return landed, nil
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
		Paths: spec.Paths, Hunks: spec.Hunks,
	}
}

// landings lists what the session counts by, as the worktree judges it: what became of landings since is not in the log.
func landings(st view.State) []worktree.Landing {
	var done []worktree.Landing
	for _, l := range st.Landings {
		done = append(done, landingOf(l))
	}
	return done
}

func landingOf(l event.WorktreeLand) worktree.Landing {
	return worktree.Landing{Strategy: worktree.Strategy(l.Strategy), Into: l.Into, Previous: l.Previous, Commit: l.Commit, Base: l.Base}
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
	for _, turn := range st.Worked {
		asks = append(asks, subject(st.Ask(turn)))
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
