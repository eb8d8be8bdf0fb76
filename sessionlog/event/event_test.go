package event

import (
	"bytes"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// samples are lines that were ever written. The file only grows: every line must decode for ever.
func samples(t *testing.T) [][]byte {
	t.Helper()
	content, err := os.ReadFile("testdata/samples.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(content, []byte("\n")), []byte("\n"))
}

func TestSamplesDecodeAndEncodeToTheSameBytes(t *testing.T) {
	for i, line := range samples(t) {
		e, err := DecodeLine(line)
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		again, err := AppendLine(nil, e)
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.TrimSuffix(again, []byte("\n")); !bytes.Equal(got, line) {
			t.Errorf("line %d: got %s, want %s", i+1, got, line)
		}
	}
}

func TestEveryKindHasASample(t *testing.T) {
	seen := make(map[Kind]bool)
	for _, line := range samples(t) {
		e, err := DecodeLine(line)
		if err != nil {
			t.Fatal(err)
		}
		seen[e.Kind()] = true
	}
	for _, k := range Kinds() {
		if !seen[k] {
			t.Errorf("kind %s has no line in testdata/samples.jsonl", k)
		}
	}
}

// TestPayloadsSurviveTheirOwnEncoding encodes what was decoded without the raw bytes: no field may be lost on the way.
func TestPayloadsSurviveTheirOwnEncoding(t *testing.T) {
	for i, line := range samples(t) {
		first, err := DecodeLine(line)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := EncodePayload(first.Payload)
		if err != nil {
			t.Fatal(err)
		}
		second, err := DecodePayload(first.Kind(), raw)
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		if !reflect.DeepEqual(second, first.Payload) {
			t.Errorf("line %d: got %#v, want %#v", i+1, second, first.Payload)
		}
	}
}

func TestDecodeLineRefuses(t *testing.T) {
	const good = `{"seq":1,"ts":"2026-01-02T03:04:05.000000006Z","session":"s","kind":"note","payload":{"code":"c","text":"t"}}`
	if _, err := DecodeLine([]byte(good)); err != nil {
		t.Fatalf("the good line: %v", err)
	}
	for name, line := range map[string]string{
		"an unknown kind":             strings.Replace(good, `"note"`, `"nope"`, 1),
		"a missing field":             strings.Replace(good, `"seq":1,`, ``, 1),
		"a field of no event":         strings.Replace(good, `"seq":1,`, `"seq":1,"extra":1,`, 1),
		"a repeated field":            strings.Replace(good, `"seq":1,`, `"seq":1,"seq":2,`, 1),
		"a payload that is a list":    strings.Replace(good, `{"code":"c","text":"t"}`, `[]`, 1),
		"a payload of the wrong type": strings.Replace(good, `"t"}`, `7}`, 1),
		"a time that is none":         strings.Replace(good, "2026", "x026", 1),
		"a second value":              good + "{}",
		"a cut line":                  good[:len(good)-1],
		"an empty line":               "",
		"NUL bytes":                   "\x00\x00",
	} {
		if e, err := DecodeLine([]byte(line)); err == nil {
			t.Errorf("%s: decoded as %#v", name, e)
		}
	}
	var unknown *UnknownKindError
	if _, err := DecodeLine([]byte(strings.Replace(good, `"note"`, `"tool.cal"`, 1))); !errors.As(err, &unknown) || unknown.Kind != "tool.cal" {
		t.Errorf("got %v, want the unknown kind named", err)
	}
}

func TestUnknownFieldsOfAKnownKindAreKept(t *testing.T) {
	const line = `{"seq":1,"ts":"2026-01-02T03:04:05.000000006Z","session":"s","kind":"note","payload":{"later":[1.0,{"b":2,"a":1}],"code":"c","text":"t"}}`
	e, err := DecodeLine([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	e.Session = "fork"
	got, err := AppendLine(nil, e)
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(line, `"s"`, `"fork"`, 1) + "\n"; string(got) != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestLinesAreOneLineWhateverTheTextHolds(t *testing.T) {
	text := "a\nb\r\u2028\u2029\x00<&>\xff"
	line, err := AppendLine(nil, Event{Seq: 1, TS: time.Unix(0, 0), Session: "s", Payload: Note{Code: "c", Text: text}})
	if err != nil {
		t.Fatal(err)
	}
	if body := strings.TrimSuffix(string(line), "\n"); strings.ContainsAny(body, "\n\r\u2028\u2029\x00") || !strings.Contains(body, "<&>") {
		t.Errorf("line is %q", line)
	}
	e, err := DecodeLine(bytes.TrimSuffix(line, []byte("\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := e.Payload.(Note).Text, strings.ToValidUTF8(text, "\uFFFD"); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAbsentIsNotZero holds the difference between a figure that is zero and one that nobody gave.
func TestAbsentIsNotZero(t *testing.T) {
	zero := int64(0)
	for _, u := range []Usage{{}, {CachedTokens: &zero}} {
		raw, err := EncodePayload(LLMResp{Usage: u})
		if err != nil {
			t.Fatal(err)
		}
		p, err := DecodePayload("llm.resp", raw)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.(LLMResp).Usage; !reflect.DeepEqual(got, u) {
			t.Errorf("got %#v, want %#v", got, u)
		}
	}
}

func FuzzDecodeLine(f *testing.F) {
	content, err := os.ReadFile("testdata/samples.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range bytes.Lines(content) {
		f.Add(bytes.TrimSuffix(line, []byte("\n")))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := DecodeLine(line)
		if err != nil {
			return
		}
		again, err := AppendLine(nil, e)
		if err != nil {
			t.Fatalf("encode what was decoded: %v", err)
		}
		back, err := DecodeLine(bytes.TrimSuffix(again, []byte("\n")))
		if err != nil {
			t.Fatalf("decode what was encoded: %v", err)
		}
		if !reflect.DeepEqual(back.Payload, e.Payload) || back.Seq != e.Seq || back.Session != e.Session {
			t.Fatalf("got %#v, want %#v", back, e)
		}
		if err := json.Unmarshal(back.Raw, new(any)); err != nil {
			t.Fatal(err)
		}
	})
}
