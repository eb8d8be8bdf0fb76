package effect

import (
	"context"
	"io/fs"
	"path"
	"slices"
)

// List names everything below the tree but folders, sorted by path. It enters no .git, no link and no mount, and leaves out what it may not look into.
func (t *Tree) List(ctx context.Context) ([]string, error) {
	c := t.Cursor()
	defer c.Close()
	var found []string
	todo := []string{"."}
	for len(todo) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		dir := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		entries, err := c.entries(dir)
		if err != nil && dir == "." {
			return nil, err
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			switch {
			case e.Name() == ".git":
			case e.IsDir():
				todo = append(todo, name)
			default:
				found = append(found, name)
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

func (c *Cursor) entries(dir string) ([]fs.DirEntry, error) {
	if err := c.w.to(dir); err != nil {
		return nil, err
	}
	f, err := c.w.top().Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}
