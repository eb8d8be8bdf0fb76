package redact

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// goRoot returns where the Go tree stands.
func goRoot(tb testing.TB) string {
	tb.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(string(root))
}

// source returns Go source of the standard library, as much as makes a fair text.
func source(tb testing.TB) string {
	tb.Helper()
	files, err := filepath.Glob(filepath.Join(goRoot(tb), "src", "net", "http", "*.go"))
	if err != nil || len(files) == 0 {
		tb.Skip("the Go tree has no source")
	}
	var b strings.Builder
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

// values registers some values and returns all their forms, none of which a stream may ever show.
func values(tb testing.TB, r *Redactor) []string {
	tb.Helper()
	var all []string
	for i, v := range []string{"correct horse battery staple", filler(symbols, 24), "zzzzzzzzzzzzzzzzzzzz", "-----BEGINning", "multi\nline secret"} {
		if err := r.Register("api", fmt.Sprint("k", i), v); err != nil {
			tb.Fatal(err)
		}
		all = append(all, forms(v)...)
	}
	return all
}

// compose strings together prose, secrets, halves of secrets and glue.
func compose(rnd *rand.Rand, secrets []string) string {
	plain := []string{" ", "\n", "word ", "wörld\n", "日本語", "ghp_", "-----BEGIN ", "Bearer ", "://user:", "@", "eyJ", ".", "[redacted:a:b]", `\n`, "%3D", "sha512-", "=", "123456789:AA", "password=", `"api_key" : "`, "token := ", "--secret ", "Winter4711xY9", "(", ""}
	var b strings.Builder
	for range 1 + rnd.IntN(12) {
		s := secrets[rnd.IntN(len(secrets))]
		switch rnd.IntN(5) {
		case 0:
			b.WriteString(s)
		case 1:
			b.WriteString(s[:rnd.IntN(len(s)+1)])
		case 2:
			b.WriteString(s[rnd.IntN(len(s)+1):])
		default:
			b.WriteString(plain[rnd.IntN(len(plain))])
		}
		b.WriteString(plain[rnd.IntN(len(plain))])
	}
	return b.String()
}

// split streams a text in random pieces and calls shown with all that was shown so far.
func split(rnd *rand.Rand, r *Redactor, text string, most int, shown func(string)) string {
	s := r.Stream()
	var out strings.Builder
	for text != "" {
		n := 1 + rnd.IntN(min(most, len(text)))
		out.WriteString(s.Write(text[:n]))
		shown(out.String())
		text = text[n:]
	}
	out.WriteString(s.Close())
	return out.String()
}

// TestStreamEqualsWhole splits 20,000 texts at random, or 100,000 with NODWYN_STRESS.
func TestStreamEqualsWhole(t *testing.T) {
	seeds := uint64(20_000)
	if os.Getenv("NODWYN_STRESS") != "" {
		seeds = 100_000
	}
	r := New()
	hidden := values(t, r)
	parts := slices.Clone(hidden)
	for _, s := range samples() {
		parts = append(parts, s.secret)
	}
	for _, r := range slices.Concat(vendors, more) {
		parts = append(parts, tokensOf(rand.New(rand.NewPCG(1, 1)), r)...)
	}
	for seed := range seeds {
		rnd := rand.New(rand.NewPCG(seed, 1))
		text := compose(rnd, parts)
		want, _ := r.String(text)
		got := split(rnd, r, text, 1+rnd.IntN(40), func(so string) {
			if !strings.HasPrefix(want, so) {
				t.Fatalf("seed %d: showed %q, which is no beginning of %q", seed, so, want)
			}
		})
		again, _ := r.String(want)
		check(t, fmt.Sprintf("seed %d of %q", seed, text), got, want)
		check(t, fmt.Sprintf("seed %d twice, of %q", seed, text), again, want)
		for _, v := range hidden {
			if strings.Contains(got, v) {
				t.Errorf("seed %d: %q shows %q", seed, got, v)
			}
		}
		if t.Failed() {
			return
		}
	}
}

func TestStreamHidesTokens(t *testing.T) {
	r := New()
	all := samples()
	for seed := range uint64(2_000) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		var text strings.Builder
		for range 5 {
			s := all[rnd.IntN(len(all))]
			text.WriteString(" some words " + s.before + s.secret + s.after)
		}
		got := split(rnd, r, text.String(), 1+rnd.IntN(40), func(string) {})
		for _, s := range all {
			if strings.Contains(got, s.secret) {
				t.Fatalf("seed %d: %q shows %q", seed, got, s.secret)
			}
		}
	}
}

func TestStreamShowsWords(t *testing.T) {
	r := New()
	if err := r.Register("api", "main", "correct horse"); err != nil {
		t.Fatal(err)
	}
	token := "ghp" + "_" + filler(letters, 36)
	s := r.Stream()
	for _, step := range []struct{ piece, want string }{
		{"Hel", ""},
		{"lo wor", "Hello "},
		{"ld. corr", "world. "},
		{"ect tone, correct ", "correct tone, "},
		{"horse and ", "[redacted:api:main] and "},
		{"g", ""},
		{token[1:20], ""},
		{token[20:], ""},
		{" ok\n", "[redacted:token:github] ok\n"},
		{"日本", "日本"},
		{"end", ""},
	} {
		check(t, step.piece, s.Write(step.piece), step.want)
	}
	check(t, "close", s.Close(), "end")
}

// TestStreamWaitsBetween cuts a stream where a token is recognised but not begun, and a value may begin before it.
func TestStreamWaitsBetween(t *testing.T) {
	r := New()
	token := filler(letters, 30)
	if err := r.Register("api", "main", "rer "+token+"! and much more text"); err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("word ", 100) + "Bearer " + token + "! and much less"
	want, _ := r.String(text)
	check(t, "whole", want, strings.Repeat("word ", 100)+"Bearer [redacted:token:bearer]! and much less")
	for cut := range text {
		s := r.Stream()
		check(t, fmt.Sprint("cut at ", cut), s.Write(text[:cut])+s.Write(text[cut:])+s.Close(), want)
	}
}

func TestStreamIsBounded(t *testing.T) {
	r := New()
	s := r.Stream()
	shown := 0
	for i := range 100 {
		shown += len(s.Write(filler(symbols, 997)))
		if held := (i+1)*997 - shown; held > 2*maxHold {
			t.Fatalf("after %d pieces without white space %d bytes are held", i+1, held)
		}
	}
	s = r.Stream()
	token := "ghp" + "_" + filler(letters, 100_000)
	for i := 0; i < len(token); i += 1000 {
		check(t, "a very long token", s.Write(token[i:min(i+1000, len(token))]), "")
	}
	check(t, "its end", s.Write(" x "), "[redacted:token:github] x ")
}

func FuzzStream(f *testing.F) {
	for _, s := range samples() {
		f.Add(s.before+s.secret+s.after, uint64(1))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := New()
		values(t, r)
		want, _ := r.String(text)
		got := split(rand.New(rand.NewPCG(seed, 2)), r, text, 9, func(string) {})
		check(t, "stream", got, want)
		again, _ := r.String(want)
		check(t, "twice", again, want)
	})
}

func BenchmarkStream(b *testing.B) {
	text := source(b)[:200_000]
	r := New()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		s := r.Stream()
		for i := 0; i < len(text); i += 5 {
			s.Write(text[i:min(i+5, len(text))])
		}
		s.Close()
	}
}
