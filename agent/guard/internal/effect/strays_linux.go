package effect

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// endStrays kills what has become a child of this process without being started by it, with all that descends from it: the tree of a supervisor that died. It returns how many processes it could not end.
func endStrays() int {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	limit := time.After(giveUp)
	for {
		all := strays()
		if len(all) == 0 {
			return 0
		}
		for _, p := range all {
			_ = unix.Kill(p.pid, unix.SIGKILL)
			_, _ = unix.Wait4(p.pid, nil, unix.WNOHANG|unix.WALL, nil) // only our own children are there to be waited for
		}
		select {
		case <-limit:
			return len(all)
		case <-tick.C:
		}
	}
}

// strays returns our children of other sessions and their descendants. What we start ourselves stays in our session, and what a command starts never comes into it.
func strays() []process {
	session, err := unix.Getsid(0)
	if err != nil {
		return nil
	}
	all := processes()
	var found []process
	for _, p := range all[os.Getpid()] {
		if p.session != session {
			found = append(append(found, p), below(all, p.pid)...)
		}
	}
	return found
}
