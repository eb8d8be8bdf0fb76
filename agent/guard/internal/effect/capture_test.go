//go:build unix

package effect

import (
	"errors"
	"testing"
)

func TestCapture(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		exit       int
		out, err   string
	}{
		{"both streams", "cat; echo bad >&2; exit 3", 3, "in", "bad\n"},
		{"as much as the limit", "printf 12345678", 0, "12345678", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Capture(t.Context(), Tool{Argv: []string{"sh", "-c", tc.text}, Dir: t.TempDir(), Stdin: []byte("in"), Limit: 8})
			if err != nil {
				t.Fatal(err)
			}
			check(t, got.Exit, tc.exit)
			check(t, string(got.Stdout), tc.out)
			check(t, string(got.Stderr), tc.err)
		})
	}
}

func TestCaptureRefusesEndlessOutput(t *testing.T) {
	_, err := Capture(t.Context(), Tool{Argv: []string{"yes"}, Dir: t.TempDir(), Limit: 1 << 20})
	check(t, errors.Is(err, ErrTooLarge), true)
	got, err := Capture(t.Context(), Tool{Argv: []string{"sh", "-c", "yes complaint | head -c 1000000 >&2"}, Dir: t.TempDir()})
	check(t, err, nil)
	check(t, len(got.Stderr), maxStderr)
}

func TestCaptureOfAProgramThatIsNotThere(t *testing.T) {
	_, err := Capture(t.Context(), Tool{Argv: []string{"no-such-program"}, Dir: t.TempDir()})
	check(t, errors.Is(err, ErrNoProgram), true)
}
