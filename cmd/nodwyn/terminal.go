package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/term"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// nobody answers nothing: what would have to be asked is denied as unanswered.
type nobody struct{}

// Ask says that nobody can be asked.
func (nobody) Ask(context.Context, guard.Prompt) (guard.Answer, error) {
	return guard.Answer{}, guard.ErrNobody
}

// terminal asks on the terminal, after what a -yes policy answers by itself.
type terminal struct {
	yes   string
	out   io.Writer
	color bool

	// mu keeps two prompts from mixing on the screen.
	mu    sync.Mutex
	lines <-chan string // nil when there is no terminal to ask on
}

// terminalAsker returns who answers the prompts of `nodwyn run`.
func terminalAsker(c *console, yes string) (guard.Asker, error) {
	switch yes {
	case "", "reads", "edits", "all":
	default:
		return nil, misuse{fmt.Sprintf("-yes is reads, edits or all, not %q", yes)}
	}
	t := &terminal{yes: yes, out: c.err, color: isTerminal(c.err) && os.Getenv("NO_COLOR") == ""}
	if isTerminal(c.in) {
		t.lines = readLines(c.in)
	}
	return t, nil
}

// isTerminal reports whether a person may sit at the other end of a stream.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// readLines hands over what is typed. The goroutine lives as long as the process: a read of a terminal cannot be taken back.
func readLines(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// Ask answers by policy or lets the person choose.
func (t *terminal) Ask(ctx context.Context, p guard.Prompt) (guard.Answer, error) {
	if t.covers(p) {
		return guard.Answer{Option: "allow_once", Actor: "-yes " + t.yes}, nil
	}
	if t.lines == nil {
		return guard.Answer{}, guard.ErrNobody
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.show(p)
	for {
		line, err := t.line(ctx)
		if err != nil {
			return guard.Answer{}, err
		}
		if a, ok := choose(p, line); ok {
			a.Actor = person()
			return a, nil
		}
		fmt.Fprint(t.out, "? ")
	}
}

// covers reports whether -yes speaks for the person. A question is never answered for them.
func (t *terminal) covers(p guard.Prompt) bool {
	if p.Type != "permission" {
		return false
	}
	switch t.yes {
	case "all":
		return true
	case "edits":
		return p.Op == "read" || p.Op == "write"
	case "reads":
		return p.Op == "read"
	}
	return false
}

func (t *terminal) line(ctx context.Context) (string, error) {
	select {
	case line, ok := <-t.lines:
		if !ok {
			return "", guard.ErrNobody
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (t *terminal) show(p guard.Prompt) {
	head := p.Action
	if head == "" {
		head = p.Text
	}
	fmt.Fprintf(t.out, "\n%s\n", t.bold(visible(head)))
	if p.Why != "" {
		fmt.Fprintln(t.out, p.Why)
	}
	if len(p.Argv) > 0 {
		fmt.Fprintf(t.out, "  $ %s\n  in %s\n", quoteArgv(p.Argv), p.Cwd)
	}
	if p.Diff != "" {
		fmt.Fprintln(t.out, t.paint(visible(p.Diff)))
	}
	for i, label := range labels(p) {
		fmt.Fprintf(t.out, "  %d) %s\n", i+1, visible(label))
	}
	fmt.Fprint(t.out, "? ")
}

func labels(p guard.Prompt) []string {
	if len(p.Options) == 0 {
		return p.Choices
	}
	var out []string
	for _, o := range p.Options {
		out = append(out, o.Label)
	}
	return out
}

// choose reads an answer: the number of a choice, the choice itself, or any text where text is welcome.
func choose(p guard.Prompt, line string) (guard.Answer, bool) {
	n, err := strconv.Atoi(line)
	for i, o := range p.Options {
		if (err == nil && n == i+1) || line == o.ID || strings.EqualFold(line, o.Label) {
			return guard.Answer{Option: o.ID}, true
		}
	}
	if len(p.Options) > 0 {
		return guard.Answer{}, false
	}
	for i, choice := range p.Choices {
		if (err == nil && n == i+1) || strings.EqualFold(line, choice) {
			return guard.Answer{Text: choice}, true
		}
	}
	return guard.Answer{Text: line}, line != "" && (p.FreeText || len(p.Choices) == 0)
}

// visible spells out what would move the cursor, hide text or turn its direction: what is shown must be what is allowed.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

func (t *terminal) bold(s string) string {
	if !t.color {
		return s
	}
	return "\x1b[1m" + s + "\x1b[0m"
}

// paint colours the lines of a diff.
func (t *terminal) paint(diff string) string {
	if !t.color {
		return diff
	}
	lines := strings.Split(diff, "\n")
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "+"):
			lines[i] = "\x1b[32m" + l + "\x1b[0m"
		case strings.HasPrefix(l, "-"):
			lines[i] = "\x1b[31m" + l + "\x1b[0m"
		}
	}
	return strings.Join(lines, "\n")
}

// quoteArgv shows each word so that its borders and hidden characters are seen.
func quoteArgv(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'\$`+"`", r) }) {
			words[i] = strconv.Quote(w)
		}
	}
	return strings.Join(words, " ")
}
