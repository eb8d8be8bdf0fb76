package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/agent/guard/plain"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Scope is how far an answer goes.
type Scope string

// The scopes of answers.
const (
	ScopeOnce    Scope = "once"    // this effect
	ScopeSession Scope = "session" // this path or command, while the session is open
	ScopeEdits   Scope = "edits"   // every write in the session's worktree, while the session is open
	ScopeAlways  Scope = "always"  // this path or command, in this repository
)

// rule is the name in a record of a decision that follows from an answer of this scope.
func (s Scope) rule() string {
	if s == ScopeAlways {
		return "always"
	}
	return "session"
}

// Approval is an answer that is remembered: for exactly that path, for exactly that command in that folder, or for all commands that begin so.
type Approval struct {
	Op    Op
	Scope Scope
	// Path is relative to the tree.
	Path string
	// Argv is the whole command, Cwd its folder relative to the tree.
	Argv []string
	Cwd  string
	// Prefix says that Argv is the beginning of the commands that are meant, in any folder of the tree. It covers none that starts another program or writes elsewhere by a flag.
	Prefix bool
	// Actor is who gave the answer, At is when; zero where it is not known.
	Actor string
	At    time.Time
}

// covers reports whether the approval is about exactly this action. All edits are broader than that, and are weighed after the rules.
func (v Approval) covers(a Action) bool {
	switch {
	case v.Scope == ScopeEdits || v.Op != a.Op:
		return false
	case a.Op == OpExec && v.Prefix:
		return plain.Covers(v.Argv, a.Argv)
	case a.Op == OpExec:
		return v.Cwd == a.Cwd && len(a.Argv) > 0 && slices.Equal(v.Argv, a.Argv)
	}
	return v.Path == a.Path
}

// approvalFor is what an answer of that scope to the action allows from now on. A read that was allowed once is not asked about again: what it showed cannot be taken back.
func approvalFor(a Action, scope Scope, actor string) (Approval, bool) {
	if scope == ScopeOnce && a.Op != OpRead {
		return Approval{}, false
	}
	v := Approval{Op: a.Op, Scope: scope, Actor: actor, Path: a.Path, Argv: a.Argv, Cwd: a.Cwd, At: time.Now().UTC()}
	if prefix := a.prefix(); scope == ScopeAlways && prefix != nil {
		v.Argv, v.Cwd, v.Prefix = prefix, "", true
	}
	if scope == ScopeEdits {
		v.Path = "**"
	}
	return v, true
}

// prefix is the beginning for which the only program of a command that needs permission may be allowed for good; nil when there are several, or when it may only be remembered word by word.
func (a Action) prefix() []string {
	var found []string
	for _, part := range a.Parts {
		switch {
		case part.ReadOnly:
			continue
		case found != nil:
			return nil
		}
		if found = plain.Prefix(part.Argv); found == nil {
			return nil
		}
	}
	return found
}

// Same reports whether two approvals are about the same.
func (v Approval) Same(o Approval) bool {
	return v.Op == o.Op && v.Path == o.Path && v.Prefix == o.Prefix && v.Cwd == o.Cwd && slices.Equal(v.Argv, o.Argv)
}

// change is the record of the approval.
func (v Approval) change(prompt string) event.ApprovalChange {
	scope := v.Scope
	if scope == ScopeEdits {
		scope = ScopeSession
	}
	return event.ApprovalChange{
		Actor: v.Actor, PromptID: prompt, Scope: string(scope), Op: string(v.Op),
		Prefix: v.Argv, Path: v.Path, Granted: true,
	}
}

// approvalsFile is the form of approvals.json: what was allowed always, by repository.
type approvalsFile struct {
	Repositories map[string][]keptApproval `json:"repositories"`
}

// keptApproval is an approval that outlives its session. Its paths are relative, so it holds in the repository's next worktree.
type keptApproval struct {
	Op   Op       `json:"op"`
	Path string   `json:"path,omitzero"`
	Argv []string `json:"argv,omitempty"`
	Cwd  string   `json:"cwd,omitzero"`
	// Prefix says that Argv is a beginning.
	Prefix bool      `json:"prefix,omitzero"`
	Actor  string    `json:"actor"`
	At     time.Time `json:"at"`
}

func (k keptApproval) approval() Approval {
	return Approval{Op: k.Op, Scope: ScopeAlways, Path: k.Path, Argv: k.Argv, Cwd: k.Cwd, Prefix: k.Prefix, Actor: k.Actor, At: k.At}
}

// always reads what was allowed always in this repository. It is read each time it matters, so another process's answer counts at once.
func (s *shared) always() ([]Approval, error) {
	if s.cfg.StateDir == "" {
		return nil, nil
	}
	all, err := Kept(s.cfg.StateDir)
	return all[s.cfg.Repository], err
}

// remember lets a recorded approval take effect. One for always that cannot be kept holds for this session, and a note says so.
func (s *shared) remember(v Approval) error {
	s.mu.Lock()
	s.approvals = append(s.approvals, v)
	s.mu.Unlock()
	if v.Scope != ScopeAlways {
		return nil
	}
	if err := s.keep(v); err != nil {
		return s.record(event.Note{Code: "approval_not_kept", Text: fmt.Sprintf("The permission holds for this session only: %v", err)})
	}
	return nil
}

func (s *shared) keep(v Approval) error {
	name := s.stateFile(approvalsName)
	return effect.UpdateState(name, func(old []byte) ([]byte, error) {
		var f approvalsFile
		if err := decodeState(name, old, &f); err != nil {
			return nil, err
		}
		if f.Repositories == nil {
			f.Repositories = make(map[string][]keptApproval)
		}
		k := keptApproval{Op: v.Op, Path: v.Path, Argv: v.Argv, Cwd: v.Cwd, Prefix: v.Prefix, Actor: v.Actor, At: v.At}
		f.Repositories[s.cfg.Repository] = append(f.Repositories[s.cfg.Repository], k)
		return encodeState(f)
	})
}

func (s *shared) stateFile(name string) string { return filepath.Join(s.cfg.StateDir, name) }

// decodeState is strict: a file that someone damaged must not be half obeyed.
func decodeState(name string, content []byte, into any) error {
	if len(content) == 0 {
		return nil
	}
	if err := json.Unmarshal(content, into, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("read %q: %w: repair or remove the file", name, err)
	}
	return nil
}

func encodeState(from any) ([]byte, error) {
	b, err := json.Marshal(from, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return nil, err
	}
	return append(b, '\n'), nil
}
