package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
)

// edit is a configuration file before and after set-up.
type edit struct {
	path, old, text string
}

// edit puts the choice into the configuration file's text. All that stands elsewhere in it stays, comments included.
func (s *installation) edit(ch choice) (edit, error) {
	old, err := os.ReadFile(s.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return edit{}, fmt.Errorf("read configuration: %w", err)
	}
	was, err := decodeFile(s.path, string(old))
	if err != nil {
		return edit{}, fmt.Errorf("%w\ncorrect that first, or move the file away", err)
	}
	e := edit{path: s.path, old: string(old), text: string(old)}
	if e.old == "" {
		e.text = "# Made by `nodwyn setup`. The README tells what else can stand here; keys never do.\n"
	}
	e.text = setTable(e.text, "control", ch.model.lines())
	e.text = setTable(e.text, "servers."+ch.name, ch.section.lines())
	return e, e.check(was, ch)
}

// check proves that the new text says what was chosen and otherwise what it said before. A file may be written in ways that setTable does not understand.
func (e edit) check(was file, ch choice) error {
	want := was
	want.Control, want.Servers = &ch.model, maps.Clone(was.Servers)
	if want.Servers == nil {
		want.Servers = make(map[string]serverSection, 1)
	}
	want.Servers[ch.name] = ch.section
	got, err := decodeFile(e.path, e.text)
	if err == nil && reflect.DeepEqual(got, want) {
		return nil
	}
	return fmt.Errorf("%s is written in a way that set-up cannot change safely: give it these lines by hand\n\n[control]\n%s\n[servers.%s]\n%s", e.path, ch.model.lines(), ch.name, ch.section.lines())
}

func (e edit) changes() bool { return e.old != e.text }

// shown is what a person is to agree to: all of a new file, and what changes in an old one.
func (e edit) shown() string {
	if e.old == "" {
		return visible(e.text)
	}
	return e.diff()
}

// diff shows what the edit changes.
func (e edit) diff() string {
	_, text, _ := strings.Cut(string(diff.Diff(e.path, []byte(e.old), e.path, []byte(e.text))), "\n")
	return visible(text)
}

// write replaces the file as a whole, and returns the name under which the old one is kept. A link stays one.
func (e edit) write() (backup string, err error) {
	if !e.changes() {
		return "", nil
	}
	path := e.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("write configuration: %w", err)
	}
	if e.old != "" {
		if backup, err = keep(path, e.old); err != nil {
			return "", err
		}
	}
	return backup, replaceFile(path, e.text)
}

// keep writes a copy under the first name that is free.
func keep(path, text string) (string, error) {
	for n := 1; ; n++ {
		name := path + ".bak"
		if n > 1 {
			name += strconv.Itoa(n)
		}
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("keep the old configuration: %w", err)
		}
		_, err = f.WriteString(text)
		if err := errors.Join(err, f.Close()); err != nil {
			return "", fmt.Errorf("keep the old configuration: %w", err)
		}
		return name, nil
	}
}

// replaceFile writes beside the file and renames, so that a crash leaves the one or the other.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*")
	if err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write configuration: %w", errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// setTable gives the table new lines, where it stands or at the end. Comments and blank lines before the next table belong to that one.
func setTable(text, name, lines string) string {
	table := "[" + name + "]\n" + lines
	all := strings.SplitAfter(text, "\n")
	start := -1
	for i, line := range all {
		if header(line) == name {
			start = i
			break
		}
	}
	if start < 0 {
		return strings.TrimRight(text, "\n") + "\n\n" + table
	}
	end := start + 1
	for end < len(all) && header(all[end]) == "" {
		end++
	}
	for end > start+1 && foreign(all[end-1]) {
		end--
	}
	return strings.Join(all[:start], "") + table + strings.Join(all[end:], "")
}

// foreign reports whether a line at the end of a table may have to do with the next one.
func foreign(line string) bool {
	line = strings.TrimSpace(line)
	return line == "" || strings.HasPrefix(line, "#")
}

// header is the name of the table that a line begins; it is empty for any other line.
func header(line string) string {
	line, _, _ = strings.Cut(line, "#")
	line = strings.TrimSpace(line)
	if !strings.HasPrefix(line, "[") || !strings.HasSuffix(line, "]") {
		return ""
	}
	return strings.TrimSpace(strings.Trim(line, "[]"))
}

// lines is the section as it stands in the file.
func (m modelSection) lines() string {
	text := fmt.Sprintf("server = %q\n", m.Server)
	if m.Model != "" {
		text += fmt.Sprintf("model = %q\n", m.Model)
	}
	if m.Context > 0 {
		text += fmt.Sprintf("context = %d\n", m.Context)
	}
	return text
}

func (s serverSection) lines() string {
	text := ""
	for _, l := range [][2]string{{"api", s.API}, {"url", s.URL}, {"key_env", s.KeyEnv}, {"credential", s.Credential}, {"ca_file", s.CAFile}} {
		if l[1] != "" {
			text += fmt.Sprintf("%s = %q\n", l[0], l[1])
		}
	}
	return text
}
