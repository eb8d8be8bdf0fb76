package guard

import (
	"strings"
	"testing"
)

func TestLiveTextIsThatOfTheWhole(t *testing.T) {
	const output = "ok\r\nna\u00efve \u4e16\u754c \U0001f600\n\x1b[31mred\x1b[0m\xff\xfe end\n"
	for size := 1; size <= len(output); size++ {
		var got strings.Builder
		live := &liveText{to: func(s string) { got.WriteString(s) }}
		for rest := output; rest != ""; {
			n := min(size, len(rest))
			if _, err := live.Write([]byte(rest[:n])); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if want := clean([]byte(output)); size < 3 {
			// Bytes that are no text are replaced one by one when they come one by one.
			if strings.ReplaceAll(got.String(), "\ufffd", "") != strings.ReplaceAll(want, "\ufffd", "") {
				t.Errorf("pieces of %d: got %q, want %q", size, got.String(), want)
			}
		} else if strings.ReplaceAll(got.String(), "\ufffd\ufffd", "\ufffd") != want {
			t.Errorf("pieces of %d: got %q, want %q", size, got.String(), want)
		}
	}
}
