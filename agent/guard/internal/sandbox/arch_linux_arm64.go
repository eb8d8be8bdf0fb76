package sandbox

import "golang.org/x/sys/unix"

// arch is how the kernel names the table of calls that the filter is for.
const arch = unix.AUDIT_ARCH_AARCH64

// modeCalls are the calls that give a file its mode.
var modeCalls = [...]modeCall{
	{unix.SYS_FCHMOD, 0, 1}, {unix.SYS_FCHMODAT, 0, 2}, {unix.SYS_FCHMODAT2, 0, 2}, {unix.SYS_MKNODAT, 0, 2}, {unix.SYS_MKDIRAT, 0, 2}, {unix.SYS_OPENAT, 2, 3},
}
