package tool

import (
	"context"
	_ "embed" // for the description
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
)

//go:embed file_list.md
var fileListText string

const (
	defaultDepth = 3
	maxDepth     = 50
	maxEntries   = 1000
)

func fileList() Tool {
	return define(definition{
		name:        "file-list",
		description: fileListText,
		schema:      `{"type":"object","properties":{"path":{"type":"string","description":"folder, relative to the tree; the whole tree when absent"},"depth":{"type":"integer","minimum":1,"maximum":50,"description":"levels of folders to open, 3 when absent"}},"additionalProperties":false}`,
		form:        `{"path": "cmd", "depth": 2}`,
		readOnly:    true,
	}, runFileList)
}

type fileListArguments struct {
	Path  string `json:"path"`
	Depth int    `json:"depth"`
}

func (a fileListArguments) check() error { return within("depth", a.Depth, maxDepth) }

func runFileList(ctx context.Context, env Env, a fileListArguments) (Result, error) {
	folder, ok := env.inTree(a.Path)
	if !ok {
		return refuse(wordDenied, fmt.Sprintf("not allowed to list %q: it leads out of the session's tree, and only what is inside can be used", a.Path)), nil
	}
	files, err := env.Guard.Files(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("list files: %w", err)
	}
	names, isFile := namesUnder(folder, files)
	if isFile {
		return Result{OK: true, Text: visible(path.Base(folder)) + "\n", Touched: env.touched(folder)}, nil
	}
	if len(names) == 0 && folder != "." {
		return refuse(wordNotFound, fmt.Sprintf("no files in %q: it does not exist, is empty, or is ignored by git", a.Path)), nil
	}
	depth := a.Depth
	if depth == 0 {
		depth = defaultDepth
	}
	text, cut := listing(names, depth)
	return Result{OK: true, Text: text, Truncated: cut, Touched: env.touchedFolder(folder)}, nil
}

// namesUnder returns the sorted names of the files below a folder as seen from it, or says that it is a file itself.
func namesUnder(folder string, files []guard.File) (names []string, isFile bool) {
	for _, f := range files {
		if f.Path == folder {
			return nil, true
		}
		// Below the root the prefix is never there and the name stays whole.
		if name, ok := strings.CutPrefix(f.Path, folder+"/"); ok || folder == "." {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, false
}

// listing shows sorted names as an indented tree. One that would be too long is shown with fewer levels, for the far end of a tree matters less than its other branches.
func listing(names []string, depth int) (text string, cut bool) {
	if len(names) == 0 {
		return "[there are no files]\n", false
	}
	lines := branch(nil, names, "", depth)
	wanted := depth
	for len(lines) > maxEntries && depth > 1 {
		depth--
		lines = branch(nil, names, "", depth)
	}
	var note string
	if depth < wanted {
		note = fmt.Sprintf("[only %d levels are shown; give a path to see more of it]\n", depth)
	}
	if len(lines) > maxEntries {
		note = fmt.Sprintf("[the first %d of %d entries; look for a file with code-search and kind path]\n", maxEntries, len(lines))
		lines = lines[:maxEntries]
	}
	return strings.Join(lines, "\n") + "\n" + note, note != ""
}

// branch adds the lines of one folder to out.
func branch(out, names []string, indent string, depth int) []string {
	for len(names) > 0 {
		first, _, isFolder := strings.Cut(names[0], "/")
		if !isFolder {
			out = append(out, indent+visible(first))
			names = names[1:]
			continue
		}
		n := countBelow(names, first+"/")
		if depth == 1 {
			out = append(out, fmt.Sprintf("%s%s/ (%s)", indent, visible(first), count(n, "file")))
		} else {
			out = append(out, indent+visible(first)+"/")
			out = branch(out, below(names[:n], first+"/"), indent+"  ", depth-1)
		}
		names = names[n:]
	}
	return out
}

// countBelow counts the leading names with a prefix.
func countBelow(names []string, prefix string) int {
	n := 0
	for n < len(names) && strings.HasPrefix(names[n], prefix) {
		n++
	}
	return n
}

func below(names []string, prefix string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name[len(prefix):]
	}
	return out
}
