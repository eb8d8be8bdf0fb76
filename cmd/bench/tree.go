package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/worktree"
)

// person is who commits in the repositories of the bench.
var person = [...]string{"-c", "user.name=bench", "-c", "user.email=bench@example.org"}

// large is a repository of many files, and where worktrees of it go. None of them is deleted before the end: ext4 takes many times as long to make files soon after it deleted many.
type large struct {
	dir, repo, root string
	r               *worktree.Repository
	// made counts the worktrees, for names that are never used twice.
	made int
}

// large makes the repository: a pack, as a clone has it, and a checkout.
func (b bench) large() (*large, error) {
	l := &large{dir: filepath.Join(b.dir, "large")}
	l.repo, l.root = filepath.Join(l.dir, "repo"), filepath.Join(l.dir, "worktrees")
	if err := os.MkdirAll(l.repo, 0o700); err != nil {
		return nil, err
	}
	if err := l.git("init", "-q", "-b", "main"); err != nil {
		return nil, err
	}
	if err := l.fill(b.files); err != nil {
		return nil, err
	}
	if err := l.git("reset", "-q", "--hard"); err != nil {
		return nil, err
	}
	var err error
	l.r, err = worktree.Open(context.Background(), guard.NewGit(os.Environ()), l.repo)
	return l, err
}

// fill feeds one commit to git. Sizes are spread as those of sources are: most files have a few KiB, a few have much more, about 8 KiB in the mean.
func (l *large) fill(files int) error {
	cmd := l.command("-c", "pack.compression=1", "fast-import", "--quiet", "--date-format=now")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(in, 1<<20)
	stream(out, files)
	if err := out.Flush(); err != nil {
		return err
	}
	if err := in.Close(); err != nil {
		return err
	}
	return cmd.Wait()
}

func stream(out io.Writer, files int) {
	random := rand.New(rand.NewPCG(1, 1))
	text := prose(random)
	fmt.Fprint(out, "commit refs/heads/main\ncommitter bench <bench@example.org> now\ndata 6\nlarge\n\n")
	for i := range files {
		size := min(len(text)/2, int(3400*random.ExpFloat64()*random.ExpFloat64())+int(4600*random.ExpFloat64()))
		at := random.IntN(len(text) - size)
		head := fmt.Sprintf("// file %d\n", i)
		fmt.Fprintf(out, "M 100644 inline %s\ndata %d\n%s%s\n", nameOf(i), len(head)+size, head, text[at:at+size])
	}
}

// nameOf spreads the files over nested folders of about twenty each.
func nameOf(i int) string {
	folder := i / 20
	return fmt.Sprintf("area%d/part%d/unit%d/file%d.go", folder%12, folder/12%20, folder/240, i)
}

// prose is a text of words from which the files are cut.
func prose(random *rand.Rand) string {
	words := make([]string, 3000)
	for i := range words {
		words[i] = fmt.Sprintf("%x", random.Uint64()>>(20+random.IntN(36)))
	}
	var text strings.Builder
	for text.Len() < 4<<20 {
		text.WriteString(words[random.IntN(len(words))])
		text.WriteString([]string{" ", " ", " ", "(", ") ", "\n\t"}[random.IntN(6)])
	}
	return text.String()
}

func (l *large) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", append(person[:], args...)...)
	cmd.Dir, cmd.Stderr = l.repo, os.Stderr
	return cmd
}

func (l *large) git(args ...string) error {
	if err := l.command(args...).Run(); err != nil {
		return fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	return nil
}

// timed measures one run.
func timed(do func() error) (time.Duration, error) {
	begin := time.Now()
	err := do()
	return time.Since(begin), err
}

// edit changes n files of a checkout, spread over it.
func (l *large) edit(dir string, files, n int) error {
	for i := range n {
		name := filepath.Join(dir, nameOf(i*(files/n)))
		file, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(file, "edited at %d\n", time.Now().UnixNano())
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return err
		}
	}
	return nil
}
