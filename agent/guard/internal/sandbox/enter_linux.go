package sandbox

import (
	"fmt"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// become restricts the thread that runs it and replaces the process from it, so that what holds for the thread holds for the program.
func become(r *Restrictions, self, argv []string) error {
	if r.Proxy != "" {
		port, err := startForward(self, r.Proxy)
		if err != nil {
			return fmt.Errorf("reach the proxy: %w", err)
		}
		r.Env = append(r.Env, proxyVariables(port)...)
	}
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
