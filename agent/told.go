package agent

import (
	"context"
	"crypto/sha256"
	_ "embed" // for the system text
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"runtime"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/tool"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// systemText is what every session's model is told first. It is a versioned file, and each session.start holds the text that was in force.
//
//go:embed prompts/system.md
var systemText string

// maxAttach bounds one attached file.
const maxAttach = 256 << 10

// instructionFiles are what repositories call their words to agents, in the order in which they are attached.
var instructionFiles = [...]string{"AGENTS.md", "CLAUDE.md"}

// recipe is the context from which a session's requests are built.
func recipe(m Model, mode string) event.Context {
	c := event.Context{System: systemText, Limits: m.Limits, Options: m.Options, Wire: m.Wire}
	for _, t := range tool.All() {
		if _, open := planGate(mode, t); open {
			c.Tools = append(c.Tools, event.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
		}
	}
	return c
}

func toolNames() string {
	var names []string
	for _, t := range tool.All() {
		names = append(names, t.Name)
	}
	return strings.Join(names, ", ")
}

// attachments gathers what goes to the model beside the request: what the person attached, the environment, and the instruction files at the root that are new or changed.
func (t *Turn) attachments(ctx context.Context, p PromptSpec) ([]event.Payload, error) {
	var out []event.Payload
	for _, a := range p.Attachments {
		payload, err := t.personAttach(ctx, a)
		if err != nil {
			return out, fmt.Errorf("attach %s %q: %w", a.Type, a.Path, err)
		}
		out = append(out, payload)
	}
	st := t.s.State()
	if !st.Env {
		text := environment(st, t.s.agent.cfg.Now().Format("2006-01-02"))
		out = append(out, textAttach(t.n, "instructions", "text", "", []byte(text)))
	}
	root, err := t.instructions(ctx, t.s.guard.ForCall(t.n, ""), ".", st.Instructions)
	return append(out, root...), err
}

func (t *Turn) personAttach(ctx context.Context, a Attachment) (event.Payload, error) {
	var content []byte
	switch {
	case a.Text != nil:
		content = []byte(*a.Text)
	case a.Path == "":
		return nil, &InvalidError{Field: "attachments", Reason: "path or text is required"}
	default:
		var err error
		if content, err = t.s.guard.ForCall(t.n, "").ReadFile(ctx, a.Path, maxAttach); err != nil {
			return nil, err
		}
	}
	payload := textAttach(t.n, "person", a.Type, a.Path, content)
	payload.Range = a.Range
	return payload, nil
}

func textAttach(turn int, origin, kind, file string, content []byte) event.Attach {
	sum := sha256.Sum256(content)
	text := string(content)
	return event.Attach{Turn: turn, Type: kind, Origin: origin, Path: file, Text: &text, SHA256: hex.EncodeToString(sum[:])}
}

// environment describes where the agent works and what of the person's work it does not see.
func environment(st view.State, date string) string {
	var b strings.Builder
	b.WriteString("Environment\n")
	fmt.Fprintf(&b, "- tree: %s (every path you use is relative to it)\n", st.Config.Repo)
	if w := st.Config.Worktree; w != nil {
		base := w.Base
		if base == "" {
			base = "a detached HEAD"
		}
		fmt.Fprintf(&b, "- it is a git worktree of its own on branch %s, made from %s at %s\n", w.Branch, base, w.BaseCommit)
		b.WriteString("- " + missing(st) + "\n")
	} else {
		b.WriteString("- it is the person's own folder: there is no worktree between you and it\n")
	}
	fmt.Fprintf(&b, "- date: %s\n- system: %s/%s\n- mode: %s\n", date, runtime.GOOS, runtime.GOARCH, st.Config.Mode)
	return b.String()
}

func missing(st view.State) string {
	if st.Uncommitted == 0 && st.Untracked == 0 {
		return "the person's checkout had no uncommitted work when this tree was made"
	}
	return fmt.Sprintf("not here: %d uncommitted and %d untracked files of the person's checkout; ask when you need what they hold", st.Uncommitted, st.Untracked)
}

// nestedInstructions attaches the instruction files of the folders that a call touched, once each.
func (t *Turn) nestedInstructions(ctx context.Context, touched []string) ([]event.Payload, error) {
	var out []event.Payload
	for _, dir := range t.s.unseenFolders(touched) {
		found, err := t.instructions(context.WithoutCancel(ctx), t.s.guard.ForCall(t.n, ""), dir, nil)
		if err != nil {
			return out, err
		}
		out = append(out, found...)
	}
	return out, nil
}

// unseenFolders lists the folders above the paths, outermost first and without the root, that were not looked at in this process, and marks them.
func (s *Session) unseenFolders(paths []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var dirs []string
	for _, p := range paths {
		parts := strings.Split(path.Dir(p), "/") // a folder that was touched ends in a slash
		for i := range parts {
			dir := path.Join(parts[:i+1]...)
			if dir == "." || dir == ".." || dir == "" || s.folders[dir] {
				continue
			}
			s.folders[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// instructions reads the instruction files of one folder, leaving out those whose digest is known and a second one that says the same.
func (t *Turn) instructions(ctx context.Context, g *guard.Guard, dir string, known map[string]string) ([]event.Payload, error) {
	var out []event.Payload
	digests := make(map[string]bool)
	for _, name := range instructionFiles {
		file := path.Join(dir, name)
		content, err := g.ReadFile(ctx, file, maxAttach)
		if skip, err := unreadable(err); skip || err != nil {
			if err != nil {
				return out, fmt.Errorf("read instructions %s: %w", file, err)
			}
			continue
		}
		a := textAttach(t.n, "instructions", "file", file, content)
		if known[file] != a.SHA256 && !digests[a.SHA256] {
			out = append(out, a)
		}
		digests[a.SHA256] = true
	}
	return out, nil
}

// unreadable tells a file that is not there for us from a failure of ours.
func unreadable(err error) (skip bool, failed error) {
	var denied *guard.DeniedError
	var large *guard.TooLargeError
	switch {
	case err == nil:
		return false, nil
	case errors.Is(err, fs.ErrNotExist), errors.As(err, &denied), errors.As(err, &large):
		return true, nil
	}
	return false, err
}
