package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// check compares what a test got with what it wants.
func check[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %v\nwant %v", what, got, want)
	}
}

// filler makes n bytes of an alphabet that look random and are the same on each run. Secrets of tests are made of it at run time, so that no file holds one.
func filler(alphabet string, n int) string {
	b := make([]byte, n)
	x := uint32(2463534242)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = alphabet[x%uint32(len(alphabet))]
	}
	return string(b)
}

const (
	lowerHex = "0123456789abcdef"
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	symbols  = letters + "-_"
	base64ed = letters + "+/"
)

// sample is a token of a rule and the text that stays around it.
type sample struct {
	rule, before, secret, after string
}

// samples returns a token for each rule, in the surroundings it is found in.
func samples() []sample {
	key := "-----BEGIN " + "RSA PRIVATE KEY-----\n" + strings.Repeat(filler(base64ed, 64)+"\n", 4) + filler(base64ed, 21) + "==\n-----END " + "RSA PRIVATE KEY-----"
	pgp := "-----BEGIN " + "PGP PRIVATE KEY BLOCK-----\nVersion: GnuPG v1.4.11 (GNU/Linux)\n\n" + strings.Repeat(filler(base64ed, 64)+"\n", 4) + "-----END " + "PGP PRIVATE KEY BLOCK-----"
	quoted := strings.ReplaceAll(key, "\n", `\n`)
	return []sample{
		{"github", "token: ", "ghp" + "_" + filler(letters, 36), "\n"},
		{"github", `"line one\n`, "gho" + "_" + filler(letters, 36), `\nline two"`},
		{"github", "url?t%3D", "ghs" + "_" + filler(letters, 36), "&x=1"},
		{"github-pat", "GH=", "github" + "_pat_" + filler(letters, 22) + "_" + filler(letters, 59), ""},
		{"gitlab", "(", "glpat" + "-" + filler(symbols, 20), ")"},
		{"aws", "id ", "AK" + "IA" + filler(capitals, 16), " in use"},
		{"aws", "id ", "AS" + "IA" + filler(capitals, 16), "."},
		{"slack", "'", "xoxb" + "-123456789012-" + filler(letters, 24), "'"},
		{"slack-webhook", "https://hooks.slack.com/services/", "T" + filler(capitals, 8) + "/B" + filler(capitals, 8) + "/" + filler(letters, 24), " posted"},
		{"stripe", "key=", "sk" + "_live_" + filler(letters, 24), ";"},
		{"stripe", "key=", "rk" + "_live_" + filler(letters, 24), ";"},
		{"google", "?key=", "AI" + "za" + filler(symbols, 35), "&q=1"},
		{"google-oauth", "client_secret: ", "GOCSPX" + "-" + filler(symbols, 28), "\n"},
		{"openai", "OPENAI=", "sk" + "-proj-" + filler(symbols, 80) + "7", "\n"},
		{"openai-legacy", "OPENAI=", "sk" + "-" + filler(letters, 48), "\n"},
		{"anthropic", "k ", "sk" + "-ant-api03-" + filler(symbols, 93), " z"},
		{"groq", "k ", "gsk" + "_" + filler(letters, 52), " z"},
		{"xai", "k ", "xai" + "-" + filler(letters, 80), " z"},
		{"npm", "//registry/:_authToken=", "npm" + "_" + filler(letters, 36), "\n"},
		{"pypi", "password = ", "pypi" + "-AgEIcHlwaS5vcmc" + filler(symbols, 120), "\n"},
		{"huggingface", "", "hf" + "_" + filler(letters, 34), ""},
		{"docker", "login ", "dckr" + "_pat_" + filler(symbols, 27), " ok"},
		{"sendgrid", "=", "SG" + "." + filler(symbols, 22) + "." + filler(symbols, 43), " "},
		{"twilio", "=", "SK" + filler(lowerHex, 32), " "},
		{"telegram", "bot 123456789:", "AA" + filler(symbols, 33), "/getMe"},
		{"discord", "bot ", "MT" + filler(letters, 24) + "." + filler(symbols, 6) + "." + filler(symbols, 38), "\n"},
		{"discord-webhook", "https://discord.com/api/webhooks/", "123456789012345678/" + filler(symbols, 68), "\n"},
		{"digitalocean", " ", "dop" + "_v1_" + filler(lowerHex, 64), " "},
		{"shopify", " ", "shp" + "at_" + filler(lowerHex, 32), " "},
		{"vault", "VAULT_TOKEN=", "hv" + "s." + filler(symbols, 90), "\n"},
		{"databricks", "=", "da" + "pi" + filler(lowerHex, 32), "\n"},
		{"linear", "=", "lin" + "_api_" + filler(letters, 40), "\n"},
		{"notion", "=", "ntn" + "_" + filler(letters, 46), "\n"},
		{"notion", "=", "secret" + "_" + filler(letters, 43), "\n"},
		{"postman", "=", "PMAK" + "-" + filler(lowerHex, 24) + "-" + filler(lowerHex, 34), "\n"},
		{"azure-storage", "AccountName=x;AccountKey=", filler(base64ed, 86) + "==", ";EndpointSuffix=y"},
		{"doppler", "=", "dp" + ".pt." + filler(letters, 43), "\n"},
		{"grafana", "=", "glsa" + "_" + filler(letters, 32) + "_1a2b3c4d", "\n"},
		{"tailscale", "=", "tskey" + "-auth-" + filler(letters, 30), "\n"},
		{"atlassian", "=", "ATATT" + "3" + filler(symbols, 180), "\n"},
		{"age", "# key\n", "AGE" + "-SECRET-KEY-1" + filler(capitals, 58), "\n"},
		{"private-key", "key:\n", key, "\nnext"},
		{"private-key", `{"key":"`, quoted, `"}`},
		{"private-key", "armor\n", pgp, "\n(end)"},
		{"private-key", "cut\n", key[:200], " [output truncated]"},
		{"jwt", "cookie=", "ey" + "J" + filler(symbols, 40) + "." + filler(symbols, 90) + "." + filler(symbols, 43), "; path=/"},
		{"bearer", "Authorization: Bearer ", filler(letters, 40) + "9", "\r\n"},
		{"bearer", "authorization: bearer ", filler(lowerHex, 32), "\r\n"},
		{"url-password", "postgres://app:", "hunt" + "er2%40x", "@db.example:5432/x"},
		{"url-password", "redis://:", filler(letters, 12), "@cache"},
	}
}

func TestShapes(t *testing.T) {
	r := New()
	seen := map[string]bool{}
	for _, s := range samples() {
		seen[s.rule] = true
		got, counts := r.String(s.before + s.secret + s.after)
		if _, rest, ok := strings.Cut(got, ":"+s.rule+"]"); !ok || !strings.HasPrefix(got, s.before+opening) || !strings.HasSuffix(rest, strings.TrimLeft(s.after, " \n")) {
			t.Errorf("%s: got %q", s.rule, got)
		}
		check(t, s.rule+" counts", len(counts), 1)
		again, _ := r.String(got)
		check(t, s.rule+" twice", again, got)
	}
	for _, rule := range firstRules { // those of vendors are made at random
		if !seen[rule.name] {
			t.Errorf("rule %s has no sample", rule.name)
		}
	}
}

func TestNoSecret(t *testing.T) {
	id := filler(lowerHex, 64)
	uuid := id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:32]
	for name, text := range map[string]string{
		"git id":                 "commit " + id[:40],
		"long git id":            "object " + id,
		"UUID":                   "id=" + uuid,
		"UUID as a token":        "Bearer " + uuid,
		"git id as a token":      "Bearer " + id[:40],
		"git id in a URL":        "https://user:" + id[:40] + "@host/x",
		"integrity hash":         `"integrity": "sha512-` + "AK" + "IA" + filler(capitals, 40) + filler(base64ed, 42) + `=="`,
		"integrity hash, middle": "sha512-" + filler(base64ed, 20) + "/AK" + "IA" + filler(capitals, 40) + "==",
		"anchor alone":           "tokens begin with ghp_ or sk-ant- and so on",
		"anchor inside a word":   "task-" + filler(letters, 40),
		"short token":            "ghp" + "_" + filler(letters, 10),
		"certificate":            "-----BEGIN " + "CERTIFICATE-----\n" + filler(base64ed, 64) + "\n-----END " + "CERTIFICATE-----",
		"key header in prose":    "A file that begins with -----BEGIN " + "PRIVATE KEY----- is a key, and must not be committed to the repository by anybody.",
		"bearer in prose":        "Bearer authentication-is-required here",
		"template in a URL":      "postgres://${USER}:${PASSWORD}@host and http://%s:%s@host and ftp://u:<password>@h",
		"URL with a port":        "http://localhost:8080/a@b and https://example.org:443",
		"placeholder":            "see [redacted:token:github] and Bearer [redacted:api:main]",
	} {
		got, counts := New().String(text)
		check(t, name, got, text)
		check(t, name+" counts", len(counts), 0)
	}
}

func TestRegisteredForms(t *testing.T) {
	// The length decides how the forms of base64 end.
	for n := range 3 {
		registeredForms(t, "p4ss/w+rd <&> \"q\"\\"+filler(letters, 9+n))
		registeredForms(t, filler(symbols, minValue+n))
	}
}

func registeredForms(t *testing.T, secret string) {
	t.Helper()
	r := New()
	if err := r.Register("api", "main", secret); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(secret)
	std, web := base64.StdEncoding, base64.URLEncoding
	forms := map[string]string{
		"raw":                  secret,
		"JSON":                 strings.Trim(string(quoted), `"`),
		"URL query":            url.QueryEscape(secret),
		"URL path":             url.PathEscape(secret),
		"hex":                  hex.EncodeToString([]byte(secret)),
		"upper-case hex":       strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"base64":               std.EncodeToString([]byte(secret)),
		"base64 at 1":          std.EncodeToString([]byte("u" + secret + "x")),
		"base64 at 2":          std.EncodeToString([]byte("u:" + secret + "xy")),
		"base64 for URLs":      web.EncodeToString([]byte(secret)),
		"base64 for URLs at 1": web.EncodeToString([]byte("u" + secret)),
		"base64 for URLs at 2": web.EncodeToString([]byte("u:" + secret)),
	}
	for name, form := range forms {
		got, counts := r.String("x " + form + " y")
		if !strings.Contains(got, "[redacted:api:main]") || strings.Contains(got, form) {
			t.Errorf("%s: got %q", name, got)
		}
		// Base64 leaves the characters that the neighbours of the value decide too, and padding: three in front and six behind at most.
		check(t, name+" leftover", len(got) <= len("x [redacted:api:main] y")+9, true)
		check(t, name+" counts", slices.Equal(counts, []Count{{Class: "api", N: 1}}), true)
	}
}

func TestOverlaps(t *testing.T) {
	token := "ghp" + "_" + filler(letters, 36)
	id := filler(lowerHex, 40)
	r := New()
	for id, v := range map[string]string{"digits": "0123456789", "head": "alphabetic", "tail": "beticgamma", "inner": token[10:20], "bearer": "opaque-key-0001", "whole": "alphabetic-order"} {
		if err := r.Register("api", id, v); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ in, want string }{
		"two values that overlap":         {"<alphabeticgamma>", "<[redacted:api:head]>"},
		"a value inside a token":          {"<" + token + ">", "<[redacted:token:github]>"},
		"a value in the place of a token": {"Bearer opaque-key-0001.", "Bearer [redacted:api:bearer]"},
		"the longer of two values":        {"<alphabetic-order>", "<[redacted:api:whole]>"},
		"a value before a token":          {"alphabetic" + token, "[redacted:api:head][redacted:token:github]"},
		"a value that ends a git id":      {"Bearer " + id[:30] + "0123456789", "Bearer " + id[:30] + "[redacted:api:digits]"},
		"a value twice":                   {"alphabeticalphabetic", "[redacted:api:head][redacted:api:head]"},
	} {
		got, _ := r.String(c.in)
		check(t, name, got, c.want)
		again, _ := r.String(got)
		check(t, name+", twice", again, got)
	}
}

func TestRegisterRefuses(t *testing.T) {
	for name, c := range map[string]struct{ class, id, value string }{
		"a short value":             {"api", "main", "1234567"},
		"a value short but for ws":  {"api", "main", "  1234567\n"},
		"a long value":              {"api", "main", strings.Repeat("a", maxValue+1)},
		"an empty class":            {"", "main", "12345678"},
		"an id with a bracket":      {"api", "a]b", "12345678"},
		"an id with a colon":        {"api", "a:b", "12345678"},
		"part of every placeholder": {"api", "main", "redacted"},
		"part of its placeholder":   {"api", "production", "production"},
		"part of a rule's":          {"api", "main", "url-password"},
	} {
		r := New()
		err := r.Register(c.class, c.id, c.value)
		if err == nil {
			t.Errorf("%s: no error", name)
			continue
		}
		if c.value != c.id && strings.Contains(err.Error(), c.value) {
			t.Errorf("%s: the error tells the value: %v", name, err)
		}
		got, _ := r.String(c.value)
		check(t, name+" is not in force", got, c.value)
	}
}

func TestHasPlaceholder(t *testing.T) {
	for text, want := range map[string]bool{
		"a [redacted:token:github] b":          true,
		"[redacted: no [redacted:a:b]":         true,
		"[redacted:token]":                     false,
		"[redacted:a b:c]":                     false,
		"const opening = \"[redacted:\"":       false,
		"[redacted:CLASS:ID":                   false,
		"nothing":                              false,
		"[redacted:] and [redacted:x:y z] too": false,
	} {
		check(t, text, HasPlaceholder(text), want)
	}
}

func BenchmarkSource(b *testing.B) {
	text := source(b)
	r := New()
	for i := range 5 {
		if err := r.Register("api", "k"+filler(lowerHex, i+1), filler(letters, 30+i)); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, counts := r.String(text); counts != nil {
			b.Fatalf("found %v in source", counts)
		}
	}
}
