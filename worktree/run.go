package worktree

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// place is where a git command runs. Its environment pins the git folder, so that neither discovery nor a planted .git file can lead the command to another repository.
type place struct {
	dir string
	// gitDir is the folder that holds HEAD and index; empty means that git discovers it.
	gitDir string
	env    []string
}

// settings hold for every command. Command-line flags of the Git win over them.
var settings = [...]string{
	"checkout.workers=0",            // one writer per core when files are checked out
	"core.safecrlf=false",           // a snapshot takes every file, also one with mixed line ends
	"user.useConfigOnly=true",       // a guessed name never enters the person's history
	"i18n.commitEncoding=UTF-8",     // our messages are UTF-8, whatever the repository declares
	"diff.suppressBlankEmpty=false", // hunk ids must not depend on it
	"advice.addEmbeddedRepo=false",  // the checkpoint says this itself
}

func (p place) with(env ...string) place {
	p.env = append(slices.Clip(p.env), env...)
	return p
}

func (p place) environment() []string {
	env := []string{"GIT_OPTIONAL_LOCKS=0", fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings))}
	for i, setting := range settings {
		key, value, _ := strings.Cut(setting, "=")
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, value))
	}
	if p.gitDir != "" {
		env = append(env, "GIT_DIR="+p.gitDir)
	}
	return append(env, p.env...)
}

// mainPlace is the person's main checkout, or the bare repository.
func (r *Repository) mainPlace() place {
	at := place{dir: r.root, gitDir: r.common, env: []string{"GIT_COMMON_DIR=" + r.common}}
	if r.bare {
		return at
	}
	return at.with("GIT_WORK_TREE="+r.root, "GIT_CEILING_DIRECTORIES="+filepath.Dir(r.root))
}

// linkedPlace is a linked worktree whose administration is the folder admin.
func (r *Repository) linkedPlace(path, admin string) place {
	return place{dir: path, gitDir: admin, env: []string{
		"GIT_COMMON_DIR=" + r.common, "GIT_WORK_TREE=" + path, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(path),
	}}
}

// ask runs a command that changes nothing others see and returns its output without the last line feed.
func (r *Repository) ask(ctx context.Context, at place, args ...string) (string, error) {
	out, err := r.git.Run(ctx, at.dir, at.environment(), nil, args...)
	return string(bytes.TrimSuffix(out, []byte("\n"))), err
}

const (
	firstPause = 100 * time.Millisecond
	attempts   = 4
)

// change runs a command that takes git's locks. A lock that somebody else holds is waited for a few times and never deleted.
func (r *Repository) change(ctx context.Context, at place, stdin []byte, args ...string) (string, error) {
	wait := firstPause
	for attempt := 1; ; attempt++ {
		out, err := r.git.Run(ctx, at.dir, at.environment(), stdin, args...)
		if err == nil || attempt == attempts || !lockHeld(err) {
			return string(bytes.TrimSuffix(out, []byte("\n"))), err
		}
		if err := pause(ctx, wait); err != nil {
			return "", err
		}
		wait *= 2
	}
}

// lockHeld reads git's words, because git gives a held lock no exit code of its own; the Git pins LC_ALL=C.
func lockHeld(err error) bool {
	text := stderrOf(err)
	return strings.Contains(text, "cannot lock ref") || strings.Contains(text, "index.lock': File exists")
}

func pause(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}

// lock waits for the right to change refs and worktrees of this repository and returns the function that gives it back.
func (r *Repository) lock(ctx context.Context) (release func(), err error) {
	select {
	case r.writes <- struct{}{}:
		return func() { <-r.writes }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// finishing returns a context for steps that must not stop half way, such as undoing: it outlives the caller's cancellation, but not for ever.
func finishing(ctx context.Context) (context.Context, context.CancelFunc) {
	const longest = 5 * time.Minute
	return context.WithTimeout(context.WithoutCancel(ctx), longest)
}
