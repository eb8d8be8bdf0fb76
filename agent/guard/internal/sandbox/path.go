package sandbox

import (
	"path/filepath"
)

// resolved returns the layout with links in its paths followed: bwrap and Landlock go by where things are, and a home folder or a key may well be a link.
func (l Layout) resolved() Layout {
	for _, path := range []*string{&l.Tree, &l.Temp, &l.Home, &l.Proxy} {
		if *path != "" {
			*path = resolved(*path)
		}
	}
	for _, list := range []*[]string{&l.Writable, &l.ReadOnly, &l.Empty, &l.Hidden, &l.Visible} {
		var paths []string
		for _, path := range *list {
			if filepath.IsAbs(path) {
				paths = append(paths, resolved(path))
			}
		}
		*list = paths
	}
	return l
}

// resolved follows the links of a path as far as it exists.
func resolved(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}

// within reports whether path is dir or lies below it.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && (rel == "." || filepath.IsLocal(rel))
}

// ofMachine lists what proves who somebody is, or hands out the rights of the machine, outside any home folder.
func ofMachine() []string {
	return []string{
		"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/sudoers.d", "/etc/krb5.keytab", "/etc/wireguard", "/etc/kubernetes", "/etc/rancher", "/etc/docker",
		"/var/lib/docker", "/var/lib/containerd", "/var/lib/kubelet", "/var/lib/lxd", "/var/lib/incus", "/var/snap/lxd", "/var/spool/cron", "/boot/efi", "/mnt/wslg",
	}
}
