package redact

import "slices"

// span is a stretch of text that is secret.
type span struct {
	// start and end are where it begins and where it ends at least.
	start, end int
	// more are the bytes that prolong it beyond end.
	more set
	// pem says that the footer of a PEM block ends it.
	pem bool
	// mark names its placeholder.
	mark mark
}

// scanner walks a text once, from left to right, and writes it to out with placeholders. Its positions are offsets into the text that the next call of scan gets.
//
// It stops where what follows could still change what stands there, so its output for the beginning of a text is the beginning of its output for the text. This is why a stream and a whole text cannot differ.
type scanner struct {
	// pos is the first byte that is not decided.
	pos int
	// copied is the first byte that is not in out yet, while nothing is hidden.
	copied int
	// last is the end of the last span. No rule looks behind it, because a second pass would find a placeholder there.
	last int
	// hidden says that open is being left out.
	hidden bool
	open   span
	// later are spans that were recognised by what stands before them and have not begun yet.
	later []span
	// hits is scratch space of step.
	hits   []span
	out    []byte
	counts tally
}

// redact returns the text with placeholders. It copies nothing when there is nothing to hide.
func (t *table) redact(s string) (string, []Count) {
	var c scanner
	c.scan(t, s, true)
	if c.counts == nil {
		return s, nil
	}
	c.flush(s)
	return string(c.out), c.counts
}

// scan decides as much of s as can be decided. With final set, nothing follows s and all of it is decided.
func (c *scanner) scan(t *table, s string, final bool) {
	for {
		if !c.hidden && len(c.later) == 0 {
			c.pos = t.next(s, c.pos)
		}
		if c.pos == len(s) || !c.step(t, s, final) {
			break
		}
		c.pos++
	}
	if final && c.hidden {
		c.end()
	}
}

// step decides the byte at pos. It reports false when that needs more text.
func (c *scanner) step(t *table, s string, final bool) bool {
	w := window{s: s, lo: c.last, at: c.pos, final: final}
	if c.hidden {
		w.lo = c.pos
		switch c.open.reach(w) {
		case wait:
			return false
		case no:
			c.end()
		}
	}
	var known bool
	if c.hits, known = t.at(c.hits[:0], w); !known {
		return false
	}
	for _, h := range c.hits {
		if h.start > c.pos {
			c.later = append(c.later, h)
			continue
		}
		c.begin(s, h)
	}
	c.later = slices.DeleteFunc(c.later, func(l span) bool {
		due := l.start == c.pos
		if due {
			c.begin(s, l)
		}
		return due
	})
	return true
}

// begin starts to leave text out at pos. Inside another span it prolongs that one: what overlaps is one secret with one placeholder, the first.
func (c *scanner) begin(s string, p span) {
	if c.hidden {
		c.open.end = max(c.open.end, p.end)
		c.open.more.union(p.more)
		c.open.pem = c.open.pem || p.pem
		return
	}
	c.flush(s)
	c.out = append(c.out, p.mark.placeholder()...)
	c.counts.add(p.mark.class, 1)
	c.open, c.hidden = p, true
}

// end goes back to plain text.
func (c *scanner) end() {
	c.last, c.copied, c.hidden = c.open.end, c.open.end, false
}

// flush copies the plain text before pos to out.
func (c *scanner) flush(s string) {
	if c.hidden {
		return
	}
	c.out = append(c.out, s[c.copied:c.pos]...)
	c.copied = c.pos
}

// reach reports whether the span covers the byte at the window's place, and moves its end behind that byte if so.
func (p *span) reach(w window) verdict {
	if w.at < p.end {
		return yes
	}
	if p.pem {
		end, v := w.footer()
		if v == yes {
			p.end, p.pem, p.more = end, false, set{}
		}
		if v != no {
			return v
		}
	}
	if !p.more.has(w.s[w.at]) {
		return no
	}
	p.end = w.at + 1
	return yes
}
