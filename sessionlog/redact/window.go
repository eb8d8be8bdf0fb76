package redact

import "strings"

// verdict answers whether a place begins a secret.
type verdict int

const (
	no verdict = iota
	yes
	// wait means that the answer stands in text which is still to come.
	wait
)

// lookBehind is how much decided text a stream keeps for the rules that look at what stands before them.
const lookBehind = 128

// window is a place in a text as a rule sees it.
type window struct {
	s string
	// lo is how far the rule may look behind.
	lo int
	// at is where the anchor begins, body where it ends.
	at, body int
	// final says that nothing follows s.
	final bool
}

// count measures the run of bytes of c that begins at i, up to limit. It reports false when the run may go on in text that is still to come.
func (w window) count(c *set, i, limit int) (int, bool) {
	n := 0
	for n < limit && i+n < len(w.s) && c.has(w.s[i+n]) {
		n++
	}
	return n, w.final || n == limit || i+n < len(w.s)
}

// behind measures the run of bytes of c that ends before i, up to limit.
func (w window) behind(c *set, i, limit int) int {
	n := 0
	for n < limit && i-n > w.lo && c.has(w.s[i-n-1]) {
		n++
	}
	return n
}

// starts reports whether prefix stands at i.
func (w window) starts(i int, prefix string) verdict {
	rest := w.s[i:]
	if strings.HasPrefix(rest, prefix) {
		return yes
	}
	if !w.final && strings.HasPrefix(prefix, rest) {
		return wait
	}
	return no
}

// wordStart reports whether no word goes on at the window's place. The last letter of an escape, as in \n or %3D, is no part of the word behind it.
func (w window) wordStart() bool {
	before := w.s[w.lo:w.at]
	if before == "" || !alnum.has(before[len(before)-1]) {
		return true
	}
	return escape(before, `\`, 1) || escape(before, "%", 2) || escape(before, `\u`, 4) || escape(before, `\x`, 2)
}

// escape reports whether s ends with an escape: its sign and n letters or digits.
func escape(s, sign string, n int) bool {
	i := len(s) - n
	return i >= len(sign) && s[i-len(sign):i] == sign
}

// footer looks for the end line of a PEM block at the window's place and returns where it ends.
func (w window) footer() (int, verdict) {
	const begin, end, limit = "-----END", "-----", 80
	if v := w.starts(w.at, begin); v != yes {
		return 0, v
	}
	rest := w.s[w.at+len(begin):]
	if n := strings.Index(rest[:min(len(rest), limit)], end); n >= 0 {
		return w.at + len(begin) + n + len(end), yes
	}
	if !w.final && len(rest) < limit {
		return 0, wait
	}
	return 0, no
}
