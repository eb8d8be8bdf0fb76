package plain

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile names a program of the repository's own wherever git's configuration, or a folder's, can name one. Each would leave the file that MARK stands for.
const hostile = `
set -e
cd "$1"
export HOME="$1/.." GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=n GIT_AUTHOR_EMAIL=n@example.com GIT_COMMITTER_NAME=n GIT_COMMITTER_EMAIL=n@example.com
git init -q -b main .
printf '#!/bin/sh\necho "$0 $*" >> "%s"\nexit 0\n' "$2" > evil; chmod +x evil
mkdir -p src docs test "cmd/nodwyn" && echo x > src/a && echo 'module m' > go.mod && printf 'package main\nfunc main() {}\n' > main.go && echo '{}' > package.json
echo '* diff=d' > .gitattributes
for f in README.md Makefile config.ini build.log log.txt a.txt b.txt words.txt names.txt data.csv a.go b.go; do echo "$f" > $f; done
git add . && git commit -q -m one && git tag v1
git stash list >/dev/null
echo more >> main.go; git stash -q; echo other >> a.go
evil="$1/evil"
git init -q -b main inner; git -C inner commit -q --allow-empty -m i; git add inner; git commit -q -m two; git -C inner config core.fsmonitor "$1/evil"
blob=$(printf '100644 blob 1234567890123456789012345678901234567890\tgone' | git mktree --missing); git tag gone $(git commit-tree -m gone $blob)
signed=$(git cat-file commit HEAD | sed '/^committer/a gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----' | git hash-object -t commit -w --stdin); git tag signed $signed
git config core.repositoryFormatVersion 1; git config extensions.partialClone origin; git config remote.origin.url "$1/x"; git config remote.origin.promisor true; git config remote.origin.uploadpack "$1/evil"
git config diff.external "$evil"; git config diff.d.command "$evil"; git config diff.d.textconv "$evil"; git config diff.d.cachetextconv false
git config core.fsmonitor "$evil"; git config core.pager "$evil"; git config pager.log "$evil"; git config core.editor "$evil"; git config core.sshCommand "$evil"
git config gpg.program "$evil"; git config gpg.ssh.program "$evil"; git config log.showSignature true; git config alias.status "!$evil"; git config alias.lg "!$evil"
git config core.hooksPath "$1/hooks"; git config core.alternateRefsCommand "$evil"; git config credential.helper "!$evil"; git config interactive.diffFilter "$evil"
mkdir hooks; for h in post-index-change post-checkout pre-commit reference-transaction; do cp evil hooks/$h; done
touch -d '2 seconds ago' *.go
`

// TestReadOnlyLeavesAllAsItIs runs each everyday command that counts as only reading, where the configuration names programs to run and nothing of git's index is fresh, and compares the folder with what it was.
func TestReadOnlyLeavesAllAsItIs(t *testing.T) {
	base := t.TempDir()
	dir, mark := filepath.Join(base, "repository"), filepath.Join(base, "mark")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "bash", "--norc", "-c", hostile, "bash", dir, mark).CombinedOutput(); err != nil {
		t.Fatalf("make the repository: %v\n%s", err, out)
	}
	_ = os.Remove(mark)
	if _, err := exec.CommandContext(t.Context(), "git", "-C", dir, "status").CombinedOutput(); err != nil || !exists(mark) {
		t.Fatalf("the repository's programs do not run by themselves, so nothing is shown here: %v", err)
	}
	_ = os.Remove(mark)
	before, ran := digest(t, dir), 0
	for _, text := range append(readLines(t, "everyday.txt"), "git show gone", "git show signed", "git log -1 signed", "git diff gone HEAD", "git blame a.go", "git status -s inner") {
		line, err := Parse(text)
		if err != nil {
			continue
		}
		for _, s := range line.Steps {
			for _, c := range s.Pipe {
				if safe, err := ReadOnly(c.Argv); err == nil && runSafe(t, dir, safe) {
					ran++
				}
			}
		}
		if after := digest(t, dir); after != before {
			t.Fatalf("%q changed the folder", text)
		}
		if exists(mark) {
			ran, _ := os.ReadFile(mark)
			t.Fatalf("%q ran a program of the repository: %s", text, ran)
		}
	}
	if ran < 150 { // some programs are not on every machine
		t.Errorf("only %d commands ran, want 150 or more", ran)
	}
}

// runSafe reports whether there is such a program here. What it exits with does not matter.
func runSafe(t *testing.T, dir string, safe Safe) bool {
	t.Helper()
	if _, err := exec.LookPath(safe.Argv[0]); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, safe.Argv[0], safe.Argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "XDG_CONFIG_HOME=/nowhere")
	cmd.Env = append(cmd.Env, safe.Env...)
	_ = cmd.Run()
	if ctx.Err() != nil {
		t.Errorf("%q did not end", safe.Argv)
	}
	return true
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

// digest sums up names, modes, times and content of what is in a folder.
func digest(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		file, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&all, "%s %v %v ", name, file.Mode(), file.ModTime())
		if file.Mode().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&all, "%x", sha256.Sum256(content))
		}
		all.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}
