package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/anthropic"
	"github.com/nodwyn/nodwyn/agent/provider/ollama"
	"github.com/nodwyn/nodwyn/agent/provider/openai"
	"github.com/nodwyn/nodwyn/agent/provider/script"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// The methods of this file read any session, open here, elsewhere or not at all. They take no lock on its log and record nothing.

// Fold reads a session's log from its start and hands each event to f.
func (a *Agent) Fold(session string, f func(event.Event)) error {
	if err := a.exists(session); err != nil {
		return err
	}
	for e, err := range sessionlog.Read(a.LogPath(session)) {
		if err != nil {
			return fmt.Errorf("read session %s: %w", session, err)
		}
		f(e)
	}
	return nil
}

// Viewed is a session as its cards show it.
type Viewed struct {
	Status   string
	Cards    []view.Card
	Revision int64
}

// View returns the cards of a session: from the folds of an open one, which are those of its file.
func (a *Agent) View(session string) (Viewed, error) {
	if s, err := a.Session(session); err == nil {
		return s.view(), nil
	}
	var cards view.Cards
	var st view.State
	err := a.Fold(session, func(e event.Event) {
		cards.Apply(e)
		st.Apply(e)
	})
	if live, looked := sessionlog.Live(a.LogPath(session)); looked == nil && !live {
		return Viewed{Status: "closed", Cards: cards.All(), Revision: cards.Revision()}, err // a crash leaves no end
	}
	return Viewed{Status: st.Status(), Cards: cards.All(), Revision: cards.Revision()}, err
}

func (s *Session) view() Viewed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Viewed{Status: s.state.Status(), Cards: s.cards.All(), Revision: s.cards.Revision()}
}

// State returns what a session is now.
func (a *Agent) State(session string) (view.State, error) {
	if s, err := a.Session(session); err == nil {
		return s.State(), nil
	}
	var st view.State
	err := a.Fold(session, st.Apply)
	return st, err
}

// Transcript returns what `nodwyn run` printed while the session ran.
func (a *Agent) Transcript(session string) (string, error) {
	var t view.Transcript
	var b strings.Builder
	err := a.Fold(session, func(e event.Event) { b.WriteString(t.Apply(e)) })
	return b.String(), err
}

// Trail returns what a turn did and is doing, and the turn's number; turn 0 is the last one.
func (a *Agent) Trail(session string, turn int) (int, []view.TrailStep, error) {
	var t view.Trail
	if err := a.Fold(session, t.Apply); err != nil {
		return 0, nil, err
	}
	if turn == 0 {
		turn = t.Last()
	}
	if turn > t.Last() {
		return 0, nil, &InvalidError{Field: "turn", Reason: fmt.Sprintf("the session has %d turns", t.Last())}
	}
	return turn, t.Turn(turn), nil
}

// Egress returns what a session sent where, in one turn or, for turn 0, in all.
func (a *Agent) Egress(session string, turn int) ([]view.EgressRow, error) {
	var g view.Egress
	err := a.Fold(session, g.Apply)
	return g.Rows(turn), err
}

// Output returns what a call of the trail printed or found, as the model read it; of one that is live, which means that it has not ended, what it printed so far.
func (a *Agent) Output(session, call string) (text string, live bool, err error) {
	var now string
	if s, err := a.Session(session); err == nil { // before the log, which holds the result once the preview is gone
		now = s.running(liveCall(call))
	}
	var outputs view.Outputs
	if err := a.Fold(session, outputs.Apply); err != nil {
		return "", false, err
	}
	text, ended, known := outputs.Of(call)
	if !known {
		return "", false, &InvalidError{Field: "call", Reason: fmt.Sprintf("the session has no call %q", call)}
	}
	if !ended {
		return now, true, nil
	}
	return text, false, nil
}

// Events returns at most limit events from seq from on, without chunks, and the seq to go on with; 0 when there are no more.
func (a *Agent) Events(session string, from int64, limit int) ([]event.Event, int64, error) {
	if err := a.exists(session); err != nil {
		return nil, 0, err
	}
	var events []event.Event
	for e, err := range sessionlog.Read(a.LogPath(session)) {
		if err != nil {
			return nil, 0, fmt.Errorf("read session %s: %w", session, err)
		}
		if _, chunk := e.Payload.(event.LLMChunk); chunk || e.Seq < from {
			continue
		}
		if len(events) == limit {
			return events, e.Seq, nil
		}
		events = append(events, e)
	}
	return events, 0, nil
}

// Request rebuilds the body of the request at seq from the log alone.
func (a *Agent) Request(session string, seq int64) ([]byte, error) {
	var m view.Messages
	var body []byte
	var failed error
	err := a.Fold(session, func(e event.Event) {
		if p, ok := e.Payload.(event.LLMReq); ok && e.Seq == seq {
			req := provider.Request{Model: p.Model, Context: m.Recipe(), Messages: m.Window()}
			if p.Aside != nil {
				req = asideRequest(p)
			}
			body, failed = encode(req)
		}
		m.Apply(e)
	})
	switch {
	case err != nil:
		return nil, err
	case failed != nil:
		return nil, fmt.Errorf("rebuild request %d of session %s: %w", seq, session, failed)
	case body == nil:
		return nil, fmt.Errorf("session %s has no llm.req at seq %d; `nodwyn replay %s --request` lists them", session, seq, session)
	}
	return body, nil
}

// encode finds the encoder of a recipe's wire. Encoders of old versions stay here, so that old logs can be rebuilt.
func encode(r provider.Request) ([]byte, error) {
	switch r.Context.Wire {
	case openai.Wire:
		return openai.Encode(r)
	case anthropic.Wire:
		return anthropic.Encode(r)
	case ollama.Wire:
		return ollama.Encode(r)
	case script.Wire:
		return script.Encode(r)
	}
	return nil, fmt.Errorf("unknown wire %q", r.Context.Wire)
}

// DiffSpec says which change is meant.
type DiffSpec struct {
	// Path limits the diff to one file.
	Path string
	// Turn limits it to one turn; 0 is everything since the base.
	Turn int
	// Target compares with the tip of the target branch instead of the base.
	Target bool
}

// Diff returns what a session changed. An open session is compared as its tree is now, another as its last snapshot left it. Against the target it is what a landing would change there, with what conflicts.
func (a *Agent) Diff(ctx context.Context, session string, spec DiffSpec) ([]worktree.FileDiff, error) {
	files, _, err := a.Compare(ctx, session, spec)
	return files, err
}

// Compare returns what Diff does, and with Target where session and target changed the same places.
func (a *Agent) Compare(ctx context.Context, session string, spec DiffSpec) ([]worktree.FileDiff, []worktree.Conflict, error) {
	st, err := a.State(session)
	if err != nil {
		return nil, nil, err
	}
	w := st.Config.Worktree
	if w == nil {
		return nil, nil, fmt.Errorf("diff session %s: %w", session, ErrNoWorktree)
	}
	repo, err := a.repository(ctx, w.Repository)
	if err != nil {
		return nil, nil, fmt.Errorf("diff session %s: %w", session, err)
	}
	if spec.Target && spec.Turn == 0 {
		return againstTarget(ctx, repo, st, spec)
	}
	from, to, err := span(ctx, repo, st, spec)
	if err != nil || from == to {
		return nil, nil, err
	}
	files, err := repo.Diff(ctx, from, to, spec.Path)
	return files, nil, err
}

// againstTarget compares with the target as it is now, without counting what only the target has.
func againstTarget(ctx context.Context, repo *worktree.Repository, st view.State, spec DiffSpec) ([]worktree.FileDiff, []worktree.Conflict, error) {
	w := worktree.Identity(*st.Config.Worktree)
	if w.Base == "" {
		return nil, nil, &InvalidError{Field: "against", Reason: "the session started from a detached HEAD, so there is no target branch"}
	}
	tip, err := treeNow(ctx, repo, st)
	if err != nil {
		return nil, nil, err
	}
	files, conflicts, err := repo.Against(ctx, w, w.Base, tip, landings(st))
	if spec.Path != "" {
		files = slices.DeleteFunc(files, func(f worktree.FileDiff) bool { return !under(f.Path, spec.Path) && !under(f.OldPath, spec.Path) })
	}
	return files, conflicts, err
}

// under reports whether a path is a folder or lies in it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, "/")+"/")
}

// span finds the two trees of a diff.
func span(ctx context.Context, repo *worktree.Repository, st view.State, spec DiffSpec) (from, to string, err error) {
	if spec.Turn != 0 {
		t, changed := st.TurnTree(spec.Turn)
		if !changed && spec.Turn > st.Turn {
			return "", "", &InvalidError{Field: "turn", Reason: fmt.Sprintf("the session has %d turns", st.Turn)}
		}
		return t.Before, t.After, nil
	}
	if from, err = repo.CountsFrom(ctx, worktree.Identity(*st.Config.Worktree), landings(st)); err != nil {
		return "", "", err
	}
	to, err = treeNow(ctx, repo, st)
	return from, to, err
}
