//go:build unix

package effect

import (
	"os/exec"
	"syscall"
)

// ownGroup makes cancellation reach what the program started, too.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
