package sessionlog

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// garbage are lines that are no JSON object.
func garbage() map[string]string {
	one, two := strings.TrimSpace(goodLine("2")), strings.TrimSpace(goodLine("3"))
	return map[string]string{
		"NUL run":                          strings.Repeat("\x00", 4096),
		"NUL run before an event":          strings.Repeat("\x00", 4096) + one,
		"torn line with the next glued on": one[:40] + two,
		"two events glued":                 one + two,
		"flipped first byte":               flip(one),
		"cut inside":                       one[:40],
		"empty line":                       "",
		"string":                           `"text"`,
		"array":                            "[" + one + "]",
	}
}

// openTorn opens a log that must have been repaired, and closes it again after one more append.
func openTorn(t *testing.T, path string) *TruncatedError {
	t.Helper()
	w, err := Open(filepath.Dir(path), session, Options{})
	torn, ok := errors.AsType[*TruncatedError](err)
	if w == nil || !ok || !errors.Is(err, ErrTruncated) {
		t.Fatalf("got %v, %v; want a writer and a repair", w, err)
	}
	_, err = w.Append(note("behind"))
	must(t, errors.Join(err, w.Close()))
	return torn
}

func checkRepaired(t *testing.T, good, torn string) {
	t.Helper()
	path := put(t, good+torn)
	got := openTorn(t, path)
	want := &TruncatedError{File: path, Kept: strings.TrimSuffix(path, suffix) + ".torn-1", Bytes: int64(len(torn))}
	check(t, "repair", got, want)
	check(t, "kept", content(t, got.Kept), torn)
	after := content(t, path)
	check(t, "what was good is untouched", strings.HasPrefix(after, good), true)
	check(t, "events", len(events(t, path)), strings.Count(good, "\n")+1)
}

func TestLogCutAtEveryByteIsRepaired(t *testing.T) {
	whole := goodLine("1") + goodLine("2") + goodLine("3")
	for cut := range len(whole) + 1 {
		text := whole[:cut]
		good := text[:strings.LastIndexByte(text, '\n')+1]
		if len(good) < len(text) {
			checkRepaired(t, good, text[len(good):])
			continue
		}
		path := put(t, text)
		w, err := Open(filepath.Dir(path), session, Options{})
		must(t, err)
		must(t, w.Close())
		check(t, "a whole log", content(t, path), text)
	}
}

func TestGarbageAtTheEndIsRepaired(t *testing.T) {
	for name, bad := range garbage() {
		t.Run(name, func(t *testing.T) {
			checkRepaired(t, goodLine("1"), bad+"\n")
			if bad != "" {
				checkRepaired(t, goodLine("1"), bad)
			}
		})
	}
}

// openDamaged opens a log that must be refused and left as it is.
func openDamaged(t *testing.T, text string, line int, reason string) {
	t.Helper()
	path := put(t, text)
	w, err := Open(filepath.Dir(path), session, Options{})
	if w != nil {
		t.Fatal("got a writer for a damaged log")
	}
	checkDamage(t, err, path, line, reason)
	check(t, "file", content(t, path), text)
	files, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	check(t, "files beside it", len(files), 1)
	live, err := Live(path)
	must(t, err)
	check(t, "the lock is given back", live, false)
}

func TestGarbageBeforeTheEndIsRefused(t *testing.T) {
	for name, bad := range garbage() {
		t.Run(name, func(t *testing.T) {
			openDamaged(t, goodLine("1")+bad+"\n"+goodLine("3"), 2, "")
			openDamaged(t, bad+"\n"+goodLine("1")[:10], 1, "")
		})
	}
}

func TestFlippedFirstByteOfEachLine(t *testing.T) {
	lines := []string{goodLine("1"), goodLine("2"), goodLine("3")}
	for i := range 2 {
		flipped := slices.Clone(lines)
		flipped[i] = flip(flipped[i])
		openDamaged(t, strings.Join(flipped, ""), i+1, "")
	}
	checkRepaired(t, lines[0]+lines[1], flip(lines[2]))
}

// flip changes one bit of the first byte.
func flip(line string) string { return string(line[0]^1) + line[1:] }

func TestWellFormedLastLineThatIsRefusedIsNeverRepaired(t *testing.T) {
	for name, d := range damages() {
		t.Run(name, func(t *testing.T) {
			openDamaged(t, goodLine("1")+d.line, 2, d.reason)
		})
	}
}

func TestEvidenceOfEarlierRepairsStays(t *testing.T) {
	path := put(t, goodLine("1")+"first")
	first := openTorn(t, path)
	grow(t, path, "second")
	second := openTorn(t, path)
	check(t, "first", content(t, first.Kept), "first")
	check(t, "second", content(t, second.Kept), "second")
	check(t, "name", second.Kept, strings.TrimSuffix(path, suffix)+".torn-2")
	info, err := os.Stat(second.Kept)
	must(t, err)
	check(t, "mode", info.Mode().Perm(), os.FileMode(0o600))
}

func TestLogWithTornEndOnly(t *testing.T) {
	checkRepaired(t, "", goodLine("1")[:9])
}
