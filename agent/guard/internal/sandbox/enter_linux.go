package sandbox

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// become restricts the thread that runs it and replaces the process from it, so that what holds for the thread holds for the program.
func become(r *Restrictions, argv []string) error {
	runtime.LockOSThread()
	if err := r.Apply(); err != nil {
		return err
	}
	path, err := look(argv[0], os.Getenv("PATH"))
	if err != nil {
		return err
	}
	return &os.PathError{Op: "run", Path: path, Err: unix.Exec(path, argv, r.environment(os.Environ()))}
}
