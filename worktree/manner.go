package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// Manner is what the commits of a landing take from the person's git configuration, to be shown before they are made.
type Manner struct {
	// Author and Committer are "Name <address>"; both are empty for a patch, which makes no commit of the person's.
	Author, Committer string
	// Signing is how commits are signed ("openpgp", "ssh", "x509") because commit.gpgsign says so; empty when they are not.
	Signing string
	// Hooks are the person's hooks that a commit, merge or push of their own would run. A landing runs none of them.
	Hooks []string
}

// manner reads the configuration. Settings of the command line do not count: they are ours.
func (r *Repository) manner(ctx context.Context, spec LandSpec) (Manner, error) {
	if spec.Strategy == Patch {
		return Manner{}, nil
	}
	m := Manner{Author: spec.author, Committer: spec.committer}
	sign, err := r.setting(ctx, "--type=bool", "commit.gpgsign")
	if err != nil {
		return Manner{}, err
	}
	if sign == "true" {
		if m.Signing, err = r.setting(ctx, "--no-type", "gpg.format"); err != nil {
			return Manner{}, err
		}
		if m.Signing == "" {
			m.Signing = "openpgp"
		}
	}
	m.Hooks, err = r.hooks(ctx, spec.Strategy)
	return m, err
}

// identities asks git who commits here, as git itself would, but for guessing: a guessed name in history cannot be taken back.
func (r *Repository) identities(ctx context.Context) (author, committer string, err error) {
	var who [2]string
	for i, variable := range [...]string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		ident, err := r.ask(ctx, r.mainPlace(), "var", variable)
		if exitCode(err) >= 1 {
			return "", "", refuse(NoIdentity, "land: git does not know your name and email; set them with: git config --global user.name NAME, and: git config --global user.email ADDRESS")
		}
		if err != nil {
			return "", "", fmt.Errorf("land: ask git for %s: %w", variable, err)
		}
		if end := strings.LastIndexByte(ident, '>'); end >= 0 { // the time stands behind it
			ident = ident[:end+1]
		}
		who[i] = ident
	}
	return who[0], who[1], nil
}

// setting returns the last value that a file of the person's or of the repository gives a key; empty when none does.
func (r *Repository) setting(ctx context.Context, kind, key string) (string, error) {
	out, err := r.ask(ctx, r.mainPlace(), "config", "--show-scope", "-z", kind, "--get-all", key)
	if exitCode(err) == 1 {
		return "", nil
	}
	if exitCode(err) > 1 {
		return "", fmt.Errorf("read the setting %s: %s; correct it in git config", key, firstLine(err))
	}
	value := ""
	for in := (&fields{out}); in.rest != ""; {
		scope, next := in.next(), in.next()
		if scope != "command" {
			value = next
		}
	}
	return value, err
}

// hooks lists which hooks there are of those that the person's own commands would run for the same result.
func (r *Repository) hooks(ctx context.Context, strategy Strategy) ([]string, error) {
	folder, err := r.setting(ctx, "--type=path", "core.hooksPath")
	if err != nil {
		return nil, err
	}
	if folder == "" {
		folder = filepath.Join(r.common, "hooks")
	}
	if !filepath.IsAbs(folder) {
		folder = filepath.Join(r.root, folder)
	}
	names := []string{"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction"}
	switch strategy {
	case Merge:
		names = append(names, "pre-merge-commit", "post-merge")
	case Rebase:
		names = append(names, "pre-rebase", "post-rewrite")
	case Branch:
		names = append(names, "pre-push")
	}
	var found []string
	for _, name := range names {
		stat, err := os.Stat(filepath.Join(folder, name))
		if err == nil && stat.Mode().IsRegular() && (stat.Mode()&0o111 != 0 || runtime.GOOS == "windows") {
			found = append(found, name)
		}
	}
	return found, nil
}

// signTime is how long a signing program may take: long enough to type a passphrase, too short to keep a landing for ever.
const signTime = 2 * time.Minute

// personCommit makes a commit that is to enter the person's history.
func (r *Repository) personCommit(ctx context.Context, spec LandSpec, tree, message string, parents ...string) (string, error) {
	if !spec.signed {
		return r.commitTree(ctx, r.mainPlace(), tree, message, parents...)
	}
	args := []string{"commit-tree", "-S", tree, "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	late := fmt.Errorf("the signing program did not end within %s", signTime)
	limited, cancel := context.WithTimeoutCause(ctx, signTime, late)
	defer cancel()
	commit, err := r.change(limited, r.mainPlace(), []byte(message+"\n"), args...)
	if err == nil || ctx.Err() != nil {
		return commit, err
	}
	why := firstLine(err)
	if limited.Err() != nil {
		why = late.Error()
	}
	return "", refuse(SigningFailed, "commit.gpgsign is set, and the commit could not be signed (%s); unlock the key or start its agent (gpg-agent, ssh-agent), or switch it off (git config commit.gpgsign false), then land again", why)
}
