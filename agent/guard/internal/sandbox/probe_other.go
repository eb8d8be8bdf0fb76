//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"runtime"
)

// Run runs a program to its end with nothing in its environment but a PATH, and returns what it printed.
type Run func(ctx context.Context, argv ...string) (out string, err error)

// Finding is what a machine can do to contain commands.
type Finding struct {
	// Box is the strongest backend that works.
	Box Box
	// Notes say in sentences what there is, what is missing, and how to get it.
	Notes []string
}

// Probe finds nothing: there is no backend for this system.
func Probe(context.Context, string, Run) Finding {
	return Finding{Box: Box{Backend: None}, Notes: []string{"there is no sandbox for commands on " + runtime.GOOS + " in this version"}}
}

// Apply refuses.
func (r *Restrictions) Apply() error { return errors.ErrUnsupported }
