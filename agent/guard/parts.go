package guard

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/agent/guard/plain"
)

// reading is a command that was read before it is decided about.
type reading struct {
	// argv is how it is shown and remembered: the program and its words, or the shell and its text.
	argv []string
	// dir is the folder to which the text changes first; empty when it does not.
	dir string
	// plan is what runs, and parts are its programs in the same order; doubt is why a text has to be left to a shell.
	plan  []effect.Step
	parts []plainPart
	doubt string
}

// plainPart is one program of a command: its words as they were given, and as they run when they only read.
type plainPart struct {
	argv  []string
	safe  plain.Safe
	doubt string
}

// read takes a command apart. One that needs a shell is a program with one text.
func (c Command) read() (reading, error) {
	argv, err := c.argv()
	if err != nil {
		return reading{}, err
	}
	r := reading{argv: argv}
	if c.Shell == "" {
		r.add(Always, []plain.Simple{{Argv: argv}})
		return r, nil
	}
	line, err := plain.Parse(c.Shell)
	if err != nil {
		r.doubt = err.Error()
		r.plan = []effect.Step{{Pipe: []effect.Program{{Argv: argv}}}}
		return r, nil
	}
	r.dir = line.Dir
	for _, s := range line.Steps {
		r.add(effect.When(s.When), s.Pipe)
	}
	return r, nil
}

// Always is the condition of a step that waits for nothing.
const Always = effect.Always

func (r *reading) add(when effect.When, pipe []plain.Simple) {
	step := effect.Step{When: when}
	for _, s := range pipe {
		step.Pipe = append(step.Pipe, effect.Program{Argv: s.Argv, ErrToOut: s.ErrToOut, DropOut: s.DropOut, DropErr: s.DropErr})
		part := plainPart{argv: s.Argv}
		var err error
		if part.safe, err = plain.ReadOnly(s.Argv); err != nil {
			part.doubt = err.Error()
		}
		r.parts = append(r.parts, part)
	}
	r.plan = append(r.plan, step)
}

// within is the folder in which the command works.
func (r *reading) within(cwd string) string {
	switch {
	case r.dir == "":
		return cwd
	case filepath.IsAbs(r.dir):
		return r.dir
	}
	return path.Join(cwd, filepath.ToSlash(r.dir))
}

// action is what is decided about: the whole, and its programs.
func (g *Guard) action(r *reading, cwd place) (Action, error) {
	a := Action{Op: OpExec, Argv: r.argv, Cwd: cwd.rel, Doubt: r.doubt}
	for i := range r.parts {
		p := &r.parts[i]
		if p.doubt == "" {
			doubt, err := g.readsWithin(cwd.rel, p.safe)
			if err != nil {
				return a, err
			}
			p.doubt = doubt
		}
		a.Parts = append(a.Parts, Action{Op: OpExec, Argv: p.argv, Cwd: cwd.rel, ReadOnly: p.doubt == "", Doubt: p.doubt})
	}
	return a, nil
}

// readsWithin says why the words of a command, of which any may name a file, may name one that may not be read; empty when none does.
func (g *Guard) readsWithin(cwd string, safe plain.Safe) (doubt string, err error) {
	if safe.Deep && safe.Argv[0] == "diff" {
		return "it follows links out of the tree", nil
	}
	unseen := g.cfg.Sandbox.hides() && safe.Argv[0] != "git" // what is denied is not there for the command; git has it in its objects, too
	if safe.Deep && slices.ContainsFunc(g.cfg.Policy.Rules, func(r Rule) bool {
		return r.Op == OpRead && (r.Effect == Ask || r.Effect == Deny && !unseen)
	}) {
		return "the configuration keeps files of this tree from being read", nil
	}
	for _, w := range safe.Reads {
		if filepath.IsAbs(w) && !within(w, g.cfg.Root) {
			return "it may read " + visible(w) + ", which lies outside of the session's tree", nil
		}
		name := w
		if !filepath.IsAbs(w) {
			name = cwd + "/" + filepath.ToSlash(w) // as it is: a ".." counts behind the link that stands before it
		}
		p, err := g.locate(OpRead, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return "", err
		case p.hazard != nil:
			return "it may read " + visible(w) + ", which lies outside of the session's tree", nil
		}
		r, err := g.rule(Action{Op: OpRead, Path: p.rel})
		if err != nil {
			return "", err
		}
		if r.Verdict != Allow {
			return "it may read " + visible(w) + ", which is not to be read unasked", nil
		}
	}
	return "", nil
}

// harden has the programs that were proved to only read run with the words and variables that keep them from more, and git without the programs that the repository names. It reports whether all of them were proved.
func (g *Guard) harden(ctx context.Context, r *reading, dir string) (bool, error) {
	if r.doubt != "" {
		return false, nil // a shell's text
	}
	all, n := true, 0
	for i := range r.plan {
		for j := range r.plan[i].Pipe {
			part := r.parts[n]
			n++
			if part.doubt != "" {
				all = false
				continue
			}
			argv, env := part.safe.Argv, part.safe.Env
			if argv[0] == "git" {
				var err error
				if argv, env, err = g.git.passOver(ctx, dir, argv, env); err != nil {
					return false, err
				}
			}
			r.plan[i].Pipe[j].Argv, r.plan[i].Pipe[j].Env = argv, env
		}
	}
	return all, nil
}

// hiddenReads lists the files of the tree that the configuration keeps from being read without a question, so that a command does not see them either.
func (g *Guard) hiddenReads(ctx context.Context) ([]string, error) {
	var rules []Rule
	for _, r := range g.cfg.Policy.Rules {
		if r.Op == OpRead && r.Effect == Deny {
			rules = append(rules, r)
		}
	}
	if len(rules) == 0 {
		return nil, nil
	}
	tree, err := g.tree()
	if err != nil {
		return nil, err
	}
	names, err := tree.List(ctx)
	if err != nil {
		return nil, err
	}
	var hidden []string
	for _, name := range names {
		if slices.ContainsFunc(rules, func(r Rule) bool { return r.matchesPath(name) }) && !strings.HasPrefix(name, ".git/") {
			hidden = append(hidden, filepath.Join(g.cfg.Root, filepath.FromSlash(name)))
		}
	}
	return hidden, nil
}
