package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// probe finds checks in one file of a repository's root. It returns what the answer to the proposal is bound to: whatever decides what the commands run.
type probe struct {
	file string
	find func(content []byte) (items []item, bound string)
}

// probes stand in the order of their say: a Makefile's own test target speaks for the whole project, so the others are not asked beside it.
func probes() []probe {
	return []probe{
		{"Makefile", makeTargets}, {"go.mod", goModule}, {"package.json", npmScripts}, {"Cargo.toml", cargoCrate}, {"pyproject.toml", pythonProject},
	}
}

// detect finds the checks that a repository has by its looks, and the content that the person's answer is bound to. read returns a file of the tree.
func detect(read func(name string) ([]byte, error)) ([]item, []byte, error) {
	var items []item
	var bound strings.Builder
	for _, p := range probes() {
		content, err := read(p.file)
		if skip, err := unreadable(err); skip {
			continue
		} else if err != nil {
			return nil, nil, err
		}
		found, what := p.find(content)
		if len(found) == 0 {
			continue
		}
		items = append(items, found...)
		fmt.Fprintf(&bound, "%s\n%s\n", p.file, what)
		if p.file == "Makefile" {
			break
		}
	}
	for i := range items {
		if err := items[i].complete(); err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(&bound, "%s: %q\n", items[i].Name, items[i].Run)
	}
	return items, []byte(bound.String()), nil
}

var makeTarget = regexp.MustCompile(`(?m)^(test|check)[ \t]*:([^=]|$)`)

func makeTargets(content []byte) ([]item, string) {
	m := makeTarget.FindSubmatch(content)
	if m == nil {
		return nil, ""
	}
	target := string(m[1])
	return []item{{Name: target, Run: []string{"make", target}}}, string(content)
}

func goModule([]byte) ([]item, string) {
	return []item{{Name: "vet", Run: []string{"go", "vet", "./..."}}, {Name: "test", Run: []string{"go", "test", "./..."}}}, ""
}

// npmScripts leaves out the test script that npm itself writes, which only says that there is none.
func npmScripts(content []byte) ([]item, string) {
	var pkg struct {
		Scripts map[string]string `json:"scripts"`
	}
	if err := json.Unmarshal(content, &pkg); err != nil {
		return nil, "" // not ours to judge; npm will say so when it is run
	}
	var items []item
	var bound strings.Builder
	for _, name := range []string{"lint", "test"} {
		text := pkg.Scripts[name]
		if text == "" || strings.Contains(text, "no test specified") {
			continue
		}
		items = append(items, item{Name: name, Run: []string{"npm", "run", "--silent", name}})
		fmt.Fprintf(&bound, "%s: %s\n", name, text)
	}
	return items, bound.String()
}

func cargoCrate([]byte) ([]item, string) {
	return []item{{Name: "test", Run: []string{"cargo", "test"}}}, ""
}

func pythonProject(content []byte) ([]item, string) {
	var project struct {
		Tool map[string]any `toml:"tool"`
	}
	if _, err := toml.Decode(string(content), &project); err != nil || project.Tool["pytest"] == nil {
		return nil, ""
	}
	return []item{{Name: "test", Run: []string{"python3", "-m", "pytest", "-q"}}}, ""
}

// proposal asks whether the checks that were found are to run.
func proposal(items []item) string {
	var b strings.Builder
	b.WriteString("This repository names no checks of its own in .nodwyn/closeout.toml. These were found; run them after each turn that changes something?\n")
	for _, it := range items {
		fmt.Fprintf(&b, "\n%s: %s", it.Name, strings.Join(it.Run, " "))
	}
	return b.String()
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
