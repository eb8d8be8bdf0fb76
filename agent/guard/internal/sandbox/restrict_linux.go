package sandbox

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The rights of Landlock, by the version that brought them. What a kernel does not know must not be asked of it.
const (
	rightsToRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	rightsOfFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	rightsOne    = rightsToRead | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
	rightsOfDevices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

	rightsTwo   = rightsOne | unix.LANDLOCK_ACCESS_FS_REFER
	rightsThree = rightsTwo | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

// The scopes of Landlock's sixth version: sockets without a file, and signals, of processes outside.
const scopes = 1<<0 | 1<<1

// ruleset is the kernel's landlock_ruleset_attr.
type ruleset struct{ fs, net, scoped uint64 }

func handled(version int) uint64 {
	switch {
	case version >= 3:
		return rightsThree
	case version == 2:
		return rightsTwo
	}
	return rightsOne
}

// Apply restricts the calling thread, and what it starts from then on, for good. Nothing of it can be taken back, also not by what runs.
func (r *Restrictions) Apply() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	if r.Landlock > 0 {
		if err := r.lock(); err != nil {
			return fmt.Errorf("restrict files: %w", err)
		}
	}
	if r.Filter {
		if err := r.filterCalls(); err != nil {
			return fmt.Errorf("restrict system calls: %w", err)
		}
	}
	return nil
}

// dropCapabilities leaves root with the rights of any owner of files.
func dropCapabilities() error {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0) // only root may, and only root has to
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	return unix.Capset(&header, &none[0])
}

func (r *Restrictions) lock() error {
	attr := ruleset{fs: handled(r.Landlock)}
	size := unsafe.Sizeof(attr.fs)
	if r.Landlock >= scopesVersion {
		attr.scoped, size = scopes, unsafe.Sizeof(attr)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	read := r.Read
	if read == nil {
		read = []string{"/"}
	}
	for _, path := range read {
		if err := allow(int(fd), path, rightsToRead, attr.fs); err != nil {
			return err
		}
	}
	own := []string{fmt.Sprintf("/proc/%d", os.Getpid())} // its settings, among them how it likes to be ended
	if r.Names {
		if err := allow(int(fd), "/", unix.LANDLOCK_ACCESS_FS_READ_DIR, attr.fs); err != nil {
			return err
		}
	}
	for _, path := range append(own, r.Write...) {
		if err := allow(int(fd), path, attr.fs&^rightsOfDevices, attr.fs); err != nil {
			return err
		}
	}
	if _, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow adds a rule for what lies below a path; one that is not there needs none.
func allow(ruleset int, path string, rights, known uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= rightsOfFile
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights & known, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "allow", Path: path, Err: errno}
	}
	return nil
}

// landlockVersion is that of the kernel; 0 when it has none or does not use it.
func landlockVersion() int {
	const version = 1 // the flag LANDLOCK_CREATE_RULESET_VERSION
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version)
	if errno != 0 {
		return 0
	}
	return int(v)
}
