package redact

import (
	"cmp"
	"slices"
	"strings"
)

// table finds the places where a secret may begin. It never changes once it is built.
//
// Most text holds no secret, so the first question is asked for every byte and must be cheap: does any literal begin with these three bytes? Only where one may, the literals themselves are compared, and only where one stands, its rule looks further.
type table struct {
	literals []literal
	// heads has, for each pair of bytes that begins a literal, a bit for each group of third bytes that go on one. The groups are small, so that a pair which many words have in common rarely counts as a beginning.
	heads [1 << 16]uint8
	// firsts has each byte that begins a literal; it decides for the last byte of a text.
	firsts set
	// slots leads from a pair of bytes to one of lists; slot 0 is empty.
	slots [1 << 16]uint16
	// lists are the literals that begin alike, in the order of literals.
	lists [][]int
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
	t := &table{lists: make([][]int, 1)}
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
		t.list(i, l.text)
	}
	return t
}

// list files the literal under all pairs of bytes that it can begin with: one, but for a literal of a single byte.
func (t *table) list(i int, text string) {
	t.firsts.add(text[0])
	third := uint8(0xff)
	if len(text) > 2 {
		third = group(text[2])
	}
	seconds := text[1:min(len(text), 2)]
	if seconds == "" {
		seconds = anyByte
	}
	for k := range len(seconds) {
		h := pair(text[0], seconds[k])
		t.heads[h] |= third
		if t.slots[h] == 0 {
			t.slots[h] = uint16(len(t.lists))
			t.lists = append(t.lists, nil)
		}
		t.lists[t.slots[h]] = append(t.lists[t.slots[h]], i)
	}
}

func longerFirst(a, b literal) int {
	return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
}

func pair(a, b byte) uint16 { return uint16(a)<<8 | uint16(b) }

// group returns the bit of a third byte.
func group(b byte) uint8 { return 1 << (b & 7) }

// next returns the first place from i on where a literal may begin, or the length of s.
func (t *table) next(s string, i int) int {
	for ; i+2 < len(s); i++ {
		if t.heads[pair(s[i], s[i+1])]&group(s[i+2]) != 0 {
			return i
		}
	}
	for ; i < len(s); i++ {
		if t.firsts.has(s[i]) {
			return i
		}
	}
	return len(s)
}

// at appends the spans that a literal at the window's place begins. It reports false when text that is still to come could add one.
func (t *table) at(dst []span, w window) ([]span, bool) {
	rest := w.s[w.at:]
	if len(rest) < 2 {
		return dst, w.final || !t.mayBegin(w, rest)
	}
	for _, i := range t.lists[t.slots[pair(rest[0], rest[1])]] {
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
