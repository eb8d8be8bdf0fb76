package sandbox

import (
	"fmt"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refusedCalls reach the kernel's own state, other processes or the view of the file system. A program that tries gets "not permitted" and goes on.
var refusedCalls = [...]uint32{
	unix.SYS_ACCT, unix.SYS_ADD_KEY, unix.SYS_BPF, unix.SYS_CHROOT, unix.SYS_CLOCK_ADJTIME, unix.SYS_CLOCK_SETTIME, unix.SYS_DELETE_MODULE, unix.SYS_FANOTIFY_INIT, unix.SYS_FINIT_MODULE,
	unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSOPEN, unix.SYS_FSPICK, unix.SYS_INIT_MODULE, unix.SYS_KCMP, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_KEXEC_LOAD, unix.SYS_KEYCTL, unix.SYS_LOOKUP_DCOOKIE,
	unix.SYS_MOUNT, unix.SYS_MOUNT_SETATTR, unix.SYS_MOVE_MOUNT, unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_OPEN_TREE, unix.SYS_PERF_EVENT_OPEN,
	unix.SYS_PIVOT_ROOT, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_REBOOT, unix.SYS_REQUEST_KEY, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETNS, unix.SYS_SETTIMEOFDAY, unix.SYS_SWAPOFF, unix.SYS_SWAPON, unix.SYS_SYSLOG, unix.SYS_UMOUNT2, unix.SYS_UNSHARE, unix.SYS_USERFAULTFD, unix.SYS_VHANGUP,
}

// absentCalls do not exist as far as a command can tell, so that it takes the older way, which can be looked into.
var absentCalls = [...]uint32{unix.SYS_CLONE3, unix.SYS_OPENAT2, unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// sharedCalls get at what other processes share by a number.
var sharedCalls = [...]uint32{unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK}

// families of sockets that programs use. The others reach devices, the machine below a virtual one, or little used parts of the kernel.
var families = [...]uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}

// modeCall is a call that gives a file its mode. Where flags is not 0, it does so only when they say that the file is new.
type modeCall struct{ call, flags, mode uint32 }

// setID are the bits of a mode by which a program runs with the rights of its file's owner, whoever starts it.
const setID = unix.S_ISUID | unix.S_ISGID

// newFile are the flags of open that make a file; the second is O_TMPFILE without the part that other flags share.
const newFile = unix.O_CREAT | 0x400000

// The places of the kernel's seccomp_data.
const (
	placeOfCall  = 0
	placeOfArch  = 4
	placeOfFirst = 16 // the low half of the first argument, where bytes are in this order
	placeOfNext  = 24
	placeStep    = 8
)

// namespaces are the flags of clone that make any but a thread or a process.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP

// firstForeign is where the numbers of another call table begin, on the one architecture that has two.
const firstForeign = 0x40000000

// tioclinux writes into a terminal as TIOCSTI does.
const tioclinux = 0x541c

func statement(code uint16, k uint32) unix.SockFilter { return unix.SockFilter{Code: code, K: k} }

func load(place uint32) unix.SockFilter {
	return statement(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, place)
}

func answer(errno unix.Errno) unix.SockFilter {
	return statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ERRNO|uint32(errno))
}

// unless goes on behind the next statement when the loaded value does not compare so.
func unless(compare uint16, k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | compare | unix.BPF_K, Jf: 1, K: k}
}

// filter is the program that the kernel runs for each call.
func (r *Restrictions) filter(arch uint32) []unix.SockFilter {
	p := []unix.SockFilter{
		load(placeOfArch), {Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1, K: arch}, answer(unix.ENOSYS),
		load(placeOfCall), unless(unix.BPF_JGE, firstForeign), answer(unix.ENOSYS),
	}
	for _, call := range absentCalls {
		p = append(p, unless(unix.BPF_JEQ, call), answer(unix.ENOSYS))
	}
	for _, call := range refusedCalls {
		p = append(p, unless(unix.BPF_JEQ, call), answer(unix.EPERM))
	}
	p = append(p, // clone: its flags
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 4, K: unix.SYS_CLONE},
		load(placeOfFirst), unless(unix.BPF_JSET, namespaces), answer(unix.EPERM), load(placeOfCall),
	)
	p = append(p, // prlimit64: whose limits
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 4, K: unix.SYS_PRLIMIT64},
		load(placeOfFirst), unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 1}, answer(unix.EPERM), load(placeOfCall),
	)
	for _, c := range modeCalls {
		p = append(p, c.check()...)
	}
	if r.NoShared {
		for _, call := range sharedCalls {
			p = append(p, unless(unix.BPF_JEQ, call), answer(unix.EPERM))
		}
	}
	p = append(p, r.sockets()...)
	p = append(p, // ioctl: what it asks for
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 5, K: unix.SYS_IOCTL},
		load(placeOfNext), unless(unix.BPF_JEQ, unix.TIOCSTI), answer(unix.EPERM), unless(unix.BPF_JEQ, tioclinux), answer(unix.EPERM),
	)
	return append(p, statement(unix.BPF_RET|unix.BPF_K, unix.SECCOMP_RET_ALLOW))
}

// check refuses a mode with setID.
func (c modeCall) check() []unix.SockFilter {
	mode := []unix.SockFilter{load(placeOfFirst + placeStep*c.mode), unless(unix.BPF_JSET, setID), answer(unix.EPERM), load(placeOfCall)}
	if c.flags != 0 {
		mode = append([]unix.SockFilter{load(placeOfFirst + placeStep*c.flags), {Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 3, K: newFile}}, mode...)
	}
	return append([]unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(len(mode)), K: c.call}}, mode...)
}

// sockets refuses the families of sockets that are not for the command.
func (r *Restrictions) sockets() []unix.SockFilter {
	var p []unix.SockFilter
	for _, family := range families {
		if !r.NoNetwork && !(r.NoSockets && family == unix.AF_UNIX) {
			p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: family})
		}
	}
	for i := range p { // a known family goes on behind the answer
		p[i].Jt = uint8(len(p) - i)
	}
	p = slices.Concat([]unix.SockFilter{load(placeOfFirst)}, p, []unix.SockFilter{answer(unix.EPERM), load(placeOfCall)})
	return append([]unix.SockFilter{{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: uint8(len(p)), K: unix.SYS_SOCKET}}, p...)
}

// filterCalls has the kernel refuse calls of this thread and of what it starts.
func (r *Restrictions) filterCalls() error {
	if arch == 0 {
		return fmt.Errorf("the calls of this processor are not known")
	}
	p := r.filter(arch)
	prog := unix.SockFprog{Len: uint16(len(p)), Filter: &p[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return errno
	}
	return nil
}
