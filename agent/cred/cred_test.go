package cred_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nodwyn/nodwyn/agent/cred"
)

// childFile names the file in which the test binary, started once more, registers credentials and does nothing else.
const childFile = "NODWYN_CRED_TEST_FILE"

func TestMain(m *testing.M) {
	file := os.Getenv(childFile)
	if file == "" {
		os.Exit(m.Run())
	}
	s := cred.Open(cred.Config{File: file, Keychain: (&fake{err: errLocked}).keychain()})
	for n := range 20 {
		class := fmt.Sprintf("%s-%d", os.Args[1], n)
		if err := s.Register(context.Background(), class, value(class)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func check(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// checkError wants an error that says all of that and, whatever it is about, holds no value.
func checkError(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Errorf("got no error, want one that says %q", says)
		return
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("got error %q, want one that says %q", err, part)
		}
	}
	if strings.Contains(err.Error(), mark) {
		t.Errorf("the error holds a value: %q", err)
	}
}

// mark is part of every value here.
const mark = "hush"

func value(name string) string { return strings.Join([]string{mark, name, mark}, ".") }

// open returns a store whose folder does not exist yet.
func open(t *testing.T, f *fake) (s *cred.Store, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "cred", "list.json")
	return cred.Open(cred.Config{File: file, Keychain: f.keychain()}), file
}

func register(t *testing.T, s *cred.Store, class, value string) {
	t.Helper()
	if err := s.Register(t.Context(), class, value); err != nil {
		t.Fatal(err)
	}
}

func checkValue(t *testing.T, s *cred.Store, class, want string) {
	t.Helper()
	got, err := s.Value(t.Context(), class)
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, want)
}

func checkList(t *testing.T, s *cred.Store, want ...cred.Entry) {
	t.Helper()
	got, err := s.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, want)
}

func holds(t *testing.T, file, text string) bool {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Contains(string(content), text)
}

func TestKeychainIsPreferred(t *testing.T) {
	f := &fake{}
	s, file := open(t, f)
	checkList(t, s)
	register(t, s, "b-2", value("old"))
	register(t, s, "b-2", value("new"))
	register(t, s, "a", value("a"))
	checkList(t, s, cred.Entry{Class: "a", ID: cred.InKeychain}, cred.Entry{Class: "b-2", ID: cred.InKeychain})
	check(t, f.names(), []string{"nodwyn/a", "nodwyn/b-2"})
	check(t, holds(t, file, mark), false)
	again := cred.Open(cred.Config{File: file, Keychain: f.keychain()})
	checkValue(t, again, "b-2", value("new"))

	check(t, s.Remove(t.Context(), "b-2"), nil)
	checkList(t, again, cred.Entry{Class: "a", ID: cred.InKeychain})
	check(t, f.names(), []string{"nodwyn/a"})
	_, err := again.Value(t.Context(), "b-2")
	check(t, errors.Is(err, cred.ErrNone), true)
	check(t, errors.Is(s.Remove(t.Context(), "b-2"), cred.ErrNone), true)
}

func TestServiceNamesTheValues(t *testing.T) {
	f := &fake{}
	s := cred.Open(cred.Config{File: filepath.Join(t.TempDir(), "cred", "list.json"), Service: "other", Keychain: f.keychain()})
	register(t, s, "a", value("a"))
	check(t, f.names(), []string{"other/a"})
}

func TestFileTakesWhatTheKeychainDoesNot(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fake  *fake
		value string
	}{
		{"keychain that fails", &fake{err: errLocked}, value("a")},
		{"keychain whose question was dismissed", &fake{drops: true}, value("a")},
		{"keychain that sends nonsense", &fake{panics: true}, value("a")},
		{"value that is too long for some", &fake{}, value(strings.Repeat("a", 2<<10))},
		{"value that JSON escapes", &fake{err: errLocked}, value(`"\<ü>`)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, file := open(t, tc.fake)
			register(t, s, "a", tc.value)
			checkList(t, s, cred.Entry{Class: "a", ID: cred.InFile})
			checkValue(t, cred.Open(cred.Config{File: file, Keychain: tc.fake.keychain()}), "a", tc.value)
			check(t, len(tc.fake.names()), 0)
			checkMode(t, file, "-rw-------")
			checkMode(t, filepath.Dir(file), "drwx------")
			check(t, s.Remove(t.Context(), "a"), nil)
			checkList(t, s)
			check(t, holds(t, file, mark), false)
		})
	}
}

func checkMode(t *testing.T, name, want string) {
	t.Helper()
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	check(t, info.Mode().String(), want)
}

func TestValueMovesBetweenFileAndKeychain(t *testing.T) {
	f := &fake{err: errLocked}
	s, file := open(t, f)
	register(t, s, "a", value("first"))
	f.err = nil
	register(t, s, "a", value("second"))
	checkList(t, s, cred.Entry{Class: "a", ID: cred.InKeychain})
	check(t, holds(t, file, mark), false)

	f.err = errLocked
	register(t, s, "a", value("third"))
	f.err = nil
	checkList(t, s, cred.Entry{Class: "a", ID: cred.InFile})
	checkValue(t, s, "a", value("third"))
	check(t, f.names(), []string{"nodwyn/a"})
	check(t, s.Remove(t.Context(), "a"), nil)
	check(t, len(f.names()), 0)
	checkList(t, s)
}

func TestKeychainThatFailsLater(t *testing.T) {
	f := &fake{}
	s, _ := open(t, f)
	register(t, s, "a", value("a"))
	f.err = errLocked
	_, err := s.Value(t.Context(), "a")
	checkError(t, err, `read credential "a": locked: unlock the keychain`)
	check(t, errors.Is(err, cred.ErrNone), false)
	checkError(t, s.Remove(t.Context(), "a"), `remove credential "a": locked: unlock the keychain`)
	checkList(t, s, cred.Entry{Class: "a", ID: cred.InKeychain})

	f.err = nil
	checkValue(t, s, "a", value("a"))
	f.values = nil
	_, err = s.Value(t.Context(), "a")
	checkError(t, err, "the keychain has lost it")
	check(t, errors.Is(err, cred.ErrNone), true)
	check(t, s.Remove(t.Context(), "a"), nil)
	checkList(t, s)
}

func TestProcessesLoseNothingOfEachOther(t *testing.T) {
	s, file := open(t, &fake{err: errLocked})
	var all sync.WaitGroup
	var want []cred.Entry
	for _, name := range []string{"one", "two", "three"} {
		for n := range 20 {
			want = append(want, cred.Entry{Class: fmt.Sprintf("%s-%d", name, n), ID: cred.InFile})
		}
		all.Go(func() {
			cmd := exec.Command(os.Args[0], name)
			cmd.Env = append(os.Environ(), childFile+"="+file)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("process %s: %v: %s", name, err, out)
			}
		})
	}
	all.Wait()
	slices.SortFunc(want, func(a, b cred.Entry) int { return strings.Compare(a.Class, b.Class) })
	checkList(t, s, want...)
	checkValue(t, s, "two-19", value("two-19"))
}
