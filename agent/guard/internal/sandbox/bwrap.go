package sandbox

import (
	"os"
	"slices"
)

// arguments are those of bwrap. Each hides or shows what those before it left, so that they go from the whole to the particular.
func (b Box) arguments(l Layout) []string {
	a := []string{"--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent", "--cap-drop", "ALL"}
	if b.noUserns {
		a = append(a, "--disable-userns")
	}
	if !l.Network {
		a = append(a, "--unshare-net")
	}
	a = append(a, "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/run")
	if l.Temp == "" {
		a = append(a, "--tmpfs", "/tmp")
	} else {
		a = append(a, "--bind", l.Temp, "/tmp")
	}
	if stat, err := os.Stat("/var/tmp"); err == nil && stat.IsDir() {
		a = append(a, "--tmpfs", "/var/tmp")
	}
	a = append(a, show(ofTheSystem[:])...)
	if l.Home != "" && (within(l.Home, "/tmp") || within(l.Home, "/var/tmp") || within(l.Home, "/run")) {
		a = append(a, bind("--ro-bind", []string{l.Home})...)
	}
	for _, path := range outer(slices.Concat(l.Hidden, ofMachine())) {
		a = append(a, hide(path)...)
	}
	a = append(a, bind("--ro-bind", l.Visible)...)
	a = append(a, bind("--bind", l.writable())...)
	a = append(a, bind("--ro-bind", l.ReadOnly)...)
	if l.proxy() != "" {
		a = append(a, bind("--ro-bind", []string{l.Proxy})...)
	}
	for _, path := range l.Empty {
		a = append(a, "--dev-bind", "/dev/null", path)
	}
	for _, path := range inner(l.Hidden, l.writable()) {
		a = append(a, hide(path)...)
	}
	return a
}

// bind shows those of the paths that are there for us.
func bind(how string, paths []string) []string {
	var a []string
	for _, path := range paths {
		if _, err := os.Stat(path); err == nil {
			a = append(a, how, path, path)
		}
	}
	return a
}

// show shows paths that may be links, whose targets are seen where they are.
func show(paths []string) []string {
	var a []string
	for _, path := range paths {
		if target, err := os.Readlink(path); err == nil {
			a = append(a, "--symlink", target, path)
			continue
		}
		a = append(a, bind("--ro-bind", []string{path})...)
	}
	return a
}

// ofTheSystem are what programs need of /run: the names of hosts, and on some systems the programs themselves.
var ofTheSystem = [...]string{
	"/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf", "/run/nscd", "/run/current-system", "/run/booted-system", "/run/opengl-driver", "/run/wrappers",
}

// hide puts something empty over a path that exists.
func hide(path string) []string {
	stat, err := os.Stat(path)
	switch {
	case err != nil:
		return nil
	case stat.IsDir():
		return []string{"--tmpfs", path}
	}
	return []string{"--dev-bind", "/dev/null", path} // as a device, or it could not even be read as empty
}

// outer drops paths that lie in others of the list.
func outer(paths []string) []string {
	var list []string
	for _, p := range paths {
		if !slices.ContainsFunc(paths, func(q string) bool { return q != p && within(p, q) }) && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// inner returns the hidden paths that lie in writable folders, which show them again.
func inner(hidden, writable []string) []string {
	var list []string
	for _, h := range hidden {
		if slices.ContainsFunc(writable, func(w string) bool { return h != w && within(h, w) && !within(w, h) }) {
			list = append(list, h)
		}
	}
	return list
}
