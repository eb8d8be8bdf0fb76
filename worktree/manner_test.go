package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMannerIsStated(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	for name, mode := range map[string]os.FileMode{"pre-commit": 0o755, "commit-msg": 0o644, "post-merge": 0o755, "pre-push": 0o755} {
		l.write(l.repo, ".git/hooks/"+name, "#!/bin/sh\nexit 1\n")
		noError(t, os.Chmod(filepath.Join(l.repo, ".git/hooks", name), mode))
	}
	r := l.open(l.repo)
	id, turns := l.work(r)
	for strategy, hooks := range map[Strategy][]string{
		Squash: {"pre-commit"}, Merge: {"pre-commit", "post-merge"}, Branch: {"pre-commit", "pre-push"},
	} {
		landing, err := r.Prepare(t.Context(), id, specOf(strategy, turns...))
		noError(t, err)
		who := "Pat Person <pat@example.invalid>"
		check(t, string(strategy), landing.Manner, Manner{Author: who, Committer: who, Hooks: hooks})
	}
	l.run(l.repo, "config", "core.hooksPath", "my-hooks")
	l.write(l.repo, "my-hooks/post-commit", "#!/bin/sh\n")
	noError(t, os.Chmod(filepath.Join(l.repo, "my-hooks/post-commit"), 0o755))
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	check(t, "hooks of a configured folder", landing.Manner.Hooks, []string{"post-commit"})
}

// signer makes a program that stands for gpg.
func (l *lab) signer(script string) {
	l.t.Helper()
	skipOnWindows(l.t)
	l.write(l.dir, "signer", "#!/bin/sh\n"+script)
	noError(l.t, os.Chmod(filepath.Join(l.dir, "signer"), 0o755))
	l.run(l.repo, "config", "gpg.program", filepath.Join(l.dir, "signer"))
	l.run(l.repo, "config", "commit.gpgsign", "true")
}

func TestLandingSignsAsConfigured(t *testing.T) {
	const signature = `cat > /dev/null
echo '[GNUPG:] SIG_CREATED D' >&2
echo '-----BEGIN PGP SIGNATURE-----'
echo made up
echo '-----END PGP SIGNATURE-----'
`
	for _, strategy := range []Strategy{Squash, Merge, Rebase} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		l.signer(signature)
		spec := specOf(strategy, turns...)
		spec.Preview = true
		preview, err := r.Prepare(t.Context(), id, spec)
		noError(t, err)
		check(t, "signing", preview.Manner.Signing, "openpgp")
		check(t, "preview signed", strings.Contains(l.run(l.repo, "cat-file", "commit", preview.Commit), "gpgsig"), false)
		landing := l.land(r, id, specOf(strategy, turns...))
		for commit := range strings.SplitSeq(l.run(l.repo, "rev-list", landing.Previous+".."+landing.Commit), "\n") {
			check(t, "signed", strings.Contains(l.run(l.repo, "cat-file", "commit", commit), "gpgsig"), true)
		}
		check(t, "snapshot signed", strings.Contains(l.run(l.repo, "cat-file", "commit", turns[0].Commit), "gpgsig"), false)
	}
}

func TestLandingThatCannotBeSigned(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.signer("echo 'no secret key' >&2\nexit 2\n")
	before := l.look(l.repo)
	_, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	checkRefused(t, err, SigningFailed)
	check(t, "checkout", l.look(l.repo), before)
	_, err = r.Prepare(t.Context(), id, specOf(Patch, turns...))
	noError(t, err)
}
