package guard

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/agent/guard/plain"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// approvalsName is the file in which answers for good are kept.
const approvalsName = "approvals.json"

// Kept returns what was allowed for good, by repository.
func Kept(stateDir string) (map[string][]Approval, error) {
	name := filepath.Join(stateDir, approvalsName)
	content, err := effect.ReadState(name)
	if err != nil {
		return nil, fmt.Errorf("read approvals: %w", err)
	}
	var f approvalsFile
	if err := decodeState(name, content, &f); err != nil {
		return nil, err
	}
	found := make(map[string][]Approval)
	for repository, list := range f.Repositories {
		for _, k := range list {
			found[repository] = append(found[repository], k.approval())
		}
	}
	return found, nil
}

// Forget takes answers for good back, those of one repository for which drop reports true, and returns them.
func Forget(stateDir, repository string, drop func(Approval) bool) (dropped []Approval, err error) {
	name := filepath.Join(stateDir, approvalsName)
	err = effect.UpdateState(name, func(old []byte) ([]byte, error) {
		var f approvalsFile
		dropped = nil
		if err := decodeState(name, old, &f); err != nil {
			return nil, err
		}
		f.Repositories[repository] = slices.DeleteFunc(f.Repositories[repository], func(k keptApproval) bool {
			if !drop(k.approval()) {
				return false
			}
			dropped = append(dropped, k.approval())
			return true
		})
		if len(f.Repositories[repository]) == 0 {
			delete(f.Repositories, repository)
		}
		return encodeState(f)
	})
	if err != nil {
		return nil, fmt.Errorf("take approvals back: %w", err)
	}
	return dropped, nil
}

// Allowed returns what is allowed now by answers: those of this session, then those for good, which each process reads anew.
func (g *Guard) Allowed() ([]Approval, error) {
	always, err := g.always()
	if err != nil {
		return nil, err
	}
	list := slices.DeleteFunc(g.Approvals(), func(v Approval) bool {
		return v.Scope == ScopeAlways && slices.ContainsFunc(always, v.Same)
	})
	return append(list, always...), nil
}

// Revoke takes answers back, of this session and for good: what no answer allows any more is asked about again. The record of it is durable before it takes effect. It returns what was taken back.
func (g *Guard) Revoke(actor string, drop func(Approval) bool) ([]Approval, error) {
	all, err := g.Allowed()
	if err != nil {
		return nil, err
	}
	gone := slices.DeleteFunc(all, func(v Approval) bool { return !drop(v) })
	if len(gone) == 0 {
		return nil, nil
	}
	var records []event.Payload
	for _, v := range gone {
		c := v.change("")
		c.Actor, c.Granted = actor, false
		records = append(records, c)
	}
	if err := g.record(records...); err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.approvals = slices.DeleteFunc(g.approvals, drop)
	g.mu.Unlock()
	if g.cfg.StateDir == "" || !slices.ContainsFunc(gone, func(v Approval) bool { return v.Scope == ScopeAlways }) {
		return gone, nil
	}
	_, err = Forget(g.cfg.StateDir, g.cfg.Repository, drop)
	return gone, err
}

// Words says in a clause what an approval allows.
func (v Approval) Words() string {
	switch {
	case v.Scope == ScopeEdits || v.Op == OpWrite && v.Path == "**":
		return "all edits in the session's worktree"
	case v.Op != OpExec:
		return string(v.Op) + " of " + visible(v.Path)
	case v.Prefix:
		return "commands that begin with " + visible(commandLine(v.Argv))
	case v.Cwd != "" && v.Cwd != ".":
		return "exactly " + visible(commandLine(v.Argv)) + " in " + visible(v.Cwd)
	}
	return "exactly " + visible(commandLine(v.Argv))
}

// Rules returns the rules of the configuration.
func (g *Guard) Rules() []Rule { return slices.Clone(g.cfg.Policy.Rules) }

// Begins reports whether a command has a program that a remembered beginning covers.
func Begins(prefix []string, c Command) bool {
	r, err := c.read()
	return err == nil && slices.ContainsFunc(r.parts, func(p plainPart) bool { return plain.Covers(prefix, p.argv) })
}
