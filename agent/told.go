package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed" // for the system text
	"encoding/hex"
	"fmt"
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

// recipe is the context from which a session's requests are built. Every mode has the same tools, so that the provider's cache of the prefix outlives a change of mode; the gate refuses what a mode does not have.
func recipe(m Model) event.Context {
	c := event.Context{System: systemText, Limits: m.Limits, Options: m.Options, Wire: m.Wire}
	for _, t := range tool.All() {
		c.Tools = append(c.Tools, event.ToolSpec{Name: t.Name, Description: t.Description, Schema: t.Schema})
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

// atHand gathers what goes to the model beside the request and needs no read: what the person attached with its content, the environment, and the instruction files that were read when the session was opened. fresh says that those are what the files hold now.
func (t *Turn) atHand(p PromptSpec) (fresh bool, out []event.Payload) {
	for _, a := range p.Attachments {
		if a.Text != nil {
			out = append(out, personAttach(t.n, a, []byte(*a.Text)))
		}
	}
	st := t.s.State()
	if !st.Env {
		text := environment(st, t.s.portsText(), t.s.agent.cfg.Now().Format("2006-01-02"))
		out = append(out, textAttach(t.n, "instructions", "text", "", []byte(text)))
	}
	for _, a := range t.s.instructions {
		if a.Turn = t.n; st.Instructions[a.Path] != a.SHA256 {
			out = append(out, a)
		}
	}
	fresh = t.s.instructions != nil
	t.s.instructions = nil
	return fresh, out
}

// toRead gathers what has to be read: the files that the person attached, and the instruction files at the root that are new or changed.
func (t *Turn) toRead(ctx context.Context, p PromptSpec, fresh bool) ([]event.Payload, error) {
	var out []event.Payload
	g := t.s.guard.ForCall(t.n, "")
	for _, a := range p.Attachments {
		if a.Text != nil {
			continue
		}
		content, err := g.ReadFile(ctx, a.Path, maxAttach)
		if err != nil {
			return out, fmt.Errorf("attach %s %q: %w", a.Type, a.Path, err)
		}
		out = append(out, personAttach(t.n, a, lines(content, a.Range)))
	}
	if fresh {
		return out, nil
	}
	root, err := instructions(ctx, g, t.n, ".", t.s.State().Instructions)
	return append(out, root...), err
}

// preread reads the instruction files at the root when the session is opened, so that the first request has them directly behind it. Where reads ask, they wait for the turn.
func (s *Session) preread(ctx context.Context, policy guard.Policy) error {
	if policy.Read == guard.PolicyAsk {
		return nil
	}
	found, err := instructions(ctx, s.guard, 0, ".", nil)
	if err != nil {
		return err
	}
	s.instructions = []event.Attach{}
	for _, p := range found {
		s.instructions = append(s.instructions, p.(event.Attach))
	}
	return nil
}

func personAttach(turn int, a Attachment, content []byte) event.Attach {
	payload := textAttach(turn, "person", a.Type, a.Path, content)
	payload.Range = a.Range
	return payload
}

// lines cuts a file down to the lines of a range; a nil range is the whole.
func lines(content []byte, r *event.Range) []byte {
	if r == nil {
		return content
	}
	all := bytes.SplitAfter(content, []byte("\n"))
	last := r.EndLine
	if r.EndColumn == 1 && last > r.StartLine {
		last-- // the end is exclusive
	}
	first := min(max(r.StartLine-1, 0), len(all))
	return bytes.Join(all[first:min(max(last, first), len(all))], nil)
}

func textAttach(turn int, origin, kind, file string, content []byte) event.Attach {
	sum := sha256.Sum256(content)
	text := string(content)
	return event.Attach{Turn: turn, Type: kind, Origin: origin, Path: file, Text: &text, SHA256: hex.EncodeToString(sum[:])}
}

// environment describes where the agent works and what of the person's work it does not see.
func environment(st view.State, ports, date string) string {
	var b strings.Builder
	b.WriteString("Environment\n")
	fmt.Fprintf(&b, "- tree: %s (every path you use is relative to it)\n", st.Config.Repo)
	if w := st.Config.Worktree; w != nil {
		base := w.Base
		if base == "" {
			base = "a detached HEAD"
		}
		fmt.Fprintf(&b, "- it is a git worktree of its own on branch %s, made from %s at %s\n", w.Branch, base, w.BaseCommit)
		for _, line := range belongings(st) {
			b.WriteString("- " + line + "\n")
		}
		if ports != "" {
			b.WriteString("- " + ports + "\n")
		}
	} else {
		b.WriteString("- it is the person's own folder: there is no worktree between you and it\n")
	}
	if line := sandboxText(st.Config.Sandbox.Backend); line != "" {
		b.WriteString("- " + line + "\n")
	}
	fmt.Fprintf(&b, "- date: %s\n- system: %s/%s\n- mode: %s\n", date, runtime.GOOS, runtime.GOARCH, modeText(st.Config.Mode))
	return b.String()
}

// sandboxText tells a model what it would otherwise take for a broken machine.
func sandboxText(backend string) string {
	switch backend {
	case "bwrap":
		return "commands run in a sandbox: they change the tree, /tmp and build caches, and commit to this branch; the rest of the machine is read-only, and keys are not there"
	case "landlock":
		return "commands run in a sandbox: they change the tree, $TMPDIR and build caches; the rest of the machine is read-only, keys cannot be read, and git commits nothing"
	}
	return ""
}

func modeText(mode string) string {
	switch mode {
	case "ask":
		return "ask: you read and answer; tools that change things are refused"
	case "plan":
		return "plan: you read, and end with a plan as a numbered list; tools that change things are refused until the person accepts it"
	}
	return "edit: you change files and run commands, as permission allows"
}

// maxNamed is how many copied files the model is told by name.
const maxNamed = 20

// belongings says what of the person's own the tree has and what it lacks.
func belongings(st view.State) []string {
	var lines []string
	carried := len(st.Landings) > 0 && st.Landings[0].Strategy == view.Carried
	if carried {
		lines = append(lines, "uncommitted work of the person's came along and lies in the files as they left it; it is theirs and does not land with yours")
	}
	switch {
	case st.Uncommitted != 0 || st.Untracked != 0:
		lines = append(lines, fmt.Sprintf("not here: %d uncommitted and %d untracked files of the person's checkout; ask when you need what they hold", st.Uncommitted, st.Untracked))
	case !carried:
		lines = append(lines, "the person's checkout had no uncommitted work when this tree was made")
	}
	if n := len(st.IgnoredCopied); n > 0 {
		names := strings.Join(st.IgnoredCopied[:min(n, maxNamed)], ", ")
		if n > maxNamed {
			names += fmt.Sprintf(" and %d more", n-maxNamed)
		}
		lines = append(lines, "copied from the person's checkout though git ignores it: "+names+"; it does not land")
	}
	return lines
}

// nestedInstructions attaches the instruction files of the folders that a call touched, as long as the model has not seen them as they are.
func (t *Turn) nestedInstructions(ctx context.Context, touched []string) ([]event.Payload, error) {
	var out []event.Payload
	for _, dir := range t.s.unseenFolders(touched) {
		found, err := instructions(context.WithoutCancel(ctx), t.s.guard.ForCall(t.n, ""), t.n, dir, t.s.State().Instructions)
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
func instructions(ctx context.Context, g *guard.Guard, turn int, dir string, known map[string]string) ([]event.Payload, error) {
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
		a := textAttach(turn, "instructions", "file", file, content)
		if known[file] != a.SHA256 && !digests[a.SHA256] {
			out = append(out, a)
		}
		digests[a.SHA256] = true
	}
	return out, nil
}
