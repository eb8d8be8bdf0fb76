package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
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

// Approval is an answer that is remembered: for exactly that path, or for exactly that command in that folder.
type Approval struct {
	Op    Op
	Scope Scope
	// Path is relative to the tree.
	Path string
	// Argv is the whole command, Cwd its folder relative to the tree.
	Argv []string
	Cwd  string
	// Actor is who gave the answer.
	Actor string
}

// covers reports whether the approval is about exactly this action. All edits are broader than that, and are weighed after the rules.
func (v Approval) covers(a Action) bool {
	switch {
	case v.Scope == ScopeEdits || v.Op != a.Op:
		return false
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
	v := Approval{Op: a.Op, Scope: scope, Actor: actor, Path: a.Path, Argv: a.Argv, Cwd: a.Cwd}
	if scope == ScopeEdits {
		v.Path = "**"
	}
	return v, true
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
	Op    Op        `json:"op"`
	Path  string    `json:"path,omitzero"`
	Argv  []string  `json:"argv,omitempty"`
	Cwd   string    `json:"cwd,omitzero"`
	Actor string    `json:"actor"`
	At    time.Time `json:"at"`
}

// always reads what was allowed always in this repository. It is read each time it matters, so another process's answer counts at once.
func (s *shared) always() ([]Approval, error) {
	if s.cfg.StateDir == "" {
		return nil, nil
	}
	name := s.stateFile("approvals.json")
	content, err := effect.ReadState(name)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var f approvalsFile
	if err := decodeState(name, content, &f); err != nil {
		return nil, err
	}
	var found []Approval
	for _, k := range f.Repositories[s.cfg.Repository] {
		found = append(found, Approval{Op: k.Op, Scope: ScopeAlways, Path: k.Path, Argv: k.Argv, Cwd: k.Cwd, Actor: k.Actor})
	}
	return found, nil
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
	name := s.stateFile("approvals.json")
	return effect.UpdateState(name, func(old []byte) ([]byte, error) {
		var f approvalsFile
		if err := decodeState(name, old, &f); err != nil {
			return nil, err
		}
		if f.Repositories == nil {
			f.Repositories = make(map[string][]keptApproval)
		}
		k := keptApproval{Op: v.Op, Path: v.Path, Argv: v.Argv, Cwd: v.Cwd, Actor: v.Actor, At: time.Now().UTC()}
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
