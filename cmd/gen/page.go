package main

import (
	"fmt"
	"slices"
	"strings"
)

// writer builds a page and collects what the sources fail to say.
type writer struct {
	src     *source
	b       strings.Builder
	missing []string
	// named are the structs that the page refers to and has not described, in the order of their first mention; worded are the types whose words it has to list.
	named, worded []string
	seen          map[string]bool
}

func newWriter(src *source) *writer { return &writer{src: src, seen: map[string]bool{}} }

func (w *writer) line(format string, args ...any) {
	fmt.Fprintf(&w.b, format+"\n", args...)
}

// describe writes a struct's fields as a table.
func (w *writer) describe(name string) {
	w.seen[name] = true
	fields := w.src.all(name)
	if len(fields) == 0 {
		w.line("No fields.\n")
		return
	}
	w.line("| field | type | | what it says |\n|---|---|---|---|")
	for _, f := range fields {
		if f.doc == "" && speaks(fields) {
			w.missing = append(w.missing, name+"."+f.name)
		}
		need := "required"
		if f.optional {
			need = "optional"
		}
		w.line("| `%s` | %s | %s | %s |", f.name, w.spell(f.typ), need, strings.ReplaceAll(f.doc, "|", "\\|"))
	}
	w.line("")
}

// speaks reports whether any of the fields has a comment. Fields without any explain themselves together, such as the four corners of a range; beside others that have one, a missing comment was forgotten.
func speaks(fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return f.doc != "" })
}

// spell names a type as JSON knows it, and remembers structs for a section of their own.
func (w *writer) spell(typ string) string {
	if item, ok := strings.CutPrefix(typ, "[]"); ok {
		return "array of " + w.spell(item)
	}
	switch typ {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	case "int", "int32", "int64", "uint32":
		return "integer"
	case "float64":
		return "number"
	case "Value", "RawJSON", "any":
		return "any JSON"
	}
	if _, ok := w.src.structs[typ]; ok {
		w.mention(typ)
		return fmt.Sprintf("[%s](#%s)", typ, strings.ToLower(typ))
	}
	if under, ok := w.src.types[typ]; ok {
		return w.spellWord(typ, under)
	}
	return typ
}

// spellWord names a type that has a few words, and remembers it for a section that lists them.
func (w *writer) spellWord(typ, under string) string {
	if under != "string" || len(w.src.words[typ]) == 0 {
		return w.spell(under)
	}
	if !slices.Contains(w.worded, typ) {
		w.worded = append(w.worded, typ)
	}
	return fmt.Sprintf("[%s](#%s)", typ, strings.ToLower(typ))
}

// words lists what each of the types that were mentioned can say.
func (w *writer) words(level string) {
	for _, typ := range w.worded {
		w.line("%s %s\n\n%s One of:\n", level, typ, w.src.docs[typ])
		w.line("| word | what it says |\n|---|---|")
		for _, word := range w.src.words[typ] {
			if word.doc == "" {
				w.missing = append(w.missing, typ+" "+word.value)
			}
			w.line("| `%s` | %s |", word.value, strings.ReplaceAll(word.doc, "|", "\\|"))
		}
		w.line("")
	}
}

func (w *writer) mention(name string) {
	if !slices.Contains(w.named, name) {
		w.named = append(w.named, name)
	}
}

// rest describes the structs that were mentioned, and those that they mention.
func (w *writer) rest(level string) {
	for i := 0; i < len(w.named); i++ {
		name := w.named[i]
		if w.seen[name] {
			continue
		}
		w.section(level, name)
	}
}

func (w *writer) section(level, name string) {
	doc := w.src.structs[name].doc
	if doc == "" {
		w.missing = append(w.missing, name)
	}
	w.line("%s %s\n\n%s\n", level, name, doc)
	w.describe(name)
}

// bytes returns the page, or an error that names what has no comment.
func (w *writer) bytes() ([]byte, error) {
	if len(w.missing) > 0 {
		return nil, fmt.Errorf("no comment on %s", strings.Join(w.missing, ", "))
	}
	return []byte(strings.TrimRight(w.b.String(), "\n") + "\n"), nil
}
