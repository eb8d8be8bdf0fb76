package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/nodwyn/nodwyn/"
)

// source is one Go file of the module, as the rules of this folder look at it.
type source struct {
	path   string // relative to the module's root, with slashes
	pkg    string // import path without the module's part
	test   bool
	lines  int
	fset   *token.FileSet
	syntax *ast.File
}

// parse reads one file; the rules' own samples come through here too, so that a rule is proved on what it will see.
func parse(t *testing.T, pkg, name string, text []byte) source {
	t.Helper()
	fset := token.NewFileSet()
	// Go's object resolution tells a local variable named os from the package of that name.
	syntax, err := parser.ParseFile(fset, name, text, parser.ParseComments)
	if err != nil {
		t.Fatalf("parse %s: %v", name, err)
	}
	return source{
		path: pkg + "/" + name, pkg: pkg, test: strings.HasSuffix(name, "_test.go"),
		lines: bytes.Count(text, []byte("\n")), fset: fset, syntax: syntax,
	}
}

// sources reads every Go file that the go command knows, those for other systems included: a ban that holds on Linux only is no ban.
func sources(t *testing.T) []source {
	t.Helper()
	cmd := exec.Command("go", "list", "-e", "-json=Dir,ImportPath,GoFiles,CgoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("list packages: %v\n%s", err, stderr.String())
	}
	var all []source
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir, ImportPath                                              string
			GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("read the package list: %v", err)
		}
		for _, name := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles, p.TestGoFiles, p.XTestGoFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, parse(t, strings.TrimPrefix(p.ImportPath, module), name, text))
		}
	}
	if len(all) == 0 {
		t.Fatal("the go command lists no files: the rules would pass on nothing")
	}
	return all
}

// at says where a node stands, for a reader who wants to go there.
func (s source) at(n ast.Node) string {
	return s.path + ":" + strconv.Itoa(s.fset.Position(n.Pos()).Line)
}

// imports returns the import paths of the file, each with the name it has there.
func (s source) imports() map[string]string {
	names := map[string]string{}
	for _, spec := range s.syntax.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		name := path[strings.LastIndex(path, "/")+1:]
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[path] = name
	}
	return names
}

// calls yields each mention of a member of an imported package, as "fmt.Println" and its node, whatever name the import has.
func (s source) mentions(yield func(member string, n ast.Node)) {
	paths := map[string]string{}
	for path, name := range s.imports() {
		paths[name] = path
	}
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Obj == nil && paths[x.Name] != "" {
			yield(paths[x.Name]+"."+sel.Sel.Name, sel)
		}
		return true
	})
}

// report fails the test with every finding at once, so that one run shows the whole list.
func report(t *testing.T, findings []string) {
	t.Helper()
	for _, f := range findings {
		t.Error(f)
	}
}
