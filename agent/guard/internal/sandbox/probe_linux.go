package sandbox

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// Run runs a program to its end with nothing in its environment but a PATH, and returns what it printed.
type Run func(ctx context.Context, argv ...string) (out string, err error)

// Finding is what a machine can do to contain commands.
type Finding struct {
	// Box is the strongest backend that works.
	Box Box
	// Notes say in sentences what there is, what is missing, and how to get it.
	Notes []string
}

// Probe finds out what this machine can do, by doing it. Path is where programs are looked for.
func Probe(ctx context.Context, path string, run Run) Finding {
	f := Finding{Box: Box{Backend: None, landlock: landlockVersion()}}
	switch v := f.Box.landlock; {
	case v >= leastLandlock:
		f.Notes = append(f.Notes, fmt.Sprintf("the kernel has Landlock, version %d", v))
	case v > 0:
		f.Notes = append(f.Notes, fmt.Sprintf("the kernel has Landlock, version %d: it holds a command by itself from version %d, Linux 6.12", v, leastLandlock))
	default:
		f.Notes = append(f.Notes, "the kernel has no Landlock, or does not use it: Linux 6.12 with landlock among its security modules (lsm= at boot) does")
	}
	if f.Box.landlock >= leastLandlock && arch != 0 {
		f.Box.Backend = Kernel
	}
	program, err := look("bwrap", path)
	if err != nil {
		f.Notes = append(f.Notes, "bwrap is not installed: install the package bubblewrap for a view of the file system of its own for each command")
		return f
	}
	version, _ := run(ctx, program, "--version")
	b := Box{Backend: Bubblewrap, program: program, landlock: f.Box.landlock}
	try := func(b Box) error {
		out, err := run(ctx, b.Command(Layout{Tree: "/tmp"}, "/", []string{"true"})...)
		if err != nil {
			return fmt.Errorf("%w: %s", err, strings.TrimSpace(out))
		}
		return nil
	}
	b.noUserns = true
	if err = try(b); err != nil {
		b.noUserns = false
		err = try(b)
	}
	if err != nil {
		f.Notes = append(f.Notes, fmt.Sprintf("%s is there and does not work here: %v; %s", strings.TrimSpace(version), err, namespacesHint()))
		return f
	}
	f.Box = b
	f.Notes = append(f.Notes, strings.TrimSpace(version)+" works")
	return f
}

// namespacesHint says what to set so that bwrap works.
func namespacesHint() string {
	for _, s := range []struct{ file, forbids, set string }{
		{"kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
		{"kernel/apparmor_restrict_unprivileged_userns", "1", "an AppArmor profile for bwrap that has \"userns,\", or sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
		{"user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
	} {
		text, err := os.ReadFile("/proc/sys/" + s.file)
		if err == nil && strings.TrimSpace(string(text)) == s.forbids {
			return "user namespaces are not allowed: " + s.set + " allows them"
		}
	}
	return "a container may forbid user namespaces or its own /proc: it has to allow both"
}

// leastLandlock is the version from which Landlock holds a command by itself: before it, any process of the person could be ended in spite of it.
const leastLandlock = scopesVersion
