package agent

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// source lets the index read a session's tree through its guard.
type source struct{ guard *guard.Guard }

// Files lists the tree's files.
func (s source) Files(ctx context.Context) ([]index.File, error) {
	files, err := s.guard.Files(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]index.File, 0, len(files))
	for _, f := range files {
		out = append(out, index.File(f))
	}
	return out, nil
}

// Read hands over the content of each path.
func (s source) Read(ctx context.Context, paths []string, yield func(path string, content []byte, err error) error) error {
	return s.guard.ReadBatch(ctx, paths, func(path string, content []byte, err error) error {
		return yield(path, content, refusal(err))
	})
}

// refusal tells the index, in its own words, why a file is not read, so that it does not ask for it again at each search.
func refusal(err error) error {
	if large, ok := errors.AsType[*guard.TooLargeError](err); ok {
		return fmt.Errorf("%w: %w", index.ErrTooLarge, large)
	}
	denied, ok := errors.AsType[*guard.DeniedError](err)
	if !ok {
		return err
	}
	if denied.Rule == guard.PolicyAsk {
		return fmt.Errorf("%w: %w", index.ErrRefused, denied)
	}
	return fmt.Errorf("%w: %w", index.ErrProtected, denied)
}

// maxRefused bounds the refused paths of one record.
const maxRefused = 100

func (s *Session) indexUpdate(u index.Update) event.IndexUpdate {
	refused := append([]string{}, u.Refused[:min(len(u.Refused), maxRefused)]...)
	return event.IndexUpdate{
		Root: s.State().Config.Repo, Files: u.Files, Read: u.Read, Removed: u.Removed, Skipped: event.Skipped(u.Skipped),
		Refused: refused, Left: u.Left, Capped: u.Capped, WallMS: u.Wall.Milliseconds(),
	}
}

func redactedText(s string) bool { return redact.HasPlaceholder(s) }

func stack() string { return string(debug.Stack()) }
