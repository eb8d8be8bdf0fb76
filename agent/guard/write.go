package guard

import (
	"bytes"
	"context"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// maxReplaced is the size from which a file is not replaced: nobody could be shown what that changes.
const maxReplaced = 64 << 20

// Seen is what a caller has read of a file. Its zero value is that there is none.
type Seen struct {
	Exists  bool
	Content []byte
}

// WriteFile puts content in the place of a file of the tree, or creates it. What the caller has seen is what a person is shown and what is replaced: a file that has changed since the caller read it, or changes while the person is asked, is left alone, with a *DeniedError whose rule is "stale".
func (g *Guard) WriteFile(ctx context.Context, name string, seen Seen, content []byte) error {
	p, err := g.locate(OpWrite, name)
	if err != nil {
		return err
	}
	tree, err := g.tree()
	if err != nil {
		return err
	}
	was, hazard, err := g.present(tree, p, seen)
	if err != nil {
		return err
	}
	q := request{
		action: Action{Op: OpWrite, Path: p.rel, Hazard: hazard}, target: p.rel,
		prompt: func() Prompt { return writePrompt(p, was, content) },
	}
	if err := g.permit(ctx, q); err != nil {
		return err
	}
	// A cursor of its own: one from before the prompt would still hold folders that were moved meanwhile.
	c := tree.Cursor()
	defer c.Close()
	if err := c.Replace(p.rel, was, content); err != nil {
		return explain(OpWrite, p.rel, maxReplaced, err)
	}
	return nil
}

// present returns what is to be replaced, which must be what the caller has seen, and what speaks against it. What is denied anyway is not read.
func (g *Guard) present(tree *effect.Tree, p place, seen Seen) (effect.Version, *Hazard, error) {
	r, err := g.rule(Action{Op: OpWrite, Path: p.rel, Hazard: p.hazard})
	if err != nil || r.Verdict == Deny {
		return effect.Version{}, p.hazard, err
	}
	c := tree.Cursor()
	defer c.Close()
	was, err := c.Current(p.rel, maxReplaced)
	if err == nil && (was.Exists != seen.Exists || !bytes.Equal(was.Content, seen.Content)) {
		err = effect.ErrStale
	}
	if h := hazardOf(err); h != nil {
		return effect.Version{}, h, nil
	}
	if err != nil {
		return effect.Version{}, nil, explain(OpWrite, p.rel, maxReplaced, err)
	}
	return was, nil, nil
}

func writePrompt(p place, was effect.Version, content []byte) Prompt {
	verb := "Create "
	if was.Exists {
		verb = "Replace "
	}
	d := diffOf(p.rel, was, content)
	return Prompt{Action: verb + visible(p.rel), Path: p.abs, Diff: d.text, Truncated: d.truncated, Range: d.changed}
}
