package sandbox

import (
	"os"
	"path/filepath"
	"slices"
)

// devices are those that every command may read and write.
var devices = [...]string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}

// ownDevices are those that a command may also use where they are its own and not the machine's.
var ownDevices = [...]string{"/dev/tty", "/dev/shm", "/dev/pts", "/tmp", "/var/tmp"}

// readable lists what a command may read where Landlock alone holds it. Of the machine's devices that is no disk, no camera and no terminal of another program.
func (l Layout) readable() []string {
	hidden := slices.Concat(l.Hidden, ofMachine(), []string{"/dev", "/run/user"})
	if l.Temp != "" {
		hidden = append(hidden, "/tmp", "/var/tmp")
	}
	list := except("/", hidden, slices.Concat(l.Visible, devices[:], l.temp()))
	for _, w := range l.writable() {
		list = append(list, except(w, below(l.Hidden, w), nil)...)
	}
	return list
}

// changeable lists what a command may change where Landlock alone holds it. Landlock knows no exceptions: a folder with one in it is not in the list, only what it has in it at the time.
func (l Layout) changeable() []string {
	var kept []string
	for _, path := range slices.Concat(l.ReadOnly, l.Empty, l.Hidden) {
		if _, err := os.Lstat(path); err == nil {
			kept = append(kept, path)
		}
	}
	list := slices.Concat(devices[:], l.temp())
	for _, w := range l.writable() {
		list = append(list, except(w, below(kept, w), nil)...)
	}
	return list
}

// below are those of the paths that lie in dir.
func below(paths []string, dir string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == dir || !within(p, dir) })
}

func (l Layout) temp() []string {
	if l.Temp == "" {
		return nil
	}
	return []string{l.Temp}
}

// except lists dir without what is out, but with what is in all the same, as few folders and files as say it. A link is never in the list: what it points to counts by its own place.
func except(dir string, out, in []string) []string {
	if slices.ContainsFunc(out, func(o string) bool { return within(dir, o) }) {
		return slices.DeleteFunc(slices.Clone(in), func(i string) bool { return !within(i, dir) })
	}
	if !slices.ContainsFunc(out, func(o string) bool { return within(o, dir) }) {
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.Type()&os.ModeSymlink == 0 {
			list = append(list, except(filepath.Join(dir, e.Name()), out, in)...)
		}
	}
	return list
}
