package main

import (
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// wire is what the editors' types are made of: the structs and words that a message can hold, in the order in which the methods mention them.
type wire struct {
	src     *source
	structs []string
	words   []string
}

// loadWire collects what the methods, cards, capabilities and errors mention.
func loadWire(root string) (*wire, error) {
	src, err := load(filepath.Join(root, "rpc", "protocol"))
	if err != nil {
		return nil, err
	}
	w := &wire{src: src}
	for _, m := range protocol.Methods() {
		w.mention(reflect.TypeOf(m.Params).Name())
		if m.Result != nil {
			w.mention(reflect.TypeOf(m.Result).Name())
		}
	}
	for _, c := range cardBodies() {
		w.mention(c.body)
	}
	for _, name := range []string{"ClientCapabilities", "ServerCapabilities", "ErrorDetail"} {
		w.mention(name)
	}
	return w, nil
}

func (w *wire) mention(typ string) {
	typ = strings.TrimLeft(typ, "[]")
	if w.src.structs[typ] == nil {
		if len(w.src.words[typ]) > 0 && !slices.Contains(w.words, typ) {
			w.words = append(w.words, typ)
		}
		return
	}
	if slices.Contains(w.structs, typ) {
		return
	}
	w.structs = append(w.structs, typ)
	for _, f := range w.src.all(typ) {
		w.mention(f.typ)
	}
}

// dialect spells types in the language of an editor.
type dialect struct {
	whole, opaque string
	// named spells a type of ours, list an array of what is spelt already.
	named, list func(string) string
}

func (w *wire) spell(d dialect, typ string) string {
	if item, ok := strings.CutPrefix(typ, "[]"); ok {
		return d.list(w.spell(d, item))
	}
	switch typ {
	case "string":
		return "string"
	case "bool":
		return "boolean"
	case "int", "int32", "int64", "uint32":
		return d.whole
	case "float64":
		return "number"
	}
	if slices.Contains(w.structs, typ) || slices.Contains(w.words, typ) {
		return d.named(typ)
	}
	if under, ok := w.src.types[typ]; ok {
		return w.spell(d, under)
	}
	return d.opaque
}
