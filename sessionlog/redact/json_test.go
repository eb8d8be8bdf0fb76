package redact

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestJSON(t *testing.T) {
	token := "ghp" + "_" + filler(letters, 36)
	r := New()
	if err := r.Register("api", "main", "se\"cr\\et\nvalue"); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ in, want string }{
		"nothing to hide":          {` { "b" : 1.50, "a":[1e3,null ,"x\u0041\/"] } `, ` { "b" : 1.50, "a":[1e3,null ,"x\u0041\/"] } `},
		"a token":                  {`{"b":1.50,"a":"t ` + token + ` \u0041"}`, `{"b":1.50,"a":"t [redacted:token:github] A"}`},
		"a token that is escaped":  {`["\u0067hp` + token[3:] + `"]`, `["[redacted:token:github]"]`},
		"a value behind escapes":   {`["se\"cr\\et\nvalue"]`, `["[redacted:api:main]"]`},
		"a value escaped twice":    {`["{\"v\":\"se\\\"cr\\\\et\\nvalue\"}"]`, `["{\"v\":\"[redacted:api:main]\"}"]`},
		"names of members":         {`{"` + token + `":1,"` + token + `x" : 2,"z":"` + token + `"}`, `{"[redacted:token:github]":1,"[redacted:token:github] 2" : 2,"z":"[redacted:token:github]"}`},
		"line separators":          {"[\"\u2028" + token + "\"]", `["\u2028[redacted:token:github]"]`},
		"a name that stands there": {`{"[redacted:token:github]":1,"` + token + `":2}`, `{"[redacted:token:github]":1,"[redacted:token:github] 2":2}`},
		"no UTF-8":                 {"[\"\xff " + token + "\"]", "[\"\ufffd [redacted:token:github]\"]"},
	} {
		got, counts, err := r.JSON([]byte(c.in))
		check(t, name+" error", err, nil)
		check(t, name, string(got), c.want)
		check(t, name+" counted", len(counts) > 0, c.in != c.want)
		again, _, _ := r.JSON(got)
		check(t, name+" twice", string(again), string(got))
	}
}

func TestJSONRefuses(t *testing.T) {
	for _, in := range []string{"", "{", `{"a":1} {}`, `"open`, "nul", `["\q"]`} {
		if _, _, err := New().JSON([]byte(in)); err == nil {
			t.Errorf("%q: no error", in)
		}
	}
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"a":["x",{"b":1.0}],"c":"ghp` + `_` + filler(letters, 36) + `"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		out, counts, err := New().JSON(raw)
		if err != nil {
			return
		}
		if !jsontext.Value(out).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
			t.Fatalf("%q became %q, which is no JSON", raw, out)
		}
		if counts == nil {
			check(t, "untouched", string(out), string(raw))
		}
		again, _, err := New().JSON(out)
		check(t, "error", err, nil)
		check(t, "twice", string(again), string(out))
	})
}
