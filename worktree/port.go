package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	// portBase is the first port of the first slot.
	portBase = 20000
	// PortsEach is how many ports a worktree has.
	PortsEach = 10
	// portSlots ends them before 32768, from where on Linux hands ports out to connections.
	portSlots = (32768 - portBase) / PortsEach
	// portLock is the file that is locked while slots are looked at and changed.
	portLock = ".lock"
	// portPatience is how long somebody else may hold the lock.
	portPatience = 5 * time.Second
)

// Ports gives each worktree of a person ports of its own, so that servers that are started in several do not meet. A slot is a file, named by its number, that says whose it is; all processes of the person share the folder.
type Ports struct {
	// Dir is the folder; it is made when it is needed.
	Dir string
	// Live reports whether a session is open in any process.
	Live func(session string) bool
}

// slot says whose the ports are.
type slot struct {
	Session string `json:"session"`
	// Path is the worktree. When it is gone and the session is not open, somebody else may have the ports.
	Path string `json:"path"`
}

// Claim returns the first of the ports of a session's worktree: those that it has, else the lowest that nobody has.
//
// A process that dies in it leaves the slot as it was or as it becomes: a file is written beside it and renamed. The lock goes with the process.
func (p Ports) Claim(ctx context.Context, session, path string) (first int, err error) {
	err = p.locked(ctx, func() error {
		slots, err := p.slots()
		if err != nil {
			return err
		}
		n := p.choose(slots, session)
		if n < 0 {
			return fmt.Errorf("all %d slots are taken; remove worktrees that are not needed", portSlots)
		}
		first = portBase + n*PortsEach
		if mine := (slot{session, path}); slots[n] == nil || *slots[n] != mine {
			return p.write(n, mine)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("claim ports for %q: %w", path, err)
	}
	return first, nil
}

// Of returns the first of the ports that a session has; 0 when it has none.
func (p Ports) Of(session string) (int, error) {
	slots, err := p.slots()
	if err != nil {
		return 0, fmt.Errorf("look up the ports of session %s: %w", session, err)
	}
	if n := slotOf(slots, session); n >= 0 {
		return portBase + n*PortsEach, nil
	}
	return 0, nil
}

// Release gives the ports of a session back. One that has none is fine.
func (p Ports) Release(ctx context.Context, session string) error {
	return p.drop(ctx, func(s slot) bool { return s.Session == session })
}

// Sweep gives the ports back whose worktree is gone, as processes that died leave them. Claim does not need it: it takes such slots.
func (p Ports) Sweep(ctx context.Context) error { return p.drop(ctx, p.stale) }

func (p Ports) drop(ctx context.Context, match func(slot) bool) error {
	if _, err := os.Stat(p.Dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	err := p.locked(ctx, func() error {
		slots, err := p.slots()
		if err != nil {
			return err
		}
		for n, s := range slots {
			if s != nil && match(*s) {
				err = errors.Join(err, os.Remove(p.file(n)))
			}
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("give ports back: %w", err)
	}
	return nil
}

// choose returns the slot that is the session's, else the lowest that is free or stale; -1 when there is none.
func (p Ports) choose(slots map[int]*slot, session string) int {
	if n := slotOf(slots, session); n >= 0 {
		return n
	}
	for n := range portSlots {
		s, taken := slots[n]
		if !taken || s != nil && p.stale(*s) {
			return n
		}
	}
	return -1
}

func slotOf(slots map[int]*slot, session string) int {
	for n := range portSlots {
		if s := slots[n]; s != nil && s.Session == session {
			return n
		}
	}
	return -1
}

// stale reports whether nothing uses the ports any more. What cannot be seen counts as used.
func (p Ports) stale(s slot) bool {
	_, err := os.Lstat(s.Path)
	return errors.Is(err, fs.ErrNotExist) && !p.Live(s.Session)
}

func (p Ports) file(n int) string { return filepath.Join(p.Dir, fmt.Sprintf("%04d", n)) }

// slots reads what is taken. A slot that does not say whose it is, as another version may write it, is taken by nil.
func (p Ports) slots() (map[int]*slot, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	slots := make(map[int]*slot)
	for _, entry := range entries {
		n, err := strconv.Atoi(entry.Name())
		if err != nil || p.file(n) != filepath.Join(p.Dir, entry.Name()) {
			continue
		}
		text, err := os.ReadFile(p.file(n))
		if errors.Is(err, fs.ErrNotExist) {
			continue // given back meanwhile
		}
		slots[n] = nil
		var s slot
		if err == nil && json.Unmarshal(text, &s) == nil && s.Session != "" && s.Path != "" {
			slots[n] = &s
		}
	}
	return slots, nil
}

// write puts a slot into place whole. It is synced before it is renamed, since an empty file after a power cut would take the slot for ever.
func (p Ports) write(n int, s slot) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	name := filepath.Join(p.Dir, ".new")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errors.Join(err, os.Remove(name))
	}
	return os.Rename(name, p.file(n))
}

// locked runs do while no other process looks at or changes slots.
func (p Ports) locked(ctx context.Context, do func() error) error {
	if err := os.MkdirAll(p.Dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(p.Dir, portLock), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := waitForLock(ctx, file); err != nil {
		return err
	}
	// Closing would not do: a child that is forked meanwhile holds a copy of the descriptor until its exec.
	return errors.Join(do(), unlockFile(file))
}

// waitForLock takes the lock. Whoever has it needs it for a moment only, unless their process stands still.
func waitForLock(ctx context.Context, file *os.File) error {
	start := time.Now()
	for wait := time.Millisecond; ; wait = min(2*wait, firstPause) {
		taken, err := tryLockFile(file)
		if err != nil {
			return fmt.Errorf("lock %q: %w", file.Name(), err)
		}
		if taken {
			return nil
		}
		if time.Since(start) > portPatience {
			return fmt.Errorf("another process has held the lock on %q for %v; end it or let it go on, then try again", file.Name(), portPatience)
		}
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}
