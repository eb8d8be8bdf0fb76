package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// escapes are attempts to get out. Each prints GOT-OUT only when it got there; what it may change is looked at afterwards.
var escapes = []struct{ name, text string }{
	{"write beside the tree", `echo x > $D/new`},
	{"write over a file beside the tree", `echo x > $D/outside`},
	{"write to the checkout", `echo x > $R/a.txt`},
	{"write through a link", `ln -s $D/outside l && echo x > l`},
	{"write through a hard link", `ln $D/outside h && echo x > h`},
	{"move the tree's way up", `mv $D/trees/s1 $D/trees/s3 && echo GOT-OUT`},
	{"write to the home", `echo x > $HOME/.profile`},
	{"write over notes", `echo x >> $HOME/notes`},
	{"delete beside the tree", `rm -rf $D/outside $R/a.txt $HOME/notes`},
	{"change a mode outside", `chmod 777 $D/outside && echo GOT-OUT`},
	{"read a key", `cat $HOME/.ssh/id`},
	{"read a token", `cat $HOME/.config/gh/hosts`},
	{"read a key through a link", `ln -s $HOME/.ssh k && cat k/id`},
	{"read a key through root of another process", `cat /proc/1/root$HOME/.ssh/id`},
	{"read a key through an open folder", `cat /proc/self/fd/*/id /proc/self/cwd/../../home/.ssh/id`},
	{"hooks", `mkdir -p $R/.git/hooks; echo x > $R/.git/hooks/post-commit`},
	{"configuration of the repository", `git config core.fsmonitor ./x; echo x >> $R/.git/config`},
	{"configuration of the worktree", `echo x > $R/.git/worktrees/s1/config.worktree`},
	{"commondir", `echo x > $R/.git/worktrees/s1/commondir`},
	{"commondir by a rename", `echo x > c; mv c $R/.git/worktrees/s1/commondir`},
	{"gitdir", `echo x > $R/.git/worktrees/s1/gitdir`},
	{"the lock of the worktree", `rm -f $R/.git/worktrees/s1/locked; git worktree unlock $D/trees/s2`},
	{"another worktree", `echo x > $R/.git/worktrees/s2/HEAD; echo x > $D/trees/s2/a.txt`},
	{"the person's branch", `git update-ref refs/heads/main HEAD~0; git branch -f main nodwyn/mine; echo x > $R/.git/refs/heads/main`},
	{"another session's branch", `git update-ref -d refs/heads/nodwyn/other; echo x > $R/.git/refs/heads/nodwyn/other`},
	{"packed refs", `git pack-refs --all; echo x > $R/.git/packed-refs`},
	{"alternates", `echo /x > $R/.git/objects/info/alternates`},
	{"a tag", `git tag x && echo GOT-OUT`},
	{"HEAD of the checkout", `git --git-dir=$R/.git symbolic-ref HEAD refs/heads/x; echo x > $R/.git/HEAD`},
	{"index of the checkout", `rm -f $R/.git/index`},
	{"end a process outside", `kill -9 $PPID 2>/dev/null; kill -9 $OUTSIDE && echo GOT-OUT`},
	{"end everything", `kill -9 -1 2>/dev/null; echo`},
	{"mount", `$SELF try mount`},
	{"a new user namespace", `$SELF try userns; unshare -Ur true && echo GOT-OUT`},
	{"a namespace by clone", `$SELF try clone`},
	{"ptrace of a process outside", `$SELF try ptrace`},
	{"keys of the kernel", `$SELF try keyctl`},
	{"a program in the kernel", `$SELF try bpf`},
	{"page faults of others", `$SELF try userfaultfd`},
	{"open by handle", `$SELF try handle`},
	{"type into the terminal", `$SELF try tiocsti`},
	{"rings of the kernel", `$SELF try io_uring`},
	{"memory of the machine", `head -c 1 /dev/mem > /dev/null && echo GOT-OUT; head -c 1 /dev/kmem >/dev/null && echo GOT-OUT`},
	{"a device", `mknod d b 8 0 && echo GOT-OUT`},
	{"the kernel's settings", `echo x > /proc/sys/kernel/core_pattern && echo GOT-OUT`},
	{"restart the machine", `echo h > /proc/sysrq-trigger && echo GOT-OUT`},
	{"a socket of an agent", `$SELF try socket`},
	{"a socket without a file", `$SELF try abstract`},
	{"the way to the repository", `echo 'gitdir: /x' > .git; rm -f .git; mv .git g; mkdir .git`},
	{"hooks beside the tree", `git config --worktree core.hooksPath ./x; git config --global core.hooksPath ./x; echo x > $HOME/.gitconfig`},
	{"a key whose folder is a link", `cat $HOME/.aws/c; cat $D/dotfiles/aws/c`},
	{"a token in a file", `cat $HOME/.npmrc`},
	{"a secret in the tree", `cat .env; cp .env e; cat e; git hash-object .env; ln .env e2 && cat e2`},
	{"the environment of a process outside", `tr '\\0' ' ' < /proc/$OUTSIDE/environ`},
	{"the limits of a process outside", `$SELF try prlimit`},
	{"a disk", `for d in /dev/vda /dev/sda /dev/nvme0n1 /dev/loop0; do head -c 1 $d > /dev/null && echo GOT-OUT; done`},
	{"the words that people log in with", `grep -q root /etc/shadow && echo GOT-OUT`},
	{"a program with its owner's rights", `chmod 4755 a.txt && echo GOT-OUT; chmod g+s a.txt && echo GOT-OUT`},
	{"a new one", `$SELF try suid`},
	{"the machine below this one", `$SELF try vsock`},
	{"a new rule for the network", `ip link add x type dummy && echo GOT-OUT; ip link set lo down && echo GOT-OUT`},
	{"another root", `$SELF try chroot`},
	{"set the clock", `date -s 2001-01-01 && echo GOT-OUT`},
}

// try does what a shell cannot, and prints GOT-OUT when the kernel lets it.
func try(what string) int {
	if network, address, ok := strings.Cut(what, "!"); ok {
		return call(network, address)
	}
	var errno unix.Errno
	call := func(n uintptr, a ...uintptr) {
		a = append(a, make([]uintptr, 6)...)
		_, _, errno = unix.Syscall6(n, a[0], a[1], a[2], a[3], a[4], a[5])
	}
	outside, _ := strconv.Atoi(os.Getenv("OUTSIDE"))
	var err error
	switch what {
	case "mount":
		err = unix.Mount("none", "/mnt", "tmpfs", 0, "")
	case "userns":
		err = unix.Unshare(unix.CLONE_NEWUSER)
	case "clone":
		call(unix.SYS_CLONE, unix.CLONE_NEWUSER|uintptr(unix.SIGCHLD))
	case "ptrace":
		err = unix.PtraceAttach(max(outside, 1))
	case "keyctl":
		call(unix.SYS_KEYCTL, 0, ^uintptr(2), 1) // KEYCTL_GET_KEYRING_ID of the session
	case "bpf":
		call(unix.SYS_BPF, 0, 0, 0)
		if errno == unix.EINVAL || errno == unix.EFAULT {
			errno = 0 // it was looked at
		}
	case "userfaultfd":
		call(unix.SYS_USERFAULTFD, 1)
	case "handle":
		_, err = unix.OpenByHandleAt(unix.AT_FDCWD, unix.NewFileHandle(1, make([]byte, 8)), 0)
		if err == unix.ESTALE || err == unix.EINVAL {
			err = nil
		}
	case "tiocsti":
		call(unix.SYS_IOCTL, 0, unix.TIOCSTI, 0)
		if errno == unix.ENOTTY || errno == unix.EIO || errno == unix.EFAULT {
			errno = 0
		}
	case "io_uring":
		call(unix.SYS_IO_URING_SETUP, 1, 0)
		if errno == unix.EFAULT {
			errno = 0
		}
	case "socket":
		_, err = net.Dial("unix", filepath.Join(os.Getenv("D"), "hidden", "agent"))
	case "abstract":
		_, err = net.Dial("unix", os.Getenv("ABSTRACT"))
	case "prlimit":
		err = unix.Prlimit(outside, unix.RLIMIT_CPU, &unix.Rlimit{Cur: 1 << 40, Max: 1 << 40}, nil)
	case "suid":
		file := filepath.Join(os.Getenv("TMPDIR"), "suid")
		var fd int
		if fd, err = unix.Open(file, unix.O_CREAT|unix.O_RDWR, 0o4755); err == nil {
			_ = unix.Close(fd)
		}
	case "vsock":
		_, err = unix.Socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0)
	case "chroot":
		err = unix.Chroot("/usr")
	}
	if err != nil || errno != 0 {
		fmt.Println("refused:", err, errno)
		return 1
	}
	fmt.Println("GOT-OUT")
	return 0
}

func TestEscapesFail(t *testing.T) {
	if len(escapes) < 40 {
		t.Errorf("got %d escapes, want 40 or more", len(escapes))
	}
	boxes(t, func(t *testing.T, y *yard, b Box) {
		outside := exec.CommandContext(t.Context(), "sleep", "600")
		outside.Env = []string{"SECRET=the token"}
		if y.uid != os.Getuid() {
			outside.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(y.uid), Gid: uint32(y.uid)}}
		}
		must(t, outside.Start())
		defer func() { _ = outside.Process.Kill(); _ = outside.Wait() }()
		must(t, os.MkdirAll(filepath.Join(y.dir, "hidden"), 0o755))
		agent, err := net.Listen("unix", filepath.Join(y.dir, "hidden", "agent"))
		must(t, err)
		defer agent.Close()
		must(t, os.Chmod(filepath.Join(y.dir, "hidden", "agent"), 0o777))
		y.layout.Network = true // the harder case
		must(t, os.WriteFile(filepath.Join(y.tree, ".env"), []byte("the token"), 0o644))
		y.layout.Hidden = append(y.layout.Hidden, filepath.Join(y.tree, ".env"))
		abstract, err := net.Listen("unix", "@nodwyn-"+filepath.Base(y.dir))
		must(t, err)
		defer abstract.Close()
		before := y.outside(t)
		for _, e := range escapes {
			if b.Backend == Kernel && notOfTheKernel(e.name) {
				continue
			}
			out, _ := y.run(t, b, fmt.Sprintf("export OUTSIDE=%d ABSTRACT=@nodwyn-%s\n%s", outside.Process.Pid, filepath.Base(y.dir), e.text))
			if strings.Contains(out, "GOT-OUT") || strings.Contains(out, "the key") || strings.Contains(out, "the token") {
				t.Errorf("%s: got out: %s", e.name, out)
			}
			if after := y.outside(t); after != before {
				t.Errorf("%s: changed what lies outside, and said %s\n%s", e.name, out, changedLines(before, after))
				before = after
			}
			if outside.Process.Signal(syscall.Signal(0)) != nil {
				t.Fatalf("%s: ended a process outside", e.name)
			}
		}
	})
}

// notOfTheKernel are escapes that only a view of its own prevents: Landlock knows nothing of modes.
func notOfTheKernel(name string) bool { return name == "change a mode outside" }

func changedLines(before, after string) string {
	var b strings.Builder
	old := strings.Split(before, "\n")
	for _, line := range strings.Split(after, "\n") {
		if !slices.Contains(old, line) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// outside is what lies around the tree and must not change.
func (y *yard) outside(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	common := filepath.Join(y.repo, ".git")
	must(t, filepath.WalkDir(y.dir, func(path string, d os.DirEntry, err error) error {
		skip := path == y.tree || path == y.temp || path == filepath.Join(common, "objects") && d.IsDir() || path == filepath.Join(common, "logs") || path == filepath.Join(y.home, ".cache")
		if d != nil && d.IsDir() && skip {
			return filepath.SkipDir
		}
		if err != nil || d.IsDir() || path == y.self || d.Type()&(os.ModeSocket|os.ModeSymlink) != 0 {
			return err
		}
		if filepath.Dir(path) == filepath.Join(common, "worktrees", "s1") && !slices.Contains([]string{"commondir", "gitdir", "config.worktree", "locked"}, d.Name()) || path == filepath.Join(common, "refs/heads/nodwyn/mine") {
			return nil
		}
		text, err := os.ReadFile(path)
		if d.Name() == "config.worktree" && len(text) == 0 {
			return nil
		}
		stat, statErr := d.Info()
		if statErr != nil {
			return statErr
		}
		fmt.Fprintf(&b, "%s %v %q\n", path, stat.Mode(), text)
		return err
	}))
	way, _ := os.ReadFile(filepath.Join(y.tree, ".git"))
	fmt.Fprintf(&b, "way %q\n", way)
	alternates, _ := os.ReadFile(filepath.Join(common, "objects", "info", "alternates"))
	fmt.Fprintf(&b, "alternates %q\n", alternates)
	return b.String()
}
