package provider

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// events reads all events, and the error if there is one.
func events(r io.Reader) ([]ServerEvent, error) {
	var out []ServerEvent
	for e, err := range ServerEvents(r) {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

func TestServerEvents(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		want []ServerEvent
	}{
		"nothing":             {"", nil},
		"one":                 {"data: a\n\n", []ServerEvent{{Data: "a"}}},
		"CRLF and no blank":   {"data:a\r\n\r\ndata:  b\r\n\r\n", []ServerEvent{{Data: "a"}, {Data: " b"}}},
		"several lines":       {"data: a\ndata\ndata: b\n\n", []ServerEvent{{Data: "a\n\nb"}}},
		"a name":              {"event: error\nid: 1\nretry: 5\ndata: {}\n\ndata: x\n\n", []ServerEvent{{Name: "error", Data: "{}"}, {Data: "x"}}},
		"comments":            {": ping\n\n: pong\ndata: a\n\n\n\n", []ServerEvent{{Data: "a"}}},
		"a byte order mark":   {"\ufeffdata: a\n\n", []ServerEvent{{Data: "a"}}},
		"cut before its end":  {"data: a\n\ndata: b\n", []ServerEvent{{Data: "a"}}},
		"cut inside a line":   {"data: a\n\ndata: b", []ServerEvent{{Data: "a"}}},
		"no event at all":     {"{\"error\":\"x\"}\n\n", nil},
		"longer than a chunk": {"data: " + strings.Repeat("x", 10_000) + "\n\n", []ServerEvent{{Data: strings.Repeat("x", 10_000)}}},
	} {
		got, err := events(iotest.OneByteReader(strings.NewReader(c.in)))
		check(t, name, got, c.want)
		check(t, name+" error", err, nil)
	}
}

func TestServerEventsAreBounded(t *testing.T) {
	part := strings.Repeat("x", maxEvent/2) + "\n"
	for name, in := range map[string]string{
		"a line":   "data: " + strings.Repeat("x", maxEvent),
		"an event": "data: " + part + "data: " + part + "data: " + part + "\n",
	} {
		if _, err := events(strings.NewReader(in)); err == nil {
			t.Errorf("%s of %d bytes: no error", name, len(in))
		}
	}
	lost := errors.New("connection lost")
	got, err := events(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(lost)))
	check(t, "events before the loss", got, []ServerEvent{{Data: "a"}})
	check(t, "the loss", err, lost)
}

func FuzzServerEvents(f *testing.F) {
	f.Add("data: a\n\nevent: e\r\ndata: b\r\ndata: c\r\n\r\n: x\n\ndata: [DONE]\n\n", 30)
	f.Fuzz(func(t *testing.T, in string, cut int) {
		whole, err := events(strings.NewReader(in))
		check(t, "error", err, nil)
		part, err := events(strings.NewReader(in[:min(max(cut, 0), len(in))]))
		check(t, "error of the part", err, nil)
		if len(part) > len(whole) || !slices.Equal(part, whole[:len(part)]) {
			t.Errorf("a part of the stream gave %q, the whole %q", part, whole)
		}
	})
}
