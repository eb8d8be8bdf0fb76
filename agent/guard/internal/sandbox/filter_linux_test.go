package sandbox

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestFilterByCall puts every number of a call, with no bit of its arguments set and with all, through the filter, and says of each what must come out.
func TestFilterByCall(t *testing.T) {
	const allow, refuse, absent = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM), unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	for _, r := range []Restrictions{{}, {NoSockets: true}, {NoNetwork: true}, {NoSockets: true, NoNetwork: true, NoShared: true}} {
		p := r.filter(arch)
		for call := range uint32(600) {
			for _, argument := range []uint32{0, ^uint32(0)} {
				all := argument != 0
				want := uint32(allow)
				switch {
				case slices.Contains(absentCalls[:], call):
					want = absent
				case slices.Contains(refusedCalls[:], call), call == unix.SYS_SOCKET, r.NoShared && slices.Contains(sharedCalls[:], call),
					all && (call == unix.SYS_CLONE || call == unix.SYS_PRLIMIT64 || slices.ContainsFunc(modeCalls[:], func(c modeCall) bool { return c.call == call })):
					want = refuse
				}
				if got := verdict(t, p, arch, call, argument); got != want {
					t.Errorf("%+v: call %d with %#x: got %#x, want %#x", r, call, argument, got, want)
				}
			}
		}
		for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_VSOCK, unix.AF_ALG, unix.AF_PACKET} {
			want := uint32(refuse)
			if slices.Contains(families[:], family) && !r.NoNetwork && !(r.NoSockets && family == unix.AF_UNIX) {
				want = allow
			}
			if got := verdict(t, p, arch, unix.SYS_SOCKET, family); got != want {
				t.Errorf("%+v: family %d: got %#x, want %#x", r, family, got, want)
			}
		}
		for _, request := range []uint32{unix.TIOCSTI, tioclinux} {
			if got := verdict(t, p, arch, unix.SYS_IOCTL, request); got != refuse {
				t.Errorf("%+v: ioctl %#x: got %#x, want it refused", r, request, got)
			}
		}
		for _, call := range []uint32{firstForeign, firstForeign + unix.SYS_OPENAT} {
			if got := verdict(t, p, arch, call, 0); got != absent {
				t.Errorf("%+v: call %#x of the other table: got %#x, want it absent", r, call, got)
			}
		}
		for call, want := range map[uint32]uint32{ // whatever the lists say
			unix.SYS_OPENAT2: absent, unix.SYS_CLONE3: absent, unix.SYS_IO_URING_SETUP: absent, unix.SYS_UNSHARE: refuse, unix.SYS_SETNS: refuse, unix.SYS_MOUNT: refuse, unix.SYS_BPF: refuse, unix.SYS_KEYCTL: refuse,
		} {
			if got := verdict(t, p, arch, call, 0); got != want {
				t.Errorf("%+v: call %d: got %#x, want %#x", r, call, got, want)
			}
		}
		if got := verdict(t, p, arch+1, unix.SYS_READ, 0); got != absent {
			t.Errorf("%+v: a call of another processor: got %#x, want it absent", r, got)
		}
	}
}

// verdict is what the kernel would make of a call whose arguments are all the same.
func verdict(t *testing.T, p []unix.SockFilter, arch, call, argument uint32) uint32 {
	t.Helper()
	var loaded uint32
	for i := 0; i < len(p); i++ {
		s, holds := p[i], false
		switch s.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			loaded = map[uint32]uint32{placeOfCall: call, placeOfArch: arch}[s.K]
			if s.K >= placeOfFirst {
				loaded = argument
			}
			continue
		case unix.BPF_RET | unix.BPF_K:
			return s.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			holds = loaded == s.K
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			holds = loaded >= s.K
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			holds = loaded&s.K != 0
		default:
			t.Fatalf("statement %d: code %#x is not known here", i, s.Code)
		}
		if holds {
			i += int(s.Jt)
			continue
		}
		i += int(s.Jf)
	}
	t.Fatalf("call %d runs out of the filter", call)
	return 0
}
