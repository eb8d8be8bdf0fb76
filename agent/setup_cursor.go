package agent

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	// cursorFile is where projects name their set-up for another editor's worktrees.
	cursorFile = ".cursor/worktrees.json"
	// cursorRoot is the variable by which its commands find the main checkout.
	cursorRoot = "ROOT_WORKTREE_PATH"
	// importedTimeout ends an imported command; the file has no word for it.
	importedTimeout = 10 * time.Minute
)

// cursorSetup reads the set-up that a project has for another editor, for a project that has none for us. What cannot be read is an error, like that of our own file.
func (t *Turn) cursorSetup(ctx context.Context) (setup, error) {
	s := t.s
	list := setup{by: "cursor", file: cursorFile}
	read := func(name string) (string, error) { return s.repo.PlainText(ctx, s.State().Carry.From, name) }
	text, err := read(cursorFile)
	if err != nil || text == "" {
		return list, err
	}
	lines, err := cursorCommands([]byte(text), runtime.GOOS, read)
	if err != nil {
		return list, fmt.Errorf("read %s: %w", cursorFile, err)
	}
	for _, line := range lines {
		list.commands = append(list.commands, SetupCommand{
			Run: []string{"env", cursorRoot + "=" + s.repo.Root(), shellOf(line), "-c", line}, Timeout: importedTimeout,
		})
	}
	return list, nil
}

// cursorCommands returns the shell texts of the file: the list for the system, else the common one. In place of a list it may name a script beside it, whose text then stands for it, so that a person trusts what runs.
func cursorCommands(content []byte, system string, read func(name string) (string, error)) ([]string, error) {
	var file map[string]any
	if err := json.Unmarshal(content, &file); err != nil {
		return nil, err
	}
	key := "setup-worktree-unix"
	if system == "windows" {
		key = "setup-worktree-windows"
	}
	if _, there := file[key]; !there {
		key = "setup-worktree"
	}
	switch value := file[key].(type) {
	case nil:
		return nil, nil
	case string:
		name := path.Join(path.Dir(cursorFile), value)
		if !strings.HasPrefix(name, path.Dir(cursorFile)+"/") {
			return nil, fmt.Errorf("%s: script %q lies outside of %s", key, value, path.Dir(cursorFile))
		}
		text, err := read(name)
		if err == nil && text == "" {
			err = fmt.Errorf("%s: script %q is empty or not there", key, value)
		}
		return []string{text}, err
	case []any:
		var lines []string
		for i, v := range value {
			line, ok := v.(string)
			if !ok || strings.TrimSpace(line) == "" {
				return nil, fmt.Errorf("%s: command %d is no text", key, i+1)
			}
			lines = append(lines, line)
		}
		return lines, nil
	default:
		return nil, fmt.Errorf("%s is neither a list of commands nor a script", key)
	}
}

// shellOf is the shell that a text asks for in its first line.
func shellOf(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") && strings.Contains(first, "bash") {
		return "bash"
	}
	return "sh"
}
