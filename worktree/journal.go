package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
)

// journal says what is being moved in a checkout, from before the first file is written until the last step is done. It lies in the git folder of that checkout, where no command of a session can write, because whoever finds it believes it.
type journal struct {
	// Session is who moves it.
	Session string `json:"session"`
	// Ref decides whether the move happened.
	Ref string `json:"ref"`
	// From is what Ref was before; empty when it did not exist.
	From string `json:"from"`
	// To is what Ref becomes; empty when it goes.
	To string `json:"to"`
	// Undo says that the move takes a landing back, so that To is older than From.
	Undo bool `json:"undo"`
	// Before and After are trees that differ in the files that move.
	Before string `json:"before"`
	After  string `json:"after"`
	// Staged and StagedAfter are trees that differ in the index entries that move; both are empty when the index stays as it is.
	Staged      string `json:"staged"`
	StagedAfter string `json:"staged_after"`
}

// journalName is the file's name in a git folder.
const journalName = "nodwyn-landing"

// write puts the journal into place in one step, on disk before it is seen.
func (j journal) write(folder string) error {
	text, err := json.Marshal(j)
	if err != nil {
		return fmt.Errorf("note the landing: %w", err)
	}
	file, err := os.CreateTemp(folder, journalName+"-")
	if err != nil {
		return fmt.Errorf("note the landing: %w", err)
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), filepath.Join(folder, journalName))
	}
	if err != nil {
		return errors.Join(fmt.Errorf("note the landing: %w", err), os.Remove(file.Name()))
	}
	return nil
}

// readJournal returns the journal in a git folder; found is false when there is none.
func readJournal(folder string) (j journal, found bool, err error) {
	text, err := os.ReadFile(filepath.Join(folder, journalName))
	if errors.Is(err, fs.ErrNotExist) {
		return journal{}, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &j)
	}
	if err != nil {
		return journal{}, false, fmt.Errorf("read %q in %q: %w", journalName, folder, err)
	}
	return j, true, nil
}

func dropJournal(folder string) error {
	if err := os.Remove(filepath.Join(folder, journalName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("end the landing: %w", err)
	}
	return nil
}
