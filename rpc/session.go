package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func (s *Server) sessionNew(p protocol.NewParams) (wait[protocol.State], error) {
	repo, err := localPath("repo", p.Repo)
	if err != nil {
		return nil, err
	}
	spec := agent.StartSpec{
		Repo: repo, Mode: string(p.Mode), Worktree: p.Worktree, Base: p.Base, Branch: p.Branch,
		Model: p.Model, Title: p.Title, Actor: actor, Client: s.client.info,
	}
	if p.Carry != nil {
		spec.Carry = &agent.CarrySpec{Uncommitted: p.Carry.Uncommitted, Untracked: p.Carry.Untracked, Ignored: p.Carry.Ignored}
	}
	return func(ctx context.Context) (protocol.State, error) {
		if p.Preview {
			st, err := s.agent.PreviewStart(ctx, spec)
			return stateOf("", st), err
		}
		session, err := s.agent.Start(ctx, spec)
		if err != nil {
			return protocol.State{}, err
		}
		s.attach(ctx, session, 1)
		state := stateOf(session.ID(), session.State())
		if lacks, carried, opening := session.Opening(); opening {
			w := state.Worktree
			w.Uncommitted, w.Untracked, w.Carried = lacks.Uncommitted, lacks.Untracked, carried
		}
		return state, nil
	}, nil
}

func (s *Server) sessionResume(p protocol.ResumeParams) (wait[protocol.ResumeResult], error) {
	spec := agent.ResumeSpec{Client: s.client.info}
	if p.Repo != "" {
		var err error
		if spec.Repo, err = localPath("repo", p.Repo); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (protocol.ResumeResult, error) {
		session, rec, err := s.agent.Resume(ctx, p.Session, spec)
		if err != nil {
			return protocol.ResumeResult{}, err
		}
		s.attach(ctx, session, rec.From)
		return protocol.ResumeResult{
			State: stateOf(session.ID(), session.State()), Recovered: append([]string{}, rec.Recovered...),
			Unfinished: rec.Unfinished, Restored: rec.Restored,
		}, nil
	}, nil
}

func (s *Server) sessionClose(p protocol.CloseParams) (wait[protocol.CloseResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.CloseResult, error) {
		closed, err := session.Close(ctx, p.Discard)
		others := errors.Is(err, agent.ErrClosed) || errors.Is(err, agent.ErrBusy) // then it is not this request that ends it
		if f := s.follows.of(p.Session); f != nil && f.session == session && !others {
			f.wait(ctx, func() bool { return false }) // its end is told before the answer
		}
		return protocol.CloseResult{WorktreeRemoved: closed.WorktreeRemoved, Unlanded: append([]string{}, closed.Unlanded...)}, err
	}, nil
}

func (s *Server) sessionTitle(p protocol.TitleParams) (wait[protocol.Nothing], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.Nothing, error) {
		err := session.SetTitle(actor, *p.Title)
		if err == nil {
			s.told(ctx, session)
		}
		return protocol.Nothing{}, err
	}, nil
}

// attach follows a session that was just opened, and waits until its opening was told: what a client hears before the answer should not be left to chance.
func (s *Server) attach(ctx context.Context, session *agent.Session, from int64) {
	_, revision := session.Cards()
	if f := s.follow(session, from); from > 0 {
		f.told(ctx, revision)
	}
}

func stateOf(id string, st view.State) protocol.State {
	state := protocol.State{Session: id, Repo: st.Config.Repo, Mode: protocol.Mode(st.Config.Mode)}
	if w := st.Config.Worktree; w != nil {
		state.Worktree = &protocol.Worktree{
			Repository: w.Repository, Path: w.Path, Branch: w.Branch, Base: w.Base, BaseCommit: w.BaseCommit,
			Uncommitted: st.Uncommitted, Untracked: st.Untracked, Carried: st.Carried(), Ready: st.WorktreeMade && !st.WorktreeRemoved,
		}
	}
	return state
}

// localPath takes an absolute path or a file URI.
func localPath(field, given string) (string, error) {
	path := given
	if strings.HasPrefix(given, "file:") {
		u, err := url.Parse(given)
		if err != nil || (u.Host != "" && u.Host != "localhost") {
			return "", &protocol.FieldError{Field: field, Reason: fmt.Sprintf("%q is not the URI of a file on this machine", given)}
		}
		path = filepath.FromSlash(withoutDriveSlash(u.Path))
	}
	if !filepath.IsAbs(path) {
		return "", &protocol.FieldError{Field: field, Reason: fmt.Sprintf("%q is not an absolute path or a file URI", given)}
	}
	return filepath.Clean(path), nil
}

// withoutDriveSlash turns the path of a URI such as /c:/src into what Windows takes.
func withoutDriveSlash(path string) string {
	if len(path) > 2 && path[0] == '/' && path[2] == ':' && filepath.Separator == '\\' {
		return path[1:]
	}
	return path
}
