package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// Recovery says what a resume found and mended.
type Recovery struct {
	// From is the seq of the session.resume; 0 when the session was open here already.
	From int64
	// Recovered are the ids of the calls that a crash left without a result.
	Recovered []string
	// Unfinished says that the last turn was cut off.
	Unfinished bool
	// Restored says that the worktree was missing and was made again.
	Restored bool
}

// recoveredText is the result of a call that a crash left unfinished.
const recoveredText = "interrupted: nodwyn ended while this ran, and what it did is unknown; look before you do it again"

// ResumeSpec says who resumes a session.
type ResumeSpec struct {
	// Client names the program; nil when it did not say.
	Client *event.Client
	// Repo is a folder of the repository, where it is now: if it was moved, the session finds it there. Empty knows none.
	Repo string
}

// Resume opens a session again, or returns it when this process holds it.
func (a *Agent) Resume(ctx context.Context, id string, spec ResumeSpec) (*Session, Recovery, error) {
	if s, err := a.Session(id); err == nil && s.log.Err() == nil {
		rec, err := s.restoreOpen(ctx)
		if err != nil {
			return nil, Recovery{}, fmt.Errorf("resume session %s: %w", id, err)
		}
		return s, rec, nil
	} else if err == nil {
		// Its log failed once and is never written again; what is on disk goes on in a new life.
		if failed := s.end(ErrCancelled, "error"); failed != nil {
			a.cfg.Log.Warn("close session with a broken log", "session", id, "err", failed)
		}
	} else if !errors.Is(err, ErrNotOpen) {
		return nil, Recovery{}, err
	}
	if err := a.reserve(id); err != nil {
		return nil, Recovery{}, err
	}
	s := a.newSession(id)
	rec, err := s.reopen(ctx, spec)
	if err != nil {
		a.settle(id, nil)
		return nil, Recovery{}, fmt.Errorf("resume session %s: %w", id, err)
	}
	a.settle(id, s)
	return s, rec, nil
}

// restoreOpen makes the worktree of an open session again, if it is gone and nothing uses it.
func (s *Session) restoreOpen(ctx context.Context) (Recovery, error) {
	rec := Recovery{Unfinished: s.State().Cut}
	if s.repo == nil || s.repo.Present(s.tree) || s.hold() != nil {
		return rec, nil
	}
	defer s.letGo()
	st := s.State()
	where, err := s.placeAgain(ctx, st)
	if err != nil {
		return rec, err
	}
	if rec.Restored, err = s.restoreTree(ctx, where, st); err != nil || !rec.Restored {
		return rec, err
	}
	s.included = false
	return rec, s.move(ctx, where, false, st.Config.Mode)
}

// reopen reads and repairs the log, then records the new life and what the last one left open.
func (s *Session) reopen(ctx context.Context, spec ResumeSpec) (Recovery, error) {
	log, torn := sessionlog.Open(s.agent.SessionsDir(), s.id, s.logOptions())
	if log == nil {
		return Recovery{}, torn
	}
	s.log = log
	rec, err := s.revive(ctx, spec, torn)
	if err == nil {
		return rec, nil
	}
	// The log may be the reason; then this fails too, and what is on disk stands.
	failed := s.record(event.Note{Code: "resume_failed", Text: err.Error()}, event.SessionEnd{Reason: "error"})
	return Recovery{}, errors.Join(err, failed, s.release())
}

func (s *Session) revive(ctx context.Context, spec ResumeSpec, torn error) (Recovery, error) {
	before := s.State()
	if before.Config.Repo == "" {
		return Recovery{}, fmt.Errorf("%s: the log holds no session.start; nothing can be resumed from it", s.agent.LogPath(s.id))
	}
	note := s.pickModel(ctx, before.Config.Model.Name)
	where, err := s.placeAgain(ctx, before)
	if refusedFor(err, worktree.NoFolder) || refusedFor(err, worktree.NoRepository) {
		where, err = s.placeMoved(ctx, before, spec.Repo, err)
	}
	if err != nil {
		return Recovery{}, err
	}
	rec, err := s.recordResume(where, before, spec.Client)
	if err != nil {
		return Recovery{}, err
	}
	if torn != nil {
		note = append(note, event.Note{Code: "torn_tail", Text: torn.Error()})
	}
	if rec.Restored, err = s.restoreTree(ctx, where, before); err != nil {
		return Recovery{}, err
	}
	if len(note) > 0 {
		if err := s.record(note...); err != nil {
			return Recovery{}, err
		}
	}
	if err := s.equip(ctx, where, before.Config.Mode); err != nil {
		return Recovery{}, err
	}
	if err := s.preread(ctx, where.project.Policy); err != nil {
		return Recovery{}, err
	}
	return rec, s.settle(ctx, before, rec.Restored)
}

// pickModel takes the recorded registry entry, or "control" with a note when the configuration lost it. A session without any model can still be looked at and landed.
func (s *Session) pickModel(ctx context.Context, name string) []event.Payload {
	m, ok := s.agent.cfg.Models[name]
	if ok {
		s.model = m
		return nil
	}
	m, err := s.agent.control(ctx)
	s.model = m
	switch {
	case err != nil:
		return []event.Payload{event.Note{Code: "model_lost", Text: fmt.Sprintf("there is no model %q any more, and no other: %v", name, err)}}
	case name == "control":
		return nil
	}
	return []event.Payload{event.Note{Code: "model_lost", Text: fmt.Sprintf("the configuration has no model %q any more; the session talks to [control]", name)}}
}

// placeAgain finds the recorded place.
func (s *Session) placeAgain(ctx context.Context, st view.State) (place, error) {
	w := st.Config.Worktree
	if w == nil {
		return s.agent.place(ctx, s.id, StartSpec{Repo: st.Config.Repo, Mode: st.Config.Mode, Worktree: new(bool)})
	}
	repo, err := s.agent.repository(ctx, w.Repository)
	if err != nil {
		return place{}, fmt.Errorf("open repository %s: %w", w.Repository, err)
	}
	project, err := s.agent.project(repo.Root())
	if err != nil {
		return place{}, err
	}
	return place{root: w.Path, folder: repo.Root(), key: repo.CommonDir(), repo: repo, tree: worktree.Identity(*w), carry: st.Carry, project: project}, nil
}

// recordResume writes session.resume with, directly behind it, what closes the life that was cut off.
func (s *Session) recordResume(where place, before view.State, client *event.Client) (Recovery, error) {
	rec := Recovery{Unfinished: before.Unfinished()}
	payloads := []event.Payload{event.SessionResume{Configuration: s.configuration(where, before.Config.Mode, client)}}
	for _, c := range before.OpenCalls() {
		rec.Recovered = append(rec.Recovered, c.ID)
		payloads = append(payloads, event.ToolResult{Turn: c.Turn, ID: c.ID, Error: "interrupted", Text: recoveredText, Recovered: true})
	}
	for _, id := range before.OpenPrompts() {
		payloads = append(payloads, event.PromptClose{PromptID: id, Answer: "expired"})
	}
	if before.Running {
		payloads = append(payloads, event.TurnEnd{Turn: before.Turn, Outcome: "failed", Reason: "interrupted"})
	}
	evs, err := s.append(payloads...)
	if err != nil {
		return Recovery{}, err
	}
	rec.From = evs[0].Seq
	return rec, nil
}

// placeMoved finds the place of a session whose repository is not where it was: in the folder that the client named, if that repository knows the worktree.
func (s *Session) placeMoved(ctx context.Context, st view.State, folder string, lost error) (place, error) {
	w := st.Config.Worktree
	if w == nil {
		return place{}, lost
	}
	if folder != "" {
		repo, err := s.agent.repository(ctx, folder)
		if err == nil && repo.Knows(worktree.Identity(*w)) {
			moved := *w
			moved.Repository = repo.Root()
			st.Config.Worktree, st.Carry.From = &moved, ""
			return s.placeAgain(ctx, st)
		}
	}
	refused, _ := errors.AsType[*worktree.RefusedError](lost)
	return place{}, &worktree.RefusedError{Reason: refused.Reason, Message: fmt.Sprintf("its repository is not at %q any more; open the repository where it is now and resume from there, or move it back", w.Repository)}
}

// exists reports whether a log has that id.
func (a *Agent) exists(id string) error {
	if !sessionlog.ValidID(id) {
		return fmt.Errorf("session %q: %w: an id has lower-case letters, digits and dashes", id, ErrUnknownSession)
	}
	_, err := sessionlog.Live(a.LogPath(id))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("session %s: %w", id, ErrUnknownSession)
	}
	return err
}
