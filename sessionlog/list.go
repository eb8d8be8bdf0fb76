package sessionlog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// suffix ends the file name of every log.
const suffix = ".jsonl"

// Entry is a log in a folder.
type Entry struct {
	// Session is the id of the session.
	Session string
	// Path is where the log stands.
	Path string
	// Size is the log's size in bytes.
	Size int64
	// ModTime is when the log was last written.
	ModTime time.Time
}

// List returns the logs in the folder dir, sorted by session id and so by creation. It opens none of them. A folder that is missing has none; files that are no logs are passed over.
func List(dir string) ([]Entry, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list logs: %w", err)
	}
	var out []Entry
	for _, f := range files {
		session, isLog := strings.CutSuffix(f.Name(), suffix)
		if !isLog || !ValidID(session) || !f.Type().IsRegular() {
			continue
		}
		info, err := f.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the folder was read
		}
		if err != nil {
			return nil, fmt.Errorf("list logs: %w", err)
		}
		out = append(out, Entry{Session: session, Path: Path(dir, session), Size: info.Size(), ModTime: info.ModTime()})
	}
	// File names sort otherwise: the dot of the suffix comes behind the dash of a longer id.
	slices.SortFunc(out, func(a, b Entry) int { return cmp.Compare(a.Session, b.Session) })
	return out, nil
}
