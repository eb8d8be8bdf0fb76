package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// StartSpec says what session to make.
type StartSpec struct {
	// Repo is an absolute folder: a repository, a folder in one, or any other folder.
	Repo string
	// Mode is "edit" (also when empty), "ask" or "plan".
	Mode string
	// Worktree asks for a worktree or for none; nil is a worktree for an edit session in a repository.
	Worktree *bool
	// Base is the ref to start from; empty is HEAD.
	Base string
	// Branch names the session's branch; empty takes the configured template.
	Branch string
	// Carry says what of the person's own state comes along into the worktree; nil is what the configuration says.
	Carry *CarrySpec
	// Model is the registry entry; empty is "control".
	Model string
	// Title names the session.
	Title string
	// Actor is who asked for it.
	Actor string
	// Client names the program; nil when it did not say.
	Client *event.Client
}

// place is where a session works.
type place struct {
	root    string // the tree
	folder  string // the repository's main tree, or the folder
	key     string // what approvals and trust belong to: the common git folder, or the folder
	repo    *worktree.Repository
	tree    worktree.Identity
	carry   event.Carry // what comes along into the tree
	project Project
}

// carried is what session.start and session.mode record of what was to come along.
func (p place) carried() *event.Carry {
	if p.repo == nil {
		return nil
	}
	return &p.carry
}

// Start makes a session: everything that can be refused is refused before anything is written; then session.start is durable, then git makes the worktree, then that is on record.
func (a *Agent) Start(ctx context.Context, spec StartSpec) (*Session, error) {
	if spec.Mode == "" {
		spec.Mode = "edit"
	}
	model, err := a.pick(ctx, spec)
	if err != nil {
		return nil, err
	}
	id := sessionlog.NewID(a.cfg.Now())
	where, err := a.place(ctx, id, spec)
	if err == nil {
		err = a.open(where)
	}
	if err != nil {
		return nil, err
	}
	s := a.newSession(id)
	s.model = model
	if err := a.reserve(id); err != nil {
		return nil, err
	}
	if err := s.begin(ctx, where, spec); err != nil {
		a.settle(id, nil)
		return nil, fmt.Errorf("start session in %s: %w", spec.Repo, err)
	}
	a.settle(id, s)
	return s, nil
}

// PreviewStart says what a session would be, above all what its worktree would lack, and writes nothing.
func (a *Agent) PreviewStart(ctx context.Context, spec StartSpec) (view.State, error) {
	if spec.Mode == "" {
		spec.Mode = "edit"
	}
	if err := spec.valid(); err != nil {
		return view.State{}, err
	}
	where, err := a.place(ctx, sessionlog.NewID(a.cfg.Now()), spec)
	if err == nil {
		err = a.open(where)
	}
	if err != nil {
		return view.State{}, err
	}
	st := view.State{Config: event.Configuration{Repo: where.root, Mode: spec.Mode}}
	if where.repo == nil {
		return st, nil
	}
	w := event.Worktree(where.tree)
	st.Config.Worktree = &w
	lacks, err := where.repo.UncommittedAt(ctx, where.carry.From)
	if err != nil {
		return view.State{}, fmt.Errorf("count uncommitted work: %w", err)
	}
	if !where.carry.Uncommitted {
		st.Uncommitted = lacks.Uncommitted
	}
	if !where.carry.Untracked {
		st.Untracked = lacks.Untracked
	}
	return st, nil
}

// maxField bounds what a client may name things.
const maxField = 4096

// pick validates the parts of spec that need no disk, and finds the model.
func (a *Agent) pick(ctx context.Context, spec StartSpec) (Model, error) {
	if err := spec.valid(); err != nil {
		return Model{}, err
	}
	if spec.Model != "" && spec.Model != "control" {
		m, ok := a.cfg.Models[spec.Model]
		if !ok {
			return Model{}, &InvalidError{Field: "model", Reason: fmt.Sprintf("there is no [models.%s] in the configuration", spec.Model)}
		}
		return m, m.try()
	}
	m, err := a.control(ctx)
	if err != nil {
		return Model{}, err
	}
	return m, m.try()
}

// valid refuses what needs no disk to be refused.
func (s StartSpec) valid() error {
	if err := validMode(s.Mode); err != nil {
		return err
	}
	if !filepath.IsAbs(s.Repo) {
		return &InvalidError{Field: "repo", Reason: fmt.Sprintf("%q is not an absolute path or a file URI", s.Repo)}
	}
	for field, value := range map[string]string{"repo": s.Repo, "base": s.Base, "branch": s.Branch, "title": s.Title} {
		if strings.ContainsRune(value, 0) || len(value) > maxField {
			return &InvalidError{Field: field, Reason: "holds a NUL byte or is too long"}
		}
	}
	if s.Carry == nil {
		return nil
	}
	for _, pattern := range s.Carry.Ignored {
		if strings.ContainsAny(pattern, "\r\n\x00") {
			return &InvalidError{Field: "carry.ignored", Reason: fmt.Sprintf("pattern %q has more than one line", pattern)}
		}
	}
	return nil
}

// control returns what a session talks to by default. Where none is configured one is looked for each time, since what runs on the machine comes and goes.
func (a *Agent) control(ctx context.Context) (Model, error) {
	if m, ok := a.cfg.Models["control"]; ok {
		return m, nil
	}
	if a.cfg.Discover == nil {
		return Model{}, a.cfg.NoModel
	}
	return a.cfg.Discover(ctx)
}

// try opens the model's provider once before anything is written, so that what is wrong with it is said first.
func (m Model) try() error {
	if m.Open == nil {
		return nil
	}
	if _, err := m.Open(nowhere{}); err != nil {
		return &ConfigError{File: m.Identity.URL, Key: "servers." + m.Identity.Server, Reason: err.Error()}
	}
	return nil
}

// nowhere is a transport that lets nothing out.
type nowhere struct{}

// RoundTrip refuses the request.
func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no request may leave before the session is on record")
}

// place finds out where the session works and plans its worktree, writing nothing.
func (a *Agent) place(ctx context.Context, id string, spec StartSpec) (place, error) {
	repo, err := a.repository(ctx, spec.Repo)
	var refused *worktree.RefusedError
	if errors.As(err, &refused) && refused.Reason == worktree.NoFolder {
		return place{}, &InvalidError{Field: "repo", Reason: refused.Message}
	}
	if errors.As(err, &refused) && refused.Reason == worktree.NoRepository && (spec.Worktree == nil || !*spec.Worktree) {
		project, err := a.project(spec.Repo)
		return place{root: spec.Repo, folder: spec.Repo, key: spec.Repo, project: project}, err
	}
	if err != nil {
		return place{}, err
	}
	project, err := a.project(repo.Root())
	if err != nil {
		return place{}, err
	}
	if err := project.Policy.Validate(); err != nil {
		return place{}, &ConfigError{File: repo.Root(), Key: "guard", Reason: err.Error()}
	}
	wanted := spec.Mode == "edit"
	if spec.Worktree != nil {
		wanted = *spec.Worktree
	}
	if !wanted {
		return place{root: repo.Root(), folder: repo.Root(), key: repo.CommonDir(), project: project}, nil
	}
	tree, err := repo.Plan(ctx, worktree.PlanSpec{Session: id, Root: a.cfg.WorktreeRoot, Base: spec.Base, Branch: a.branch(id, spec), From: spec.Repo})
	if err != nil {
		return place{}, err
	}
	return place{root: tree.Path, folder: repo.Root(), key: repo.CommonDir(), repo: repo, tree: tree, carry: a.carry(spec), project: project}, nil
}

// open refuses a place without a worktree that belongs to nodwyn, to another session or to git.
func (a *Agent) open(where place) error {
	if where.repo != nil {
		return nil
	}
	err := guard.CheckRoot(where.root, a.closed())
	if refused, ok := errors.AsType[*guard.RootError](err); ok {
		return &InvalidError{Field: "repo", Reason: refused.Error()}
	}
	return err
}

// closed lists our own folders, those with the trees of other sessions included.
func (a *Agent) closed() []string {
	dirs := append([]string{a.cfg.DataDir, a.cfg.StateDir}, a.cfg.Private...)
	if a.cfg.WorktreeRoot != "" {
		dirs = append(dirs, a.cfg.WorktreeRoot)
	}
	return dirs
}

func (a *Agent) project(root string) (Project, error) {
	if a.cfg.Project == nil {
		return Project{}, nil
	}
	return a.cfg.Project(root)
}

// branch fills the template: a session without a title has no slug.
func (a *Agent) branch(id string, spec StartSpec) string {
	if spec.Branch != "" {
		return spec.Branch
	}
	slug := slug(spec.Title)
	template := a.cfg.Branch
	if slug == "" {
		template = strings.ReplaceAll(template, "{slug}-", "")
	}
	return strings.NewReplacer("{slug}", slug, "{id}", id).Replace(template)
}

// slug keeps letters and digits of a title, joined by dashes, at most 40 bytes.
func slug(title string) string {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	out := strings.Join(words, "-")
	if len(out) > 40 {
		out = out[:40]
	}
	return strings.Trim(out, "-")
}

// begin writes the first events and makes the worktree. What it could not make is on record with its reason.
func (s *Session) begin(ctx context.Context, where place, spec StartSpec) error {
	log, err := sessionlog.Create(s.agent.SessionsDir(), s.id, s.logOptions())
	if err != nil {
		return err
	}
	s.log = log
	if err := s.record(event.SessionStart{Configuration: s.configuration(where, spec.Mode, spec.Client), Carry: where.carried()}); err != nil {
		return errors.Join(err, s.release())
	}
	err = s.openTree(ctx, where)
	if err == nil {
		err = s.equip(ctx, where, spec.Mode)
	}
	if err == nil && s.checkout == nil {
		err = s.preread(ctx, where.project.Policy)
	}
	if err == nil && spec.Title != "" {
		err = s.SetTitle(spec.Actor, spec.Title)
	}
	if err == nil {
		s.checkOut(where.project.Policy)
		return nil
	}
	return errors.Join(err, s.abandon(ctx), s.record(event.Note{Code: "start_failed", Text: err.Error()}, event.SessionEnd{Reason: "error"}), s.release())
}

// abandon takes back the worktree of a session that could not start: there is no work in it. One whose files could not be written is gone already.
func (s *Session) abandon(ctx context.Context) error {
	if s.repo == nil || !s.repo.Present(s.tree) {
		return nil
	}
	_, _, err := s.repo.Remove(context.WithoutCancel(ctx), s.tree, worktree.RemoveSpec{Session: s.id, Discard: true})
	if err != nil {
		return fmt.Errorf("take back worktree %s: %w", s.tree.Path, err)
	}
	s.releasePorts(ctx)
	return s.record(event.WorktreeRemove{Worktree: event.Worktree(s.tree)})
}

// configuration is what session.start and session.resume record.
func (s *Session) configuration(where place, mode string, client *event.Client) event.Configuration {
	c := event.Configuration{
		Version: s.agent.cfg.Version, Repo: where.root, Mode: mode,
		Model: s.model.Identity, Context: recipe(s.model),
		Redaction: event.Redaction{Version: redact.Version}, Sandbox: event.Sandbox{Backend: s.agent.cfg.Sandbox.Backend()}, Client: client,
	}
	if where.repo != nil {
		w := event.Worktree(where.tree)
		c.Worktree = &w
	}
	return c
}

// equip opens the guard on the tree and everything that works through it.
func (s *Session) equip(ctx context.Context, where place, mode string) error {
	a := s.agent
	st := s.State()
	env, err := s.environ(ctx)
	if err != nil {
		return err
	}
	g, err := guard.New(guard.Config{
		Sandbox: a.cfg.Sandbox, Git: where.git(), CacheDir: a.cacheDir(where.key), History: a.history(where.folder),
		Session: s.id, Root: where.root, Mode: mode, Worktree: where.repo != nil, Policy: where.project.Policy,
		Asker: careful{a.cfg.Asker, a.cfg.Redactor}, Recorder: s, Supervisor: a.cfg.Supervisor, StateDir: a.cfg.StateDir, Repository: where.key,
		Checkout: where.checkout(), Forbidden: s.forbidden(where), Env: func() []string { return env }, NextPrompt: st.Prompts + 1,
	})
	if err != nil {
		return fmt.Errorf("open the guard on %s: %w", where.root, err)
	}
	s.guard = g
	opts := where.project.Index
	opts.Root = where.root
	s.index = index.New(source{g}, opts)
	if s.model.Open == nil {
		return nil
	}
	if s.provider, err = s.model.Open(g.Transport("model", s.model.Base)); err != nil {
		return fmt.Errorf("open model %q: %w", s.model.Identity.Name, err)
	}
	return nil
}

// git says where git keeps what belongs to the worktree; nil without one.
func (p place) git() func() (guard.Repository, error) {
	if p.repo == nil {
		return nil
	}
	return func() (guard.Repository, error) {
		admin, err := p.repo.AdminDir(p.tree)
		return guard.Repository{Common: p.repo.CommonDir(), Admin: admin, Branch: p.tree.Branch}, err
	}
}

// cacheDir is where build tools keep what they make and fetch for one repository.
func (a *Agent) cacheDir(key string) string {
	if a.cfg.CacheDir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(a.cfg.CacheDir, hex.EncodeToString(sum[:6]))
}

// checkout is the person's checkout that a session has a worktree beside; empty when it works in it.
func (p place) checkout() string {
	if p.repo == nil {
		return ""
	}
	return p.folder
}

// forbidden lists what no session may touch: our own folders and, when it has a worktree, the person's checkout.
func (s *Session) forbidden(where place) []string {
	dirs := s.agent.closed()
	if where.repo != nil {
		dirs = append(dirs, where.folder)
	}
	return dirs
}
