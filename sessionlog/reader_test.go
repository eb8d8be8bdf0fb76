package sessionlog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// put writes text as the log of the test's session and returns its path.
func put(t *testing.T, text string) string {
	t.Helper()
	path := Path(t.TempDir(), session)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// grow adds bytes to a file behind the back of its writer.
func grow(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, errors.Join(err, f.Close()))
}

// readUntil returns what Read yields before its error.
func readUntil(path string) (out []event.Event, err error) {
	for e, err := range Read(path) {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

func line(seq, session, kind, payload string) string {
	return `{"seq":` + seq + `,"ts":"2026-03-04T12:00:00.000000000Z","session":"` + session + `","kind":"` + kind + `","payload":` + payload + "}\n"
}

func goodLine(seq string) string { return line(seq, session, "note", `{"code":"c","text":"`+seq+`"}`) }

// damages are second lines that no crash explains, wherever they stand.
func damages() map[string]struct{ line, reason string } {
	return map[string]struct{ line, reason string }{
		"unknown kind":      {line("2", session, "tool.cal", `{}`), `unknown event kind "tool.cal"`},
		"gap":               {goodLine("3"), "seq is 3 where 2 must follow"},
		"repeat":            {goodLine("1"), "seq is 1 where 2 must follow"},
		"foreign session":   {line("2", "s2", "note", `{"code":"c","text":"t"}`), `event belongs to session "s2"`},
		"missing field":     {`{"seq":2}` + "\n", "is missing"},
		"extra field":       {strings.Replace(goodLine("2"), "{", `{"more":1,`, 1), "more"},
		"payload of a kind": {line("2", session, "note", `{"code":7}`), "code"},
		"payload no object": {line("2", session, "note", `[]`), "not a JSON object"},
		"invalid UTF-8":     {line("2", session, "tool.cal", "{\"a\":\"\xff\"}"), "invalid UTF-8"},
	}
}

func TestReadRefusesDamageByName(t *testing.T) {
	for name, d := range damages() {
		t.Run(name, func(t *testing.T) {
			for _, behind := range []string{"", goodLine("3")} {
				path := put(t, goodLine("1")+d.line+behind)
				got, err := readUntil(path)
				checkDamage(t, err, path, 2, d.reason)
				check(t, "events before it", texts(got), []string{"1"})
			}
		})
	}
}

func TestReadRefusesGarbageByName(t *testing.T) {
	for name, bad := range garbage() {
		t.Run(name, func(t *testing.T) {
			for _, behind := range []string{"", goodLine("3")} {
				path := put(t, goodLine("1")+bad+"\n"+behind)
				got, err := readUntil(path)
				checkDamage(t, err, path, 2, "")
				check(t, "events before it", texts(got), []string{"1"})
			}
		})
	}
}

func checkDamage(t *testing.T, err error, path string, line int, reason string) {
	t.Helper()
	d, ok := errors.AsType[*DamageError](err)
	if !ok {
		t.Fatalf("got error %v; want damage", err)
	}
	check(t, "file", d.File, path)
	check(t, "line", d.Line, line)
	if !strings.Contains(d.Reason, reason) || !strings.Contains(err.Error(), path) {
		t.Errorf("got %q; want a reason with %q and the file", err, reason)
	}
}

func TestReadRefusesALineThatTakesAllMemory(t *testing.T) {
	path := put(t, goodLine("1")+strings.Repeat("x", MaxLine+1)+"\n"+goodLine("3"))
	_, err := readUntil(path)
	checkDamage(t, err, path, 2, "longer than")
}

func TestReadHoldsOneEventAtATime(t *testing.T) {
	const lines, size = 16, 512 << 10
	var log strings.Builder
	for n := range lines {
		log.WriteString(line(fmt.Sprint(n+1), session, "note", `{"code":"c","text":"`+strings.Repeat("x", size)+`"}`))
	}
	path := put(t, log.String())
	log.Reset()
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, err := range Read(path) {
		must(t, err)
		runtime.GC()
		runtime.ReadMemStats(&now)
		if grown := int64(now.HeapAlloc) - int64(before.HeapAlloc); grown > lines*size/2 {
			t.Fatalf("a reader of %d MB holds %d MB", lines*size>>20, grown>>20)
		}
	}
}

func TestReadOfALiveLogStopsBeforeWhatIsNotThereYet(t *testing.T) {
	w, path := newLog(t, Options{})
	_, err := w.Append(note("one"))
	must(t, err)
	grow(t, path, goodLine("2")[:20])
	got, err := readUntil(path)
	must(t, err)
	check(t, "events", texts(got), []string{"one"})
}

func TestReadLooksAgainOnceBeforeItCallsAnEndTorn(t *testing.T) {
	tests := []struct {
		name string
		then func(t *testing.T, path string)
		want []string
		torn bool
	}{
		{"nothing more comes", func(*testing.T, string) {}, []string{"1"}, true},
		{"the rest comes", func(t *testing.T, path string) { grow(t, path, goodLine("2")[20:]) }, []string{"1", "2"}, false},
		{"a writer cut it", func(t *testing.T, path string) { must(t, os.Truncate(path, int64(len(goodLine("1"))))) }, []string{"1"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := put(t, goodLine("1")+goodLine("2")[:20])
				var got []event.Event
				var err error
				done := make(chan struct{})
				go func() {
					defer close(done)
					got, err = readUntil(path)
				}()
				synctest.Wait() // it has looked once and waits
				tt.then(t, path)
				<-done
				check(t, "events", texts(got), tt.want)
				if tt.torn {
					checkDamage(t, err, path, 2, "torn: 20 bytes")
				} else {
					must(t, err)
				}
			})
		})
	}
}

func TestReadStopsWhenItsReaderDoes(t *testing.T) {
	path := written(t, "one", "two", "three")
	var got []event.Event
	for e, err := range Read(path) {
		must(t, err)
		if got = append(got, e); len(got) == 2 {
			break
		}
	}
	check(t, "events", texts(got), []string{"one", "two"})
}

func TestReadOfNoLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s1.jsonl")
	_, err := readUntil(path)
	check(t, "read", errors.Is(err, ErrNotExist), true)
	_, err = Live(path)
	check(t, "live", errors.Is(err, ErrNotExist), true)
}

func TestReadKeepsFieldsItDoesNotKnow(t *testing.T) {
	payload := `{"code":"c","later":{"z":1.0},"text":"t"}`
	got := events(t, put(t, line("1", session, "note", payload)))
	check(t, "raw", string(got[0].Raw), payload)
}

// scan reads a log from memory.
func scan(text []byte) (out []event.Event, s *scanner, err error) {
	s = newScanner(bytes.NewReader(text), session+suffix)
	for {
		e, err := s.next()
		if err != nil {
			return out, s, err
		}
		out = append(out, e)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(goodLine("1") + goodLine("2")))
	f.Add([]byte(goodLine("1") + goodLine("2")[:30]))
	for _, d := range damages() {
		f.Add([]byte(goodLine("1") + d.line))
	}
	for _, g := range garbage() {
		f.Add([]byte(goodLine("1") + g + "\n" + goodLine("2")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, s, err := scan(text)
		if err == nil {
			t.Fatal("reading ended without an end")
		}
		lines := bytes.SplitAfter(text, []byte("\n"))
		for i, e := range got {
			want, err := event.DecodeLine(bytes.TrimSuffix(lines[i], []byte("\n")))
			if err != nil || !reflect.DeepEqual(e, want) || e.Seq != int64(i)+1 || e.Session != session {
				t.Fatalf("line %d: got %v; want %v, %v", i+1, e, want, err)
			}
		}
		check(t, "position", s.end, int64(len(bytes.Join(lines[:len(got)], nil))))
		if err == io.EOF {
			check(t, "end", s.end, int64(len(text)))
			return
		}
		if d, ok := errors.AsType[*DamageError](refused(err)); !ok || d.Line != len(got)+1 {
			t.Fatalf("got %v; want damage in line %d", err, len(got)+1)
		}
		if _, torn := errors.AsType[*tail](err); torn {
			checkRepairable(t, text[s.end:])
		}
	})
}

// checkRepairable fails when a torn end holds a line that is an object: a repair would take an event away.
func checkRepairable(t *testing.T, rest []byte) {
	t.Helper()
	if n := bytes.IndexByte(rest, '\n'); n >= 0 && (n != len(rest)-1 || isObject(rest[:n])) {
		t.Fatalf("a repair would cut %q", rest)
	}
}
