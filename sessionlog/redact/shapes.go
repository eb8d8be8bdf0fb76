package redact

import "strings"

// The bounds of how far these rules look ahead; they bound what a stream holds back.
const (
	maxUser     = 128
	maxPassword = 256
	maxSegment  = 1024
	maxHeader   = 64
	maxPreamble = 512
	minBearer   = 16
	// minPassword leaves out the verbs of format strings.
	minPassword = 3
	// hashLen is the length of the longest identifier that is let through.
	hashLen = 64
)

// pemBody are the bytes between the lines of a PEM block, also when it stands inside a string literal, a diff or a quoted mail.
var pemBody = with(base64Set, "\\\"'`,:|>#*;$ \t\r\n-")

// pemPreamble are the bytes that may stand before the content of a PEM block: those of its headers too.
var pemPreamble = with(pemBody, "._()@")

var (
	base64Digits  = newSet("09azAZ//++")
	pemTitle      = newSet("09AZ  ")
	userBytes     = without(" \t\r\n:/?#@\"'`<>[](){}$*\\")
	passwordBytes = without(" \t\r\n/?#@\"'`<>[](){}$*\\")
	uuidBytes     = newSet("09afAF--")
)

// pem finds a private key: its header, and soon after it a word long enough to be its content. A block that was cut off is hidden as far as its content goes.
func pem(w window) (span, verdict) {
	n, known := w.count(&pemTitle, w.body, maxHeader)
	if !known {
		return span{}, wait
	}
	if !strings.Contains(w.s[w.body:w.body+n], "PRIVATE KEY") {
		return span{}, no
	}
	body := w.body + n
	if v := w.starts(body, "-----"); v != yes {
		return span{}, v
	}
	end, v := w.content(body + len("-----"))
	return span{start: w.at, end: end, more: pemBody, pem: true}, v
}

// content looks for a line of key material within the preamble of a PEM block, and returns how far it is certain that one stands there.
func (w window) content(i int) (int, verdict) {
	const least = 40
	n, known := w.count(&pemPreamble, i, maxPreamble)
	text, _, ended := strings.Cut(w.s[i:i+n], "-----")
	word := 0
	for k := range len(text) {
		if !base64Digits.has(text[k]) {
			word = 0
			continue
		}
		if word++; word == least {
			return i + k + 1, yes
		}
	}
	if !known && !ended {
		return 0, wait
	}
	return 0, no
}

// jwt finds a signed or encrypted JSON web token: two segments at least, the first of which begins with an encoded brace.
func jwt(w window) (span, verdict) {
	const least = 10
	n, known := w.count(&wordBytes, w.body, maxSegment)
	if !known {
		return span{}, wait
	}
	if n < least {
		return span{}, no
	}
	body := w.body + n
	if v := w.starts(body, "."); v != yes {
		return span{}, v
	}
	n, known = w.count(&wordBytes, body+1, least)
	if n == least {
		return span{start: w.at, end: body + 1 + n, more: with(dotted, "=")}, yes
	}
	if !known {
		return span{}, wait
	}
	return span{}, no
}

// telegram finds a bot token: the bot's number, a colon and the secret. The number is no secret and stays.
func telegram(w window) (span, verdict) {
	const least = 31
	if w.behind(&digits, w.at, 10) < 8 {
		return span{}, no
	}
	n, known := w.count(&wordBytes, w.body, least)
	if n == least {
		return span{start: w.at + 1, end: w.body + n, more: wordBytes}, yes
	}
	if !known {
		return span{}, wait
	}
	return span{}, no
}

// discord finds a bot token: three segments, the first of which is a number in base64, which explains the anchors.
func discord(w window) (span, verdict) {
	i := w.body
	for _, seg := range []struct{ least, most int }{{20, 28}, {6, 6}} {
		n, known := w.count(&wordBytes, i, seg.most+1)
		if !known {
			return span{}, wait
		}
		if n < seg.least || n > seg.most {
			return span{}, no
		}
		if v := w.starts(i+n, "."); v != yes {
			return span{}, v
		}
		i += n + 1
	}
	const least = 27
	n, known := w.count(&wordBytes, i, least)
	if n == least {
		return span{start: w.at, end: i + n, more: wordBytes}, yes
	}
	if !known {
		return span{}, wait
	}
	return span{}, no
}

// bearer finds the token of an authorization header. Anything of some length with a digit is one, except the identifiers that are let through.
func bearer(w window) (span, verdict) {
	n, known := w.count(&tokenSet, w.body, hashLen+1)
	if !known {
		return span{}, wait
	}
	token := w.s[w.body : w.body+n]
	if n < minBearer || !hasDigit(token) {
		return span{}, no
	}
	return span{start: w.body, end: w.body + n, more: tokenSet}, w.unlessID(w.body, n)
}

// userinfo finds the password of a URL. A variable or a template in its place is none.
func userinfo(w window) (span, verdict) {
	n, known := w.count(&userBytes, w.body, maxUser)
	if !known {
		return span{}, wait
	}
	i := w.body + n
	if v := w.starts(i, ":"); v != yes {
		return span{}, v
	}
	i++
	if n, known = w.count(&passwordBytes, i, maxPassword); !known {
		return span{}, wait
	}
	if n < minPassword {
		return span{}, no
	}
	if v := w.starts(i+n, "@"); v != yes {
		return span{}, v
	}
	return span{start: i, end: i + n}, w.unlessID(i, n)
}

// unlessID lets through UUIDs and git ids where a rule takes any text for a secret. One that a placeholder cuts off was let through before its rest was hidden, and stays so.
func (w window) unlessID(i, n int) verdict {
	id := w.s[i : i+n]
	for b := range len(id) {
		if !uuidBytes.has(id[b]) {
			return yes
		}
	}
	switch {
	case n == 40 && !strings.Contains(id, "-"), n == 64 && !strings.Contains(id, "-"), isUUID(id):
		return no
	case n > hashLen:
		return yes
	}
	cut := w.starts(i+n, opening)
	if cut == wait {
		return wait
	}
	if cut == yes {
		return no
	}
	return yes
}

func isUUID(s string) bool {
	return len(s) == 36 && strings.Count(s, "-") == 4 && s[8] == '-' && s[13] == '-' && s[18] == '-' && s[23] == '-'
}

// unlessHash lets through what looks like an anchor inside the integrity hash of a lock file.
func (w window) unlessHash() verdict {
	const longest = 96
	n := w.behind(&base64Set, w.at, longest)
	before := w.s[w.lo : w.at-n]
	for _, name := range []string{"sha1-", "sha256-", "sha384-", "sha512-"} {
		if strings.HasSuffix(before, name) {
			return no
		}
	}
	return yes
}
