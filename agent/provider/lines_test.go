package provider

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestLines(t *testing.T) {
	lost := errors.New("connection lost")
	cut := func(s string) io.Reader { return io.MultiReader(strings.NewReader(s), iotest.ErrReader(lost)) }
	for name, c := range map[string]struct {
		in   io.Reader
		want []string
		err  error
	}{
		"nothing":             {strings.NewReader(""), nil, nil},
		"lines":               {strings.NewReader("\ufeffa\n\nb\r\n"), []string{"a", "", "b"}, nil},
		"one without its end": {strings.NewReader("a\nb"), []string{"a", "b"}, io.ErrUnexpectedEOF},
		"lost between lines":  {cut("a\n"), []string{"a", ""}, lost},
		"lost inside a line":  {cut("a\nb"), []string{"a", "b"}, lost},
		"longer than a chunk": {strings.NewReader(strings.Repeat("x", 10_000) + "\n"), []string{strings.Repeat("x", 10_000)}, nil},
	} {
		var got []string
		var failed error
		for line, err := range Lines(iotest.HalfReader(c.in)) {
			check(t, name+" after the error", failed, nil)
			got, failed = append(got, line), err
		}
		check(t, name, got, c.want)
		check(t, name+" error", failed, c.err)
	}
}
