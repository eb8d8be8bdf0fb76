package cred_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/cred"
)

func TestRegisterRefuses(t *testing.T) {
	for _, tc := range []struct{ name, class, value, says string }{
		{"no class", "", value("a"), "1 to 64"},
		{"class with a capital", "A", value("a"), "a-z"},
		{"class with a path", "../a", value("a"), "a-z"},
		{"class that is too long", strings.Repeat("a", 65), value("a"), "1 to 64"},
		{"no value", "a", "", "0 bytes"},
		{"value too short to be redacted", "a", mark + "abc", "7 bytes"},
		{"value too long to be redacted", "a", strings.Repeat(mark, 2<<10) + "a", "8193 bytes"},
		{"value with a line feed at its end", "a", value("a") + "\n", "white space"},
		{"value with a line feed in it", "a", value("a\nb"), "line break"},
		{"value that is not UTF-8", "a", value("\xff"), "UTF-8"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{}
			s, file := open(t, f)
			checkError(t, s.Register(t.Context(), tc.class, tc.value), fmt.Sprintf("register credential %q: ", tc.class), tc.says)
			check(t, len(f.names()), 0)
			if _, err := os.Stat(file); err == nil {
				t.Error("the list was written")
			}
		})
	}
}

func TestBadListIsRefusedAndKept(t *testing.T) {
	quoted := `"` + value("a") + `"`
	for _, tc := range []struct{ name, content string }{
		{"not JSON", quoted + quoted},
		{"cut off", `{"credentials":{"a":{"value":` + quoted},
		{"value of another type", `{"credentials":{"a":{"value":{` + quoted + `:1}}}}`},
		{"value in the place of an entry", `{"credentials":{"a":` + quoted + `}}`},
		{"value in the place of a flag", `{"credentials":{"a":{"keychain":` + quoted + `}}}`},
		{"unknown field", `{"credentials":{"a":{` + quoted + `:1}}}`},
		{"class twice", `{"credentials":{"a":{"value":` + quoted + `},"a":{"keychain":true}}}`},
		{"class that is none", `{"credentials":{` + quoted + `:{"keychain":true}}}`},
		{"entry without a place", `{"credentials":{"a":{}}}`},
		{"no list", `{"credentials":null}`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{}
			s, file := open(t, f)
			write(t, file, tc.content, 0o600)
			for verb, err := range uses(t, s) {
				checkError(t, err, verb+" credential", "list.json", "repair it")
			}
			check(t, len(f.names()), 0)
			check(t, holds(t, file, tc.content), true)
		})
	}
}

func write(t *testing.T, file, content string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), mode); err != nil {
		t.Fatal(err)
	}
}

// uses tries all that a store can do and returns what it says, by verb.
func uses(t *testing.T, s *cred.Store) map[string]error {
	_, read := s.Value(t.Context(), "a")
	_, list := s.List(t.Context())
	return map[string]error{
		"read": read, "list": list, "register": s.Register(t.Context(), "a", value("b")), "remove": s.Remove(t.Context(), "a"),
	}
}

func TestExposedFileIsRefused(t *testing.T) {
	for _, tc := range []struct {
		name   string
		expose func(file string) error
		says   string
	}{
		{"file that others can read", func(f string) error { return os.Chmod(f, 0o604) }, "chmod 600"},
		{"file that is a link", func(f string) error { return errors.Join(os.Rename(f, f+"2"), os.Symlink(f+"2", f)) }, "link"},
		{"folder that others can enter", func(f string) error { return os.Chmod(filepath.Dir(f), 0o710) }, "chmod 700"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fake{}
			s, file := open(t, f)
			write(t, file, `{"credentials":{"a":{"value":"`+value("a")+`"}}}`, 0o600)
			checkValue(t, s, "a", value("a"))
			if err := tc.expose(file); err != nil {
				t.Fatal(err)
			}
			for verb, err := range uses(t, s) {
				checkError(t, err, verb+" credential", "list.json", tc.says)
			}
			check(t, len(f.names()), 0)
			check(t, holds(t, file, value("a")), true)
		})
	}
}

func TestStoreWithoutAFile(t *testing.T) {
	f := &fake{}
	for verb, err := range uses(t, cred.Open(cred.Config{Keychain: f.keychain()})) {
		checkError(t, err, verb+" credential", "no file for credentials is configured")
	}
	check(t, len(f.names()), 0)
}
