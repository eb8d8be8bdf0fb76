package agent

import (
	"fmt"

	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/worktree"
)

// What callers meet of the packages underneath stands here under its own name, so that rpc imports nothing below agent.
type (
	// Asker reaches the person; the connection to an editor and the terminal are the two.
	Asker = guard.Asker
	// Prompt is what a person is asked.
	Prompt = guard.Prompt
	// Option is one of the answers that a permission offers.
	Option = guard.Option
	// Answer is what came back.
	Answer = guard.Answer
	// DeniedError says that the guard denied an effect.
	DeniedError = guard.DeniedError
	// FileDiff is what changed in one file.
	FileDiff = worktree.FileDiff
	// Hunk is one changed place of a file.
	Hunk = worktree.Hunk
	// Conflict is one path in the way of a landing, a revert or a sync.
	Conflict = worktree.Conflict
	// ConflictLines is a run of lines of a conflict.
	ConflictLines = worktree.ConflictLines
	// Landing is a landing that was computed.
	Landing = worktree.Landing
	// ConflictError says what stands in the way of a landing.
	ConflictError = worktree.ConflictError
	// RefusedError says why a repository cannot have what was asked for.
	RefusedError = worktree.RefusedError
)

// StrategyPatch is the strategy of a landing that makes no commit.
const StrategyPatch = worktree.Patch

var (
	// ErrNobody is an Asker's answer when nobody can be asked.
	ErrNobody = guard.ErrNobody
	// ErrGone is an Asker's answer when the client is gone for good: its sessions are about to end. It is an ErrNobody.
	ErrGone = fmt.Errorf("the client is gone: %w", guard.ErrNobody)
	// ErrNoCredential says that no credential of that class is stored.
	ErrNoCredential = cred.ErrNone
	// ErrOpen says that another process, or another opener in this one, has the session open.
	ErrOpen = sessionlog.ErrOpen
)
