package redact

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// JSON redacts the strings of a JSON value, names of members included, and leaves every other byte as it is. A string is decoded before it is searched, so no escape hides a secret. Names that become equal are numbered, so that no member is lost. A value without secrets comes back as the same bytes; one that is not JSON is refused, because its strings cannot be told.
func (r *Redactor) JSON(raw []byte) ([]byte, []Count, error) {
	if !jsontext.Value(raw).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, nil, fmt.Errorf("redact JSON of %d bytes: it is not one valid value", len(raw))
	}
	d := document{raw: raw, table: r.table.Load()}
	for {
		q := bytes.IndexByte(raw[d.pos:], '"')
		if q < 0 {
			break
		}
		d.literal(d.pos + q)
	}
	if d.counts == nil {
		return raw, nil, nil
	}
	return append(d.out, raw[d.copied:]...), d.counts, nil
}

// document is a JSON value on its way through the redactor.
type document struct {
	raw    []byte
	table  *table
	pos    int
	copied int
	out    []byte
	counts tally
	// names are the member names that were written.
	names map[string]bool
}

// literal handles the string that begins at start and moves pos behind it.
func (d *document) literal(start int) {
	end := literalEnd(d.raw, start)
	d.pos = end
	redacted, counts := d.table.redact(decode(d.raw[start:end]))
	if counts == nil {
		return
	}
	for _, n := range counts {
		d.counts.add(n.Class, n.N)
	}
	if d.isName(end) {
		redacted = d.unique(redacted)
	}
	d.out = append(d.out, d.raw[d.copied:start]...)
	d.out = appendQuote(d.out, redacted)
	d.copied = end
}

// literalEnd returns where the string that begins at start ends. The value is known to be valid.
func literalEnd(raw []byte, start int) int {
	i := start + 1
	for raw[i] != '"' {
		if raw[i] == '\\' {
			i++
		}
		i++
	}
	return i + 1
}

// decode returns the text of a valid string literal.
func decode(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	// The error can only say that the text is not UTF-8; every reader takes the replacement characters that stand in its place.
	text, _ := jsontext.AppendUnquote(nil, quoted)
	return string(text)
}

// appendQuote writes a string literal as the log does.
func appendQuote(dst []byte, s string) []byte {
	// The error says only that s is not UTF-8; what was written is a valid literal all the same.
	quoted, _ := jsontext.AppendQuote(nil, s)
	quoted = bytes.ReplaceAll(quoted, []byte("\u2028"), []byte(`\u2028`))
	quoted = bytes.ReplaceAll(quoted, []byte("\u2029"), []byte(`\u2029`))
	return append(dst, quoted...)
}

// isName reports whether the string that ends at i names a member.
func (d *document) isName(i int) bool {
	rest := bytes.TrimLeft(d.raw[i:], " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// unique returns the name, numbered if the document has it already.
func (d *document) unique(name string) string {
	if d.names == nil {
		d.names = make(map[string]bool)
	}
	numbered := name
	for n := 2; d.names[numbered] || bytes.Contains(d.raw, appendQuote(nil, numbered)); n++ {
		numbered = fmt.Sprintf("%s %d", name, n)
	}
	d.names[numbered] = true
	return numbered
}
