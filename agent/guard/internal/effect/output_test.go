package effect

import (
	"bytes"
	"testing"
)

func FuzzOutputKeepsHeadAndTail(f *testing.F) {
	f.Add([]byte("0123456789"), 3, 2, uint8(4))
	f.Add([]byte(""), 0, 0, uint8(1))
	f.Add(bytes.Repeat([]byte("abc"), 50), 10, 7, uint8(9))
	f.Fuzz(func(t *testing.T, all []byte, head, tail int, step uint8) {
		head, tail = head&63, tail&63
		o := &output{maxHead: head, maxTail: tail}
		for rest := all; len(rest) > 0; {
			n := min(int(step)+1, len(rest))
			if k, err := o.Write(rest[:n]); k != n || err != nil {
				t.Fatalf("wrote %d of %d: %v", k, n, err)
			}
			rest = rest[n:]
		}
		var r Result
		o.fill(&r)
		wantHead := all[:min(head, len(all))]
		wantTail := all[max(len(wantHead), len(all)-tail):]
		if !bytes.Equal(r.Head, wantHead) || !bytes.Equal(r.Tail, wantTail) || r.Cut != int64(len(all)-len(wantHead)-len(wantTail)) {
			t.Errorf("of %q kept %q and %q, cut %d; want %q and %q", all, r.Head, r.Tail, r.Cut, wantHead, wantTail)
		}
	})
}

func check[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}
