package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// source is a package as its files document it.
type source struct {
	structs map[string]*structDoc
	// words are the string constants of each named type, in the order of the file.
	words map[string][]word
	// types are the named types that are not structs, with what is underneath.
	types map[string]string
	// docs are the comments of those.
	docs map[string]string
	// kinds are the words that the kind methods return, by type.
	kinds map[string]string
}

type structDoc struct {
	name, doc string
	fields    []field
	// embeds are the structs whose fields belong to this one.
	embeds []string
}

type field struct {
	name, typ, doc string
	optional       bool
	// null says that the field is always there and may be null.
	null bool
}

// word is a constant: its Go name, its value and what it means.
type word struct{ name, value, doc string }

// load parses the Go files of a folder, tests left out.
func load(dir string) (*source, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", dir, err)
	}
	s := &source{structs: map[string]*structDoc{}, words: map[string][]word{}, types: map[string]string{}, docs: map[string]string{}, kinds: map[string]string{}}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("parse %s: %w", name, err)
		}
		for _, d := range f.Decls {
			if err := s.add(d); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return s, nil
}

func (s *source) add(d ast.Decl) error {
	switch d := d.(type) {
	case *ast.FuncDecl:
		s.addKind(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				if err := s.addType(d, spec); err != nil {
					return err
				}
			case *ast.ValueSpec:
				s.addWord(spec)
			}
		}
	}
	return nil
}

// addKind takes methods of the form: func (T) kind() Kind { return "noun.verb" }.
func (s *source) addKind(f *ast.FuncDecl) {
	if f.Name.Name != "kind" || f.Recv == nil || len(f.Body.List) != 1 {
		return
	}
	ret, ok := f.Body.List[0].(*ast.ReturnStmt)
	if !ok {
		return
	}
	if lit, ok := ret.Results[0].(*ast.BasicLit); ok {
		if kind, err := strconv.Unquote(lit.Value); err == nil {
			s.kinds[typeName(f.Recv.List[0].Type)] = kind
		}
	}
}

func (s *source) addWord(v *ast.ValueSpec) {
	if v.Type == nil || len(v.Values) != 1 {
		return
	}
	lit := v.Values[0]
	value := ""
	switch lit := lit.(type) {
	case *ast.BasicLit:
		value = lit.Value
	case *ast.UnaryExpr:
		if x, ok := lit.X.(*ast.BasicLit); ok {
			value = lit.Op.String() + x.Value
		}
	}
	if text, err := strconv.Unquote(value); err == nil {
		value = text
	}
	name := typeName(v.Type)
	s.words[name] = append(s.words[name], word{v.Names[0].Name, value, meaning(v)})
}

// meaning is the comment of a constant without its first word, which is a Go name that means nothing on the wire.
func meaning(v *ast.ValueSpec) string {
	text := strings.TrimPrefix(says(flat(v.Doc), v.Names[0].Name), "Means that ")
	return upper(text)
}

func (s *source) addType(d *ast.GenDecl, t *ast.TypeSpec) error {
	doc := flat(t.Doc)
	if doc == "" {
		doc = flat(d.Doc)
	}
	st, ok := t.Type.(*ast.StructType)
	if !ok {
		s.types[t.Name.Name], s.docs[t.Name.Name] = typeName(t.Type), says(doc, t.Name.Name)
		return nil
	}
	out := &structDoc{name: t.Name.Name, doc: says(doc, t.Name.Name)}
	for _, f := range st.Fields.List {
		if err := out.add(f); err != nil {
			return err
		}
	}
	s.structs[t.Name.Name] = out
	return nil
}

func (d *structDoc) add(f *ast.Field) error {
	var tag reflect.StructTag
	if f.Tag != nil {
		text, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			return fmt.Errorf("read the tag of a field of %s: %w", d.name, err)
		}
		tag = reflect.StructTag(text)
	}
	name, options, _ := strings.Cut(tag.Get("json"), ",")
	if options == "inline" {
		d.embeds = append(d.embeds, typeName(f.Type))
		return nil
	}
	if name == "" || name == "-" {
		return nil
	}
	doc := flat(f.Doc)
	if len(f.Names) == 1 {
		doc = says(doc, f.Names[0].Name)
	}
	_, pointer := f.Type.(*ast.StarExpr)
	optional := strings.HasPrefix(options, "omit")
	d.fields = append(d.fields, field{name: name, typ: typeName(f.Type), doc: doc, optional: optional, null: pointer && !optional})
	return nil
}

// says is what a field's comment says of it, without the Go name.
func says(doc, name string) string {
	for _, start := range []string{name + " is ", name + " are ", name + " "} {
		if rest, ok := strings.CutPrefix(doc, start); ok {
			return upper(rest)
		}
	}
	return upper(doc)
}

// all returns the fields of a struct with those of the structs it embeds, in order.
func (s *source) all(name string) []field {
	d, ok := s.structs[name]
	if !ok {
		return nil
	}
	var out []field
	for _, e := range d.embeds {
		out = append(out, s.all(e)...)
	}
	return append(out, d.fields...)
}

// typeName spells a type as Go does, without packages and pointers.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.ArrayType:
		return "[]" + typeName(e.Elt)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return "any"
}

// flat joins the lines of a comment.
func flat(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

func upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
