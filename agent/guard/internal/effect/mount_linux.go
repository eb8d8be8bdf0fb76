package effect

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// mountOf identifies the mount that a folder lies on; a bind mount of the same file system counts as another. Kernels before 5.8 do not tell, and then the device does.
func mountOf(dir *os.Root) (uint64, error) {
	f, err := dir.Open(".")
	if err != nil {
		return 0, err
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var st unix.Statx_t
	var failed error
	err = conn.Control(func(fd uintptr) {
		failed = unix.Statx(int(fd), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &st)
	})
	if err := errors.Join(err, failed); err != nil {
		return 0, err
	}
	if st.Mask&unix.STATX_MNT_ID == 0 {
		return unix.Mkdev(st.Dev_major, st.Dev_minor), nil
	}
	return st.Mnt_id, nil
}
