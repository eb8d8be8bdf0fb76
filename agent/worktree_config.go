package agent

import (
	"fmt"
	"strings"
	"time"
)

// DefaultQuota is how many bytes worktrees and their trash may take where the person says nothing else.
const DefaultQuota = 20 << 30

// WorktreeConfig is what the person's configuration says about the worktrees of sessions. Its zero value copies, runs and keeps nothing.
type WorktreeConfig struct {
	// Carry takes the person's uncommitted and untracked work along into a new worktree where the request for a session says nothing about it.
	Carry bool
	// CopyIgnored are patterns, in the syntax of .gitignore, of ignored files that each worktree gets a copy of.
	CopyIgnored []string
	// Setup are the commands that make a new worktree fit for work, in order.
	Setup []SetupCommand
	// Spare keeps one worktree of each repository ready for the next session.
	Spare bool
	// Quota is how many bytes worktrees and their trash may take; 0 is DefaultQuota.
	Quota int64
}

// SetupCommand is one command of a set-up. It runs in the root of the worktree.
type SetupCommand struct {
	// Run is the program and its arguments.
	Run []string
	// Timeout ends the command; it is never 0.
	Timeout time.Duration
}

// setupText spells a set-up out as a configuration would, so that a person can read what they trust and a digest covers all of what runs. No other content that can be trusted begins like it.
func setupText(setup []SetupCommand) []byte {
	var b strings.Builder
	b.WriteString("[worktree]\nsetup = [\n")
	for _, c := range setup {
		words := make([]string, len(c.Run))
		for i, word := range c.Run {
			words[i] = fmt.Sprintf("%q", word)
		}
		fmt.Fprintf(&b, "  { run = [%s], timeout = %q },\n", strings.Join(words, ", "), c.Timeout)
	}
	b.WriteString("]\n")
	return []byte(b.String())
}
