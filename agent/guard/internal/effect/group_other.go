//go:build !unix

package effect

import "os/exec"

// ownGroup does nothing: cancellation reaches the program alone here.
func ownGroup(*exec.Cmd) {}

// clearGroup does nothing: there are no groups here.
func clearGroup(*exec.Cmd) {}
