package redact

import (
	"cmp"
	"slices"
	"strings"
)

// table finds the places where a secret may begin. It never changes once it is built.
//
// Most text holds no secret, so the first question is asked for every byte and must be cheap: does any literal begin with these two bytes? Only where one does, the literals themselves are compared, and only where one stands, its rule looks further.
type table struct {
	literals []literal
	// heads has a bit for each pair of bytes that begins a literal.
	heads [1 << 10]uint64
	// firsts has each byte that begins a literal; it decides for the last byte of a text.
	firsts set
	// byHead lists the literals by their first two bytes, in the order of literals.
	byHead map[uint16][]int
}

// literal is a registered value in one of its forms, or the anchor of a rule.
type literal struct {
	text string
	mark mark
	// rule says what must follow an anchor; it is nil for a registered value.
	rule *rule
}

// newTable builds the table of the rules up to a version and of the values. Registered values stand before shapes, and longer literals before shorter ones, because the first one found names the placeholder.
func newTable(version int, values []value) *table {
	t := &table{byHead: make(map[uint16][]int)}
	for _, v := range values {
		for _, form := range forms(v.text) {
			t.literals = append(t.literals, literal{text: form, mark: v.mark})
		}
	}
	slices.SortStableFunc(t.literals, longerFirst)
	t.literals = slices.CompactFunc(t.literals, func(a, b literal) bool { return a.text == b.text && a.mark == b.mark })
	registered := len(t.literals)
	for i := range rules {
		if rules[i].since > version {
			continue
		}
		for _, anchor := range rules[i].anchors {
			t.literals = append(t.literals, literal{text: anchor, mark: rules[i].mark(), rule: &rules[i]})
		}
	}
	slices.SortStableFunc(t.literals[registered:], longerFirst)
	for i, l := range t.literals {
		h := head(l.text)
		t.heads[h>>6] |= 1 << (h & 63)
		t.firsts.add(l.text[0])
		t.byHead[h] = append(t.byHead[h], i)
	}
	return t
}

func longerFirst(a, b literal) int {
	return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
}

func head(s string) uint16 { return uint16(s[0])<<8 | uint16(s[1]) }

// next returns the first place from i on where a literal may begin, or the length of s.
func (t *table) next(s string, i int) int {
	for ; i+1 < len(s); i++ {
		h := uint16(s[i])<<8 | uint16(s[i+1])
		if t.heads[h>>6]&(1<<(h&63)) != 0 {
			return i
		}
	}
	if i < len(s) && t.firsts.has(s[i]) {
		return i
	}
	return len(s)
}

// at appends the spans that a literal at the window's place begins. It reports false when text that is still to come could add one.
func (t *table) at(dst []span, w window) ([]span, bool) {
	rest := w.s[w.at:]
	if len(rest) < 2 {
		return dst, w.final || !t.mayBegin(w, rest)
	}
	for _, i := range t.byHead[head(rest)] {
		l := &t.literals[i]
		if !strings.HasPrefix(rest, l.text) {
			if !w.final && len(rest) < len(l.text) && strings.HasPrefix(l.text, rest) && l.fits(w) {
				return dst, false
			}
			continue
		}
		s, v := l.evidence(w)
		if v == wait {
			return dst, false
		}
		if v == yes {
			dst = append(dst, s)
		}
	}
	return dst, true
}

// mayBegin reports whether a literal begins with rest and may stand there.
func (t *table) mayBegin(w window, rest string) bool {
	for i := range t.literals {
		if strings.HasPrefix(t.literals[i].text, rest) && t.literals[i].fits(w) {
			return true
		}
	}
	return false
}

// fits reports whether the literal may stand at the window's place: a value may stand anywhere, an anchor mostly only where a word begins.
func (l *literal) fits(w window) bool {
	return l.rule == nil || l.rule.inside || w.wordStart()
}

// evidence asks whether the literal, which stands at the window's place, is a secret or begins one.
func (l *literal) evidence(w window) (span, verdict) {
	if l.rule == nil {
		return span{start: w.at, end: w.at + len(l.text), mark: l.mark}, yes
	}
	if !l.fits(w) {
		return span{}, no
	}
	w.body = w.at + len(l.text)
	s, v := l.rule.evidence(w)
	s.mark = l.mark
	return s, v
}
