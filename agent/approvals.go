package agent

import (
	"context"
	"slices"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// Allowed is something that needs no question, and by whose word.
type Allowed struct {
	guard.Approval
	// Words say what in a clause.
	Words string
	// Configured says that it stands in the configuration, where alone it can be taken back.
	Configured bool
}

// Allowed returns what is allowed in a session now: by answers, and by rules of the configuration.
func (s *Session) Allowed() ([]Allowed, error) {
	answers, err := s.guard.Allowed()
	if err != nil {
		return nil, err
	}
	var list []Allowed
	for _, v := range answers {
		list = append(list, Allowed{Approval: v, Words: v.Words()})
	}
	for _, r := range s.guard.Rules() {
		if r.Effect == guard.Allow {
			v := guard.Approval{Op: r.Op, Path: r.Path, Argv: r.Prefix, Prefix: r.Op == guard.OpExec}
			list = append(list, Allowed{Approval: v, Words: v.Words(), Configured: true})
		}
	}
	return list, nil
}

// RevokeSpec says which answers to take back: those of an op, and of that command or path; empty means all of the op.
type RevokeSpec struct {
	Op     string
	Prefix []string
	Path   string
}

// Revoke takes answers back, of this session and for good, and returns what it took back.
func (s *Session) Revoke(_ context.Context, spec RevokeSpec, actor string) ([]Allowed, error) {
	gone, err := s.guard.Revoke(actor, func(v guard.Approval) bool {
		return string(v.Op) == spec.Op && (len(spec.Prefix) == 0 || slices.Equal(v.Argv, spec.Prefix)) && (spec.Path == "" || v.Path == spec.Path)
	})
	if err != nil {
		return nil, err
	}
	var list []Allowed
	for _, v := range gone {
		list = append(list, Allowed{Approval: v, Words: v.Words()})
	}
	if len(list) == 0 {
		return nil, &InvalidError{Field: "op", Reason: "no answer allows that now; session/approvals lists what is allowed, and what the configuration says is taken back there"}
	}
	return list, nil
}
