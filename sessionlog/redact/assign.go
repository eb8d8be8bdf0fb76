package redact

import (
	"math"
	"strings"
)

// The bounds of an assignment; together with the white space between them, name and value stay within what a stream keeps and holds.
const (
	maxName  = 48
	maxGap   = 16
	maxGuess = 256
	// minGuess is the shortest value that is taken for a secret by its name alone.
	minGuess = 10
	// minEntropy is in bits for each byte; words and numbers that count on stay below it.
	minEntropy = 2.7
)

var (
	nameSet  = newSet("09azAZ__--..")
	quoteSet = with(set{}, "\"'`\\")
	blankSet = with(set{}, " \t")
	lower    = newSet("az")
	capital  = newSet("AZ")
	// guessSet leaves out what ends a value, and what makes it an expression or a template.
	guessSet = with(tokenSet, "!@#%^&*?:")
)

// assignments are told by a name that says its value is a secret, and by a value that looks random.
var assignments = []rule{
	{name: "assignment", class: "secret", since: 3, inside: true, keep: true, anchors: []string{"=", ":"}, match: assignment},
	{name: "flag", class: "secret", since: 3, keep: true, anchors: []string{"--password ", "--token ", "--secret ", "--api-key ", "--apikey ", "--access-token ", "--client-secret ", "--auth-token "}, match: guess},
}

// assignment finds the value behind a sign of assignment that follows a telling name.
func assignment(w window) (span, verdict) {
	if !tells(w.name()) {
		return span{}, no
	}
	return guess(w)
}

// name returns the name before the sign, without the quotes and the space between them. A placeholder holds colons too and is no assignment.
func (w window) name() string {
	i := w.at
	if i > w.lo && w.s[i-1] == ':' {
		i--
	}
	i -= w.behind(&blankSet, i, maxGap)
	i -= w.behind(&quoteSet, i, 4)
	n := w.behind(&nameSet, i, maxName)
	if strings.HasSuffix(w.s[w.lo:i-n], opening) {
		return ""
	}
	return w.s[i-n : i]
}

// tells reports whether a name says that what it names is a secret.
func tells(name string) bool {
	if len(name) < 3 {
		return false
	}
	var plain [maxName]byte
	n := 0
	for i := range len(name) {
		if b := name[i] | 0x20; lower.has(b) {
			plain[n] = b
			n++
		}
	}
	s := string(plain[:n])
	for _, word := range [...]string{"passw", "pwd", "secret", "token", "apikey", "accesskey", "privatekey", "authkey", "signingkey", "encryptionkey", "masterkey", "servicekey", "sharedkey", "credential", "passphrase"} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// guess decides whether the text behind an assignment is a secret. It must look random: digits and letters in no order, not an identifier, a path, a template or a call. A name that asks for a secret makes 64 hexadecimal digits one, though a git id may look the same.
func guess(w window) (span, verdict) {
	if w.body > w.at && w.body < len(w.s) && w.s[w.body] == '>' {
		w.body++
	}
	i, known := w.body, true
	for _, between := range []struct {
		bytes *set
		most  int
	}{{&blankSet, maxGap}, {&quoteSet, 4}} {
		n := 0
		if n, known = w.count(between.bytes, i, between.most); !known {
			return span{}, wait
		}
		i += n
	}
	n, known := w.count(&guessSet, i, maxGuess)
	if !known {
		return span{}, wait
	}
	if n < minGuess || !random(w.s[i:i+n]) {
		return span{}, no
	}
	found := span{start: i, end: i + n}
	if n == maxGuess {
		found.more = guessSet
	}
	if v := w.expression(i + n); v != no {
		return span{}, map[verdict]verdict{yes: no, wait: wait}[v]
	}
	if n == hashLen {
		return found, yes
	}
	return found, w.unlessID(i, n)
}

// expression reports whether what follows a value shows that it was none: a call, an index, a template, or a placeholder, before which the rest of the value was hidden.
func (w window) expression(i int) verdict {
	if i >= len(w.s) {
		return no
	}
	if strings.IndexByte("([{$<", w.s[i]) >= 0 {
		return yes
	}
	return no
}

// random reports whether a text looks like one that a machine chose.
func random(s string) bool {
	var kinds, letters, changes int
	last := -1
	for i := range len(s) {
		kind := kindOf(s[i])
		if kind != last {
			changes++
		}
		last = kind
		kinds |= 1 << kind
		if kind < 2 {
			letters++
		}
	}
	const digit = 1 << 2
	return kinds&digit != 0 && letters > 0 && changes >= 4 && entropy(s) >= minEntropy
}

// kindOf sorts bytes: small letters, capitals, digits, others.
func kindOf(b byte) int {
	switch {
	case lower.has(b):
		return 0
	case capital.has(b):
		return 1
	case digits.has(b):
		return 2
	}
	return 3
}

// entropy returns the bits that a byte of s carries by how often each occurs.
func entropy(s string) float64 {
	var seen [256]int
	for i := range len(s) {
		seen[s[i]]++
	}
	bits := 0.0
	for _, n := range seen {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
