// Package plain tells what can be proved about a command from its text alone: whether it is only words, so that it runs without a shell, and whether it only reads.
//
// Invariant: a text counts as plain only if a shell would run exactly these programs with exactly these arguments; FuzzPlainAgainstBash holds it to that. Whatever is not known is not plain, and not read-only. The package touches nothing and knows nothing of the machine.
package plain

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// The bounds of a text. Longer ones are not for a person to read, and not for us to vouch for.
const (
	maxText     = 16 << 10
	maxCommands = 50
)

// Line is a shell text that needs no shell.
type Line struct {
	// Dir is the folder of a leading "cd DIR &&", relative or absolute as it was written; empty when there is none.
	Dir string
	// Steps run one after the other.
	Steps []Step
}

// Step is a pipeline and when it runs.
type Step struct {
	When When
	// Pipe are its commands, each reading what the one before it prints; what the last one exits with counts.
	Pipe []Simple
}

// When says what a step waits for.
type When int

// The conditions of a step, after what the one that ran before it came to.
const (
	Always    When = iota
	OnSuccess      // behind "&&"
	OnFailure      // behind "||"
)

// Simple is one program with its arguments.
type Simple struct {
	Argv []string
	// ErrToOut sends its errors where its output goes, DropOut and DropErr send them nowhere.
	ErrToOut, DropOut, DropErr bool
}

// NotPlain says why a text needs a shell, or a person.
type NotPlain struct {
	// Segment is the piece that it is about, as it was written.
	Segment string
	// Why is a clause in plain words.
	Why string
}

func (e *NotPlain) Error() string { return fmt.Sprintf("%q %s", e.Segment, e.Why) }

// Parse takes a shell text apart. The error is a *NotPlain.
func Parse(text string) (Line, error) {
	if err := visible(text); err != nil {
		return Line{}, err
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(text), "")
	if err != nil {
		why := "cannot be read as a command"
		if p, ok := errors.AsType[syntax.ParseError](err); ok {
			why += ": " + p.Text
		}
		return Line{}, &NotPlain{text, why}
	}
	p := parser{text: text}
	if c := comment(file); c != nil {
		return Line{}, p.not(c, "is a comment")
	}
	for _, s := range file.Stmts {
		if err := p.statement(s, Always); err != nil {
			return Line{}, err
		}
	}
	if err := p.takeDir(); err != nil {
		return Line{}, err
	}
	if len(p.line.Steps) == 0 {
		return Line{}, &NotPlain{text, "runs nothing"}
	}
	return p.line, nil
}

// comment finds the first comment, wherever it hangs.
func comment(file *syntax.File) *syntax.Comment {
	var found *syntax.Comment
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok && found == nil {
			found = c
		}
		return found == nil
	})
	return found
}

// visible refuses texts that a person may see otherwise than a shell.
func visible(text string) error {
	switch {
	case len(text) > maxText:
		return &NotPlain{text[:40] + "…", fmt.Sprintf("is longer than %d KiB", maxText>>10)}
	case !utf8.ValidString(text):
		return &NotPlain{strings.ToValidUTF8(text, "\ufffd"), "is no valid text"}
	case strings.Contains(text, "\\\n"):
		return &NotPlain{text, "holds a backslash that joins two lines"}
	}
	for _, r := range text {
		if isHidden(r) || unicode.In(r, unicode.Mn, unicode.Me) {
			return &NotPlain{Show(string(r)), "is a character that cannot be seen for what it is"}
		}
	}
	return nil
}

// parser builds the line.
type parser struct {
	text     string
	line     Line
	commands int
}

// not refuses what a node of the text says.
func (p *parser) not(n syntax.Node, why string) error {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from > to || to > len(p.text) {
		from, to = 0, len(p.text)
	}
	return &NotPlain{p.text[from:to], why}
}

func (p *parser) statement(s *syntax.Stmt, when When) error {
	switch {
	case s.Negated:
		return p.not(s, "turns around what a command comes to")
	case s.Background:
		return p.not(s, "goes on in the background")
	case s.Coprocess:
		return p.not(s, "runs beside the others")
	}
	if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		if len(s.Redirs) > 0 {
			return p.not(s, "redirects more than one command")
		}
		then := OnSuccess
		if b.Op == syntax.OrStmt {
			then = OnFailure
		}
		if y, ok := b.Y.Cmd.(*syntax.BinaryCmd); ok && y.Op != syntax.Pipe {
			return p.not(b.Y, "is more than commands joined by |")
		}
		if err := p.statement(b.X, when); err != nil {
			return err
		}
		return p.statement(b.Y, then)
	}
	var pipe []Simple
	if err := p.pipeline(s, &pipe); err != nil {
		return err
	}
	p.line.Steps = append(p.line.Steps, Step{when, pipe})
	return nil
}

func (p *parser) pipeline(s *syntax.Stmt, pipe *[]Simple) error {
	b, ok := s.Cmd.(*syntax.BinaryCmd)
	if !ok {
		c, err := p.simple(s)
		*pipe = append(*pipe, c)
		return err
	}
	if b.Op != syntax.Pipe || len(s.Redirs) > 0 || s.Negated || s.Background {
		return p.not(s, "is more than commands joined by |")
	}
	if err := p.pipeline(b.X, pipe); err != nil {
		return err
	}
	return p.pipeline(b.Y, pipe)
}

func (p *parser) simple(s *syntax.Stmt) (Simple, error) {
	if s.Negated || s.Background || s.Coprocess {
		return Simple{}, p.not(s, "is more than a command")
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	switch {
	case !ok:
		return Simple{}, p.not(s, "is more than a command")
	case len(call.Assigns) > 0:
		return Simple{}, p.not(call.Assigns[0], "sets a variable")
	}
	if p.commands++; p.commands > maxCommands {
		return Simple{}, p.not(s, fmt.Sprintf("comes after %d other commands", maxCommands))
	}
	var c Simple
	for _, w := range call.Args {
		word, why := literal(w)
		if why != "" {
			return Simple{}, p.not(w, why)
		}
		c.Argv = append(c.Argv, word)
	}
	if why := asProgram(c.Argv); why != "" {
		return Simple{}, p.not(s, why)
	}
	return c, p.redirects(s.Redirs, &c)
}

// redirects follows them in their order: each says where its stream goes from then on.
func (p *parser) redirects(list []*syntax.Redirect, c *Simple) error {
	for _, r := range list {
		target, why := literal(r.Word)
		fd := "1"
		if r.N != nil {
			fd = r.N.Value
		}
		switch {
		case why != "" || r.Hdoc != nil:
			return p.not(r, "redirects to what only a shell knows")
		case r.Op == syntax.DplOut && fd == "2" && target == "1":
			c.ErrToOut, c.DropErr = !c.DropOut, c.DropOut
		case r.Op == syntax.RdrOut && target == "/dev/null" && fd == "1":
			c.DropOut = true
		case r.Op == syntax.RdrOut && target == "/dev/null" && fd == "2":
			c.DropErr, c.ErrToOut = true, false
		default:
			return p.not(r, "redirects")
		}
	}
	if c.ErrToOut && c.DropOut {
		return p.not(list[0], "crosses its streams")
	}
	return nil
}

// takeDir turns a leading cd into the folder of the line. What follows must all wait for success: a shell that cannot change the folder would run the rest in another one. And pwd prints the name of a folder as a shell came to it, which its program does not know.
func (p *parser) takeDir() error {
	for i, s := range p.line.Steps {
		for _, c := range s.Pipe {
			switch {
			case p.line.Dir != "" && (s.When != OnSuccess || c.Argv[0] == "pwd"):
				return &NotPlain{strings.Join(c.Argv, " "), "depends on how the folder was changed"}
			case c.Argv[0] != "cd":
			case i > 0 || len(s.Pipe) > 1 || len(p.line.Steps) == 1 || !isFolder(c):
				return &NotPlain{strings.Join(c.Argv, " "), "changes the folder, which is plain only as \"cd FOLDER &&\" in front"}
			default:
				p.line.Dir = c.Argv[1]
			}
		}
	}
	if p.line.Dir != "" {
		p.line.Steps = p.line.Steps[1:]
		p.line.Steps[0].When = Always
	}
	return nil
}

// isFolder reports whether a cd says no more than where to.
func isFolder(c Simple) bool {
	return len(c.Argv) == 2 && c.Argv[1] != "" && c.Argv[1][0] != '-' && !c.ErrToOut && !c.DropOut && !c.DropErr
}
