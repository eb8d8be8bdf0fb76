package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// maxBatchFile is the size from which a file is left out of a batch.
const maxBatchFile = 64 << 20

// maxReadRecords is how many decisions of one batch are recorded by themselves.
const maxReadRecords = 1000

// ReadFile returns the content of a file of the tree. *TooLargeError says that it has more than limit bytes, *DeniedError that it may not be read, fs.ErrNotExist that it is not there.
func (g *Guard) ReadFile(ctx context.Context, name string, limit int64) ([]byte, error) {
	p, err := g.locate(OpRead, name)
	if err != nil {
		return nil, err
	}
	q := request{
		action: Action{Op: OpRead, Path: p.rel, Hazard: p.hazard}, target: p.rel,
		prompt: func() Prompt { return Prompt{Action: "Read " + visible(p.rel), Path: p.abs} },
	}
	tree, err := g.tree()
	if err != nil {
		return nil, err
	}
	c := tree.Cursor()
	defer c.Close()
	if entry, err := c.Stat(p.rel); p.hazard == nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, explain(OpRead, p.rel, limit, err) // nobody is asked about nothing
		}
		if err == nil && !entry.Mode.IsRegular() {
			q.action.Hazard = hazardOf(effect.ErrNotRegular)
		}
	}
	if err := g.permit(ctx, q); err != nil {
		return nil, err
	}
	content, err := c.Read(p.rel, limit)
	if err != nil {
		return nil, explain(OpRead, p.rel, limit, err)
	}
	return content, nil
}

// File is a file of the tree, by its name and without its content.
type File struct {
	// Path is relative to the tree, with slashes.
	Path    string
	Size    int64
	ModTime time.Time
	// Regular is false for links, sockets and whatever else holds no text of its own.
	Regular bool
}

// Files lists the tree's files, sorted by path: what git tracks or does not ignore, or everything outside git. It reads names and sizes, never content, so no decision is recorded.
func (g *Guard) Files(ctx context.Context) ([]File, error) {
	ctx, done := g.bound(ctx)
	defer done()
	tree, err := g.tree()
	if err != nil {
		return nil, err
	}
	names, err := g.names(ctx, tree)
	if err != nil {
		return nil, fmt.Errorf("list files: %w", err)
	}
	c := tree.Cursor()
	defer c.Close()
	files := make([]File, 0, len(names))
	for _, name := range names {
		entry, err := c.Stat(name)
		if err != nil || entry.Mode.IsDir() || insideGit(name) || g.isForbidden(name) {
			continue // deleted but still tracked, another repository inside, or none of the session's business
		}
		files = append(files, File{Path: name, Size: entry.Size, ModTime: entry.ModTime, Regular: entry.Mode.IsRegular()})
	}
	return files, nil
}

// names lists what git would, where there is a repository and a git.
func (g *Guard) names(ctx context.Context, tree *effect.Tree) ([]string, error) {
	if !effect.InRepository(tree.Dir()) {
		return tree.List(ctx)
	}
	out, err := g.git.Run(ctx, tree.Dir(), nil, nil, "ls-files", "-co", "--exclude-standard", "-z")
	if errors.Is(err, effect.ErrNoProgram) {
		return tree.List(ctx)
	}
	if err != nil {
		return nil, err
	}
	names := splitNUL(out)
	slices.Sort(names)
	return slices.Compact(names), nil // a file in conflict is listed three times
}

// ReadBatch reads many files, as Files names them, and hands each to yield in the order of paths, with the error of one that cannot be read. An error of yield ends it. All decisions are durable before the first read; nobody is asked, so what would need a prompt is denied.
func (g *Guard) ReadBatch(ctx context.Context, paths []string, yield func(path string, content []byte, err error) error) error {
	ctx, done := g.bound(ctx)
	defer done()
	if len(paths) == 0 {
		return nil
	}
	tree, err := g.tree()
	if err != nil {
		return err
	}
	denied, err := g.decideBatch(paths)
	if err != nil {
		return err
	}
	c := tree.Cursor()
	defer c.Close()
	for _, p := range paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		content, err := readOf(c, p, denied[p])
		if err := yield(p, content, err); err != nil {
			return err
		}
	}
	return nil
}

func readOf(c *effect.Cursor, name string, denied *DeniedError) ([]byte, error) {
	if denied != nil {
		return nil, denied
	}
	content, err := c.Read(name, maxBatchFile)
	if err != nil {
		return nil, explain(OpRead, name, maxBatchFile, err)
	}
	return content, nil
}

// decideBatch records the decisions of a batch, denials first so that a cut hides none of them while it can be helped.
func (g *Guard) decideBatch(paths []string) (map[string]*DeniedError, error) {
	state := g.state()
	always, err := g.always()
	if err != nil {
		return nil, err
	}
	state.Approvals = append(state.Approvals, always...)
	denied := make(map[string]*DeniedError)
	var no, yes []event.Payload
	for _, p := range paths {
		q, r := g.decideRead(state, p)
		if r.Verdict == Allow {
			yes = append(yes, g.decision(q, Allow, r.Rule))
			continue
		}
		denied[p] = &DeniedError{Op: OpRead, Target: p, Rule: r.Rule, Reason: r.Reason}
		no = append(no, g.decision(q, Deny, r.Rule))
	}
	all := append(no, yes...)
	if over := len(all) - maxReadRecords; over > 0 {
		rest := all[maxReadRecords].(event.GuardDecision)
		rest.Target, rest.Dropped = ".", over
		all = append(all[:maxReadRecords], rest)
	}
	return denied, g.record(all...)
}

// decideRead rules on one path of a batch, as Files names them: no link is followed on its way.
func (g *Guard) decideRead(s State, name string) (request, Ruling) {
	q := request{action: Action{Op: OpRead, Path: name}, target: name}
	switch {
	case path.Clean(name) != name || !filepath.IsLocal(filepath.FromSlash(name)):
		q.action.Hazard = hazardOf(effect.ErrEscape)
	case g.isForbidden(name):
		q.action.Hazard = closed()
	}
	r := Decide(g.cfg.Policy, s, q.action)
	if r.Verdict == Ask {
		r = Ruling{Verdict: Deny, Rule: PolicyAsk, Reason: "reading it needs an answer, and a search asks nobody; read the file by itself"}
	}
	return q, r
}
