package protocol

import (
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestMethodsAreComplete: each method stands once, says what it does, and has params and, when it is a request, a result.
func TestMethodsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		if seen[m.Name] {
			t.Errorf("%s stands twice", m.Name)
		}
		seen[m.Name] = true
		if m.Params == nil || (m.Result == nil) != (m.Direction == ServerNotification) || !strings.HasSuffix(m.Doc, ".") {
			t.Errorf("%s is incomplete: %+v", m.Name, m)
		}
	}
}

// TestNamesAreCamelCase looks at every field that any method carries.
func TestNamesAreCamelCase(t *testing.T) {
	camel := regexp.MustCompile(`^[a-z][a-zA-Z0-9]*$`)
	seen := map[reflect.Type]bool{}
	var visit func(reflect.Type)
	visit = func(typ reflect.Type) {
		if typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			visit(typ.Elem())
			return
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if options != "inline" && !camel.MatchString(name) {
				t.Errorf("%s.%s is %q on the wire", typ.Name(), f.Name, name)
			}
			visit(f.Type)
		}
	}
	for _, m := range Methods() {
		visit(reflect.TypeOf(m.Params))
		if m.Result != nil {
			visit(reflect.TypeOf(m.Result))
		}
	}
	for _, body := range []any{AskBody{}, QuestionBody{}, PermissionBody{}, ResultBody{}, ProofBody{}, ErrorDetail{}, ClientCapabilities{}, ServerCapabilities{}} {
		visit(reflect.TypeOf(body))
	}
}
