// Package sandbox contains a command: it may write its tree and little else, does not see what proves who the person is, and reaches no other process.
//
// Invariant: what cannot be contained is not started. Which backend a machine has is found out by trying it, and nothing falls back to less than was chosen.
package sandbox

import (
	"path/filepath"
	"slices"
	"strings"
)

// Backend is a way to contain commands.
type Backend string

// The backends, from the strongest.
const (
	// Bubblewrap gives a command a view of the file system of its own, with bwrap, and the restrictions of Kernel in it.
	Bubblewrap Backend = "bwrap"
	// Kernel restricts a command by what the kernel lets every program do to itself: Landlock and a system call filter. What it may write is what is there when it starts, names outside can be listed, and modes of the person's own files changed.
	Kernel Backend = "landlock"
	// None contains nothing.
	None Backend = "none"
)

// Layout is what a command may do to the file system. All paths are absolute.
type Layout struct {
	// Tree is where it works. It is writable.
	Tree string
	// Writable are further folders and files that it may change.
	Writable []string
	// ReadOnly are files and folders inside writable ones that it may not change. Those that do not exist cannot be made, if they are in Empty.
	ReadOnly []string
	// Empty are files inside writable folders that stay empty, whether they exist or not.
	Empty []string
	// Hidden are folders and files that it does not see.
	Hidden []string
	// Visible are folders and files inside hidden ones that it sees all the same.
	Visible []string
	// Home is the person's home folder, which is seen but for what is hidden in it.
	Home string
	// Temp is a folder that stands in the place of the system's for temporary files, from one command to the next.
	Temp string
	// Proxy is the socket of a proxy that it reaches although it has no network, by the variables that programs look at; empty for none. Only Bubblewrap can do that.
	Proxy string
	// Network lets it reach the network.
	Network bool
}

// Box is a backend, ready to contain commands.
type Box struct {
	Backend Backend
	// program is bwrap's path.
	program string
	// noUserns says that bwrap can forbid further user namespaces.
	noUserns bool
	// landlock is the version of Landlock that the kernel has; 0 for none.
	landlock int
}

// Command returns the argv that runs inside in the box: bwrap with its arguments in front, where that is the backend. Dir is where the command starts.
func (b Box) Command(l Layout, dir string, inside []string) []string {
	if b.Backend != Bubblewrap {
		return inside
	}
	return slices.Concat([]string{b.program}, b.arguments(l.resolved()), []string{"--chdir", resolved(dir), "--"}, inside)
}

// Restrictions returns what the process in the box does to itself before it runs the command.
func (b Box) Restrictions(l Layout) *Restrictions {
	l = l.resolved()
	switch b.Backend {
	case Bubblewrap: // the view does the rest; sockets without a file are not in it
		return &Restrictions{
			Proxy: l.proxy(), Filter: true, Landlock: b.landlock, NoSockets: l.Network && b.landlock < scopesVersion,
			Write: slices.Concat(l.writable(), devices[:], ownDevices[:]),
		}
	case Kernel:
		return &Restrictions{
			Filter: true, Landlock: b.landlock, NoSockets: true, NoNetwork: !l.Network, NoShared: true, Temp: l.Temp,
			Read: l.readable(), Write: l.changeable(), Names: true,
		}
	}
	return nil
}

// proxy is the socket of the proxy, where one is needed.
func (l Layout) proxy() string {
	if l.Network {
		return ""
	}
	return l.Proxy
}

func (l Layout) writable() []string { return append([]string{l.Tree}, l.Writable...) }

// Personal lists what a home folder has that proves who the person is or belongs to their other programs.
func Personal(home string) []string {
	var list []string
	for _, name := range personal {
		list = append(list, filepath.Join(home, filepath.FromSlash(name)))
	}
	return list
}

var personal = [...]string{
	".ssh", ".aws", ".azure", ".gnupg", ".kube", ".docker", ".netrc", "_netrc", ".git-credentials", ".pgpass", ".my.cnf", ".pypirc", ".npmrc", ".yarnrc.yml", ".terraform.d", ".vault-token",
	".password-store", ".config/gcloud", ".config/gh", ".config/hub", ".config/op", ".config/rclone", ".config/doctl", ".config/git/credentials", ".config/1Password", ".config/Bitwarden",
	".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".composer/auth.json", ".config/composer/auth.json",
	".local/share/keyrings", ".local/share/kwalletd", ".mozilla", ".thunderbird", ".config/google-chrome", ".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/vivaldi", ".config/opera",
	".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history", ".local/share/fish/fish_history",
	".claude", ".claude.json", ".codex", ".gemini", ".config/github-copilot", ".config/nodwyn", ".local/share/nodwyn", ".vscode-server/data", ".config/Code/User/globalStorage",
}

// Tools returns the folders of PATH and the program itself, which have to stay visible wherever they lie.
func Tools(path, program string) []string {
	list := []string{program}
	for _, dir := range filepath.SplitList(path) {
		if filepath.IsAbs(dir) && strings.Count(filepath.Clean(dir), "/") > 1 {
			list = append(list, filepath.Clean(dir))
		}
	}
	return list
}
