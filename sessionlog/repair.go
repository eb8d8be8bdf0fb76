package sessionlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// restore reads the locked log f from its start, tells applied of each event, and repairs a torn end. It returns the last seq, and what was torn off.
func restore(f *os.File, applied func(event.Event)) (int64, *TruncatedError, error) {
	// A writer that was killed may have written events and not synced them. Folds act on what they are told, so it is made durable first.
	if err := syncData(f); err != nil {
		return 0, nil, err
	}
	s := newScanner(f, f.Name())
	for {
		e, err := s.next()
		if err == io.EOF {
			return s.seq, nil, nil
		}
		if _, torn := errors.AsType[*tail](err); torn {
			repaired, err := repair(f, s.end)
			return s.seq, repaired, err
		}
		if err != nil {
			return 0, nil, err
		}
		if applied != nil {
			applied(e)
		}
	}
}

// repair moves the bytes of f from offset end on to a file beside it. The copy is durable before the log is cut, so a crash in between leaves the bytes twice and never not at all.
func repair(f *os.File, end int64) (*TruncatedError, error) {
	kept, n, err := keep(f, end)
	if err != nil {
		return nil, fmt.Errorf("keep torn end: %w", err)
	}
	if err := f.Truncate(end); err != nil {
		return nil, fmt.Errorf("cut torn end: %w", err)
	}
	if err := f.Sync(); err != nil {
		return nil, fmt.Errorf("cut torn end: %w", err)
	}
	return &TruncatedError{File: f.Name(), Kept: kept, Bytes: n}, nil
}

// keep copies the bytes of f from offset end on, durably, and returns where to and how many.
func keep(f *os.File, end int64) (string, int64, error) {
	out, err := createKept(strings.TrimSuffix(f.Name(), suffix))
	if err != nil {
		return "", 0, err
	}
	n, err := io.Copy(out, io.NewSectionReader(f, end, math.MaxInt64-end))
	if err == nil {
		err = out.Sync()
	}
	if err := errors.Join(err, out.Close()); err != nil {
		return "", 0, err
	}
	return out.Name(), n, syncFolder(filepath.Dir(out.Name()))
}

// createKept makes the first file of base.torn-1, base.torn-2, … that does not exist.
func createKept(base string) (*os.File, error) {
	for n := 1; ; n++ {
		out, err := os.OpenFile(fmt.Sprintf("%s.torn-%d", base, n), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return out, err
		}
	}
}
