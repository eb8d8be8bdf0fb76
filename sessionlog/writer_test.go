package sessionlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

const session = "s1"

var noon = time.Date(2026, 3, 4, 12, 0, 0, 5, time.UTC)

func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func note(text string) event.Note { return event.Note{Code: "test", Text: text} }

func chunk(text string) event.LLMChunk {
	return event.LLMChunk{Req: 1, Delta: event.Delta{Text: text}}
}

// newLog creates a log that is closed with the test.
func newLog(t *testing.T, o Options) (*Writer, string) {
	t.Helper()
	dir := t.TempDir()
	w, err := Create(dir, session, o)
	must(t, err)
	t.Cleanup(func() { w.Close() })
	return w, Path(dir, session)
}

// written returns the path of a closed log that holds a note for each text.
func written(t *testing.T, texts ...string) string {
	t.Helper()
	w, path := newLog(t, Options{Now: func() time.Time { return noon }})
	for _, text := range texts {
		_, err := w.Append(note(text))
		must(t, err)
	}
	must(t, w.Close())
	return path
}

// events reads a log that must be sound.
func events(t *testing.T, path string) []event.Event {
	t.Helper()
	var out []event.Event
	for e, err := range Read(path) {
		must(t, err)
		out = append(out, e)
	}
	return out
}

// texts returns the text of each note and chunk, with the kind of anything else.
func texts(es []event.Event) []string {
	var out []string
	for _, e := range es {
		switch p := e.Payload.(type) {
		case event.Note:
			out = append(out, p.Text)
		case event.LLMChunk:
			out = append(out, p.Delta.Text)
		default:
			out = append(out, string(e.Kind()))
		}
	}
	return out
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	must(t, err)
	return string(b)
}

func TestAppendIsReadBackWhole(t *testing.T) {
	var applied []event.Event
	now := time.FixedZone("east", 3600)
	w, path := newLog(t, Options{
		Now:     func() time.Time { return noon.In(now) },
		Applied: func(e event.Event) { applied = append(applied, e) },
	})
	first, err := w.Append(note("one"), event.ToolCall{Turn: 1, ID: "c1-1", Name: "file-read", Args: event.RawJSON("{\n \"z\":1.50,\"a\":2}"), Origin: "model"})
	must(t, err)
	second, err := w.Append(note("two"))
	must(t, err)
	must(t, w.Close())

	all := append(first, second...)
	check(t, "read back", events(t, path), all)
	check(t, "applied", applied, all)
	want := `{"seq":1,"ts":"2026-03-04T12:00:00.000000005Z","session":"s1","kind":"note","payload":{"code":"test","text":"one"}}
{"seq":2,"ts":"2026-03-04T12:00:00.000000005Z","session":"s1","kind":"tool.call","payload":{"turn":1,"id":"c1-1","name":"file-read","args":{"z":1.50,"a":2},"origin":"model"}}
{"seq":3,"ts":"2026-03-04T12:00:00.000000005Z","session":"s1","kind":"note","payload":{"code":"test","text":"two"}}
`
	check(t, "file", content(t, path), want)
}

func TestOpenGoesOnAndAppliesThePast(t *testing.T) {
	path := written(t, "one", "two")
	var applied []event.Event
	w, err := Open(filepath.Dir(path), session, Options{Applied: func(e event.Event) { applied = append(applied, e) }})
	must(t, err)
	check(t, "applied before Open returns", texts(applied), []string{"one", "two"})
	_, err = w.Append(note("three"))
	must(t, err)
	must(t, w.Close())
	check(t, "applied", texts(applied), []string{"one", "two", "three"})
	check(t, "read back", events(t, path), applied)
}

func TestLogAndFoldersAreTheOwnersOnly(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data", "sessions")
	w, err := Create(dir, session, Options{})
	must(t, err)
	defer w.Close()
	for path, want := range map[string]fs.FileMode{filepath.Dir(dir): 0o700, dir: 0o700, Path(dir, session): 0o600} {
		info, err := os.Stat(path)
		must(t, err)
		check(t, path, info.Mode().Perm(), want)
	}
}

func TestCreateAndOpenRefuse(t *testing.T) {
	path := written(t, "one")
	dir, before := filepath.Dir(path), content(t, path)
	tests := []struct {
		name string
		make func() (*Writer, error)
		want []error
		text string
	}{
		{"create over a log", func() (*Writer, error) { return Create(dir, session, Options{}) }, []error{ErrExist, fs.ErrExist}, `create log of session "s1"`},
		{"open of no log", func() (*Writer, error) { return Open(dir, "s2", Options{}) }, []error{ErrNotExist, fs.ErrNotExist}, `open log of session "s2"`},
		{"create with a path as id", func() (*Writer, error) { return Create(dir, "../s2", Options{}) }, nil, `"../s2"`},
		{"open with an upper case id", func() (*Writer, error) { return Open(dir, "S1", Options{}) }, nil, "a-z, 0-9 and -"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := tt.make()
			if w != nil || err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Fatalf("got %v, %v; want no writer and an error with %q", w, err, tt.text)
			}
			for _, want := range tt.want {
				check(t, "errors.Is "+want.Error(), errors.Is(err, want), true)
			}
		})
	}
	check(t, "log", content(t, path), before)
}

func TestRefusedPayloadLeavesTheLogUsable(t *testing.T) {
	w, path := newLog(t, Options{})
	bad := []event.Payload{
		event.ToolCall{Args: event.RawJSON(`{"a":1,"a":2}`)},
		event.ToolCall{Args: event.RawJSON(`{`)},
		event.ToolCall{Args: event.RawJSON(strings.Repeat("[", 9999) + strings.Repeat("]", 9999))},
		note(strings.Repeat("x", MaxLine)),
	}
	for _, p := range bad {
		got, err := w.Append(note("beside"), p)
		if got != nil || err == nil || !strings.Contains(err.Error(), string(event.KindOf(p))) {
			t.Errorf("got %v, %.200v; want an error that names %s", got, err, event.KindOf(p))
		}
	}
	_, err := w.Append(note("good"))
	must(t, err)
	check(t, "poison", w.Err(), error(nil))
	check(t, "log", texts(events(t, path)), []string{"good"})
}

func TestTextThatBreaksOtherLogsSurvives(t *testing.T) {
	for name, text := range map[string]string{
		"raw newline":         "a\nb\r\nc",
		"line separators":     "a\u2028b\u2029c\u0085d",
		"NUL":                 "a\x00b",
		"markup":              "<b>&amp;</b>",
		"a line of a log":     `{"seq":1,"ts":"x"}` + "\n",
		"no UTF-8":            "a\xffb\xc3",
		"larger than buffers": strings.Repeat("0123456789", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			w, path := newLog(t, Options{})
			args, err := event.EncodePayload(note(text))
			must(t, err)
			raw := bytes.ReplaceAll(args, []byte(`\u2028`), []byte("\u2028"))
			got, err := w.Append(note(text), event.ToolCall{Args: event.RawJSON(raw)})
			must(t, err)
			must(t, w.Close())
			check(t, "events", reflect.DeepEqual(events(t, path), got), true)
			check(t, "text", got[0].Payload.(event.Note).Text == strings.ToValidUTF8(text, "\ufffd"), true)
			file := content(t, path)
			check(t, "lines", strings.Count(file, "\n"), 2)
			check(t, "line separators in the file", strings.ContainsAny(file, "\u2028\u2029"), false)
			check(t, "HTML escapes in the file", strings.Contains(file, `\u003c`), false)
		})
	}
}

func TestRedactedPayloadIsFollowedByItsCounts(t *testing.T) {
	secret := strings.Repeat("quiet-harbour-", 3)
	r := redact.New()
	must(t, r.Register("password", "login", secret))
	var applied []event.Event
	w, path := newLog(t, Options{Redactor: r, Applied: func(e event.Event) { applied = append(applied, e) }})
	got, err := w.Append(note("clean"), note("is "+secret+" and "+secret), note("after"))
	must(t, err)
	w.Buffer(chunk("released " + secret))
	must(t, w.Close())

	all := events(t, path)
	check(t, "applied", applied, all)
	check(t, "kinds", texts(all)[2:4], []string{"redact.event", "after"})
	check(t, "count", all[2].Payload, event.Payload(event.RedactEvent{Where: "note 2", Class: "password", Count: 2}))
	check(t, "returned events stand for the payloads", got, []event.Event{all[0], all[1], all[3]})
	check(t, "secret in what was returned", strings.Contains(texts(got)[1], secret), false)
	check(t, "secrets in the file, the chunk's own apart", strings.Count(content(t, path), secret), 1)
}

func TestManyAppendersShareOneOrder(t *testing.T) {
	const appenders, each = 16, 50
	var applied []event.Event
	w, path := newLog(t, Options{Applied: func(e event.Event) { applied = append(applied, e) }})
	var all sync.WaitGroup
	for a := range appenders {
		all.Go(func() {
			for n := range each {
				w.Buffer(chunk("chunk"))
				got, err := w.Append(note(fmt.Sprintf("%d %d", a, n)), note("pair"))
				if err != nil {
					t.Error(err)
				}
				check(t, "seqs of one append", got[1].Seq, got[0].Seq+1)
			}
		})
	}
	all.Wait()
	must(t, w.Close())
	read := events(t, path)
	check(t, "events", len(read), appenders*each*3)
	check(t, "applied is the file", reflect.DeepEqual(applied, read), true)
}

func TestEnqueueFixesTheOrder(t *testing.T) {
	w, path := newLog(t, Options{})
	var want []string
	var receipts []*Receipt
	for n := range 100 {
		want = append(want, fmt.Sprint(n))
		receipts = append(receipts, w.Enqueue(note(fmt.Sprint(n))))
	}
	for _, r := range slices.Backward(receipts) {
		_, err := r.Wait()
		must(t, err)
	}
	check(t, "order", texts(events(t, path)), want)
}

func TestWaitersWakeAfterTheFoldsKnow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stall := make(chan struct{})
		w, path := newLog(t, Options{Applied: func(event.Event) { <-stall }})
		defer w.Close()
		woken := make(chan struct{})
		go func() {
			defer close(woken)
			w.Append(note("x"))
		}()
		synctest.Wait()
		check(t, "on disk when the folds are told", texts(events(t, path)), []string{"x"})
		select {
		case <-woken:
			t.Error("the append returned before the folds knew")
		default:
		}
		close(stall)
		<-woken
	})
}

func TestClosedWriterRefuses(t *testing.T) {
	w, path := newLog(t, Options{})
	receipt := w.Enqueue(note("one"))
	w.Buffer(chunk("two"))
	must(t, w.Close())
	must(t, w.Close())
	_, err := receipt.Wait()
	must(t, err)
	_, err = w.Append(note("three"))
	check(t, "append after close", errors.Is(err, fs.ErrClosed), true)
	check(t, "flush after close", errors.Is(w.Flush(), fs.ErrClosed), true)
	w.Buffer(chunk("four"))
	check(t, "log", texts(events(t, path)), []string{"one", "two"})
}
