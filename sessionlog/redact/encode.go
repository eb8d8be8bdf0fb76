package redact

import (
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// forms returns the texts in which a value may turn up: as it is, escaped for JSON and for URLs, in hexadecimal and in base64. A form that equals the value appears more than once; the table does not mind.
func forms(v string) []string {
	digits := hex.EncodeToString([]byte(v))
	out := []string{v, digits, strings.ToUpper(digits)}
	out = append(out, jsonForms(v)...)
	out = append(out, urlForms(v)...)
	return append(out, base64Forms(v)...)
}

// jsonForms returns the escapes that common encoders choose: the fewest that JSON allows, those of encoders that care for HTML, and those that escape the slash.
func jsonForms(v string) []string {
	// The error says only that v is not UTF-8; such a value has no form in JSON but the one with replacement characters.
	quoted, _ := jsontext.AppendQuote(nil, v)
	plain := string(quoted[1 : len(quoted)-1])
	html := strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)
	upperHTML := strings.NewReplacer("<", `\u003C`, ">", `\u003E`, "&", `\u0026`)
	return []string{plain, html.Replace(plain), upperHTML.Replace(plain), strings.ReplaceAll(plain, "/", `\/`)}
}

func urlForms(v string) []string {
	query, path := url.QueryEscape(v), url.PathEscape(v)
	return []string{query, path, strings.ReplaceAll(query, "+", "%20"), lowerEscapes(query), lowerEscapes(path)}
}

// lowerEscapes writes the digits of percent escapes in lower case, as some encoders do.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(s[i+1:i+3]))
			i += 2
		}
	}
	return string(b)
}

// base64Forms returns the characters that v alone decides, for each of the three places in a group of three bytes at which it can begin inside a longer encoded text.
func base64Forms(v string) []string {
	var out []string
	for shift := range 3 {
		bytes := append(make([]byte, shift), v...)
		first, end := (shift*8+5)/6, len(bytes)*8/6
		for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			out = append(out, enc.EncodeToString(bytes)[first:end])
		}
	}
	return out
}
