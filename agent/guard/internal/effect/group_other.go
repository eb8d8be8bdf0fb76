//go:build !unix

package effect

import "os/exec"

// ownGroup does nothing: cancellation reaches the program alone here.
func ownGroup(*exec.Cmd) {}
