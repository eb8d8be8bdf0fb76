package redact

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// pick makes n random bytes of an alphabet.
func pick(rnd *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[rnd.IntN(len(alphabet))]
	}
	return string(b)
}

// TestAssignmentsAreHidden makes values as people and generators choose them, under the names and in the notations they are found in.
func TestAssignmentsAreHidden(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	r := New()
	notations := []string{"export DB_PASSWORD=%s\n", "api_key: %s\n", `"clientSecret": "%s",`, `const authToken = "%s";`, "x := Config{Password: \"%s\"}", "SECRET_KEY_BASE='%s'\n", "auth.token = %s\n", `{\"access_token\":\"%s\"}`, "'passwd' => '%s',", "tool --password %s -v", "X-Api-Key: %s\r\n"}
	makers := map[string]func() string{
		"word of a person": func() string {
			return "Winter" + pick(rnd, "0123456789", 4) + pick(rnd, "!#%&*?", 2) + pick(rnd, letters, 2)
		},
		"random":             func() string { return pick(rnd, letters, 16+rnd.IntN(24)) },
		"random and symbols": func() string { return pick(rnd, letters+"!@#%^&*", 14+rnd.IntN(10)) },
		"hexadecimal":        func() string { return pick(rnd, lowerHex, 32) },
		"long hexadecimal":   func() string { return pick(rnd, lowerHex, 64) },
		"base64":             func() string { return pick(rnd, base64ed, 43) + "=" },
	}
	all, hidden := 0, 0
	for kind, value := range makers {
		found, tries := 0, 0
		for range 50 {
			for _, notation := range notations {
				secret := value()
				text := fmt.Sprintf(notation, secret)
				got, _ := r.String(text)
				if got == fmt.Sprintf(notation, "[redacted:secret:assignment]") || got == fmt.Sprintf(notation, "[redacted:secret:flag]") {
					found++
				}
				again, _ := r.String(got)
				check(t, "twice", again, got)
				tries++
			}
		}
		t.Logf("%s: %d of %d", kind, found, tries)
		all, hidden = all+tries, hidden+found
	}
	if hidden*100 < all*80 {
		t.Errorf("%d of %d values are hidden, want 80 in 100", hidden, all)
	}
}

func TestNoAssignment(t *testing.T) {
	id := filler(lowerHex, 40)
	value := filler(letters, 30)
	for name, text := range map[string]string{
		"another name":            "checksum = " + value,
		"a call":                  "password := readPassword2From3(os.Stdin)",
		"an identifier":           "token = parseTokenFromRequest",
		"a template":              "password: ${VAULT_1a2B3c4D5e}",
		"a short value":           "token = t0k3n",
		"a count":                 "maxTokens: 1000000000000",
		"a git id":                "token = " + id,
		"a UUID":                  "secret=" + id[:8] + "-" + id[8:12] + "-" + id[12:16] + "-" + id[16:20] + "-" + id[20:32],
		"a comparison":            "password == " + value,
		"a placeholder":           "password=[redacted:api:main] [redacted:token:a1B2c3D4e5F6]",
		"a value that is indexed": "secret = " + value + "[0]",
	} {
		got, _ := New().String(text)
		check(t, name, got, text)
	}
}

func TestLongAssignmentIsHiddenWhole(t *testing.T) {
	got, _ := New().String("token = " + filler(letters, 3*maxGuess) + "; next")
	check(t, "a long value", got, "token = [redacted:secret:assignment]; next")
}
