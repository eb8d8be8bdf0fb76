package cred

import (
	"maps"
	"strings"
	"testing"
)

// FuzzList reads anything as a list. What it takes it writes in a form that it reads the same way again.
func FuzzList(f *testing.F) {
	f.Add("")
	f.Add(`{"credentials":{"a":{"keychain":true},"b":{"value":"` + strings.Repeat("v", 8) + `"}}}`)
	f.Add(`{"credentials":{"a":{}}}`)
	f.Fuzz(func(t *testing.T, content string) {
		all, err := decode([]byte(content))
		if err != nil {
			return
		}
		written, err := encode(all)
		if err != nil {
			t.Fatal(err)
		}
		again, err := decode(written)
		if err != nil {
			t.Fatal(err)
		}
		if !maps.Equal(again, all) {
			t.Errorf("got %v, want %v", again, all)
		}
	})
}
