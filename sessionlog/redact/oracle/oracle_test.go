package oracle

import (
	"fmt"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/redact"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// anyName is in the expressions that know a token only by a name somewhere before it. What they match by chance is not what people write, so their tokens are shown as the value of a name.
const anyName = `[ \t\w.-]{0,20}`

// tokens is how many are made from each rule, and tries how often a text that gitleaks does not take is made anew.
const (
	tokens = 20
	tries  = 200
)

// write appends a random text that the expression matches. Repeats without a bound stop soon, and wide classes keep to letters and digits.
func write(b *strings.Builder, rnd *rand.Rand, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		text := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 { // the parser keeps capitals, and tokens are written in small letters
			text = strings.ToLower(text)
		}
		b.WriteString(text)
	case syntax.OpCharClass:
		b.WriteRune(runeOf(rnd, re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte(byte('a' + rnd.IntN(26)))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, rnd, sub)
		}
	case syntax.OpAlternate:
		write(b, rnd, re.Sub[rnd.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		for range times(rnd, re) {
			write(b, rnd, re.Sub[0])
		}
	}
}

func times(rnd *rand.Rand, re *syntax.Regexp) int {
	least, most := re.Min, re.Max
	switch re.Op {
	case syntax.OpStar:
		least, most = 0, 3
	case syntax.OpPlus:
		least, most = 1, 4
	case syntax.OpQuest:
		least, most = 0, 1
	}
	if most < 0 || most > least+8 {
		most = least + 8
	}
	return least + rnd.IntN(most-least+1)
}

// runeOf takes a printable character of a class, all of them with the same chance.
func runeOf(rnd *rand.Rand, ranges []rune) rune {
	var all []rune
	for i := 0; i < len(ranges); i += 2 {
		for r := max(ranges[i], ' '); r <= min(ranges[i+1], '~'); r++ {
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return '\n'
	}
	return all[rnd.IntN(len(all))]
}

// leftOut are the rules whose tokens do not count, and why: we let the shape through on purpose, or the expression is so wide that what is made from it is no token.
func leftOut() map[string]string {
	const id, wide, public = "a UUID or 40 hexadecimal digits, which may be a git id", "what the expression makes at random is no such token", "public"
	return map[string]string{
		"heroku-api-key": id, "hubspot-api-key": id, "kucoin-secret-key": id, "snyk-api-token": id, "squarespace-access-token": id, "cisco-meraki-api-key": id, "sendbird-access-token": id,
		"jwt": wide, "jwt-base64": wide, "private-key": wide, "grafana-api-key": wide, "new-relic-insert-key": wide, "curl-auth-header": wide, "curl-auth-user": wide, "slack-app-token": wide, "slack-legacy-token": wide, "slack-legacy-workspace-token": wide,
		"mailgun-pub-key": public,
	}
}

// TestGitleaksFindsNothingMore makes tokens from each rule of gitleaks. Those that gitleaks itself reports have to be gone from the redacted text.
func TestGitleaksFindsNothingMore(t *testing.T) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	left := leftOut()
	r := redact.New()
	all, hidden := 0, 0
	var report []string
	for id, rule := range d.Config.Rules {
		if rule.Regex == nil || strings.HasSuffix(id, "-id") || left[id] != "" { // an id is public
			continue
		}
		re, err := syntax.Parse(rule.Regex.String(), syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		made, gone := 0, 0
		for range tries {
			if made == tokens {
				break
			}
			var b strings.Builder
			write(&b, rnd, re)
			secret := ""
			for _, f := range d.DetectString(b.String()) {
				if f.RuleID == id {
					secret = f.Secret
				}
			}
			if secret == "" {
				continue
			}
			made++
			text := b.String()
			if strings.Contains(rule.Regex.String(), anyName) {
				text = strings.ReplaceAll(id, "-", "_") + ` = "` + secret + "\"\n"
			}
			got, _ := r.String(text)
			if !strings.Contains(got, secret) {
				gone++
			}
		}
		all, hidden = all+made, hidden+gone
		if gone < made || made == 0 {
			report = append(report, fmt.Sprintf("%s: %d of %d", id, gone, made))
		}
	}
	slices.Sort(report)
	t.Logf("hidden: %d of %d tokens of %d rules; not all of:\n%s", hidden, all, len(d.Config.Rules), strings.Join(report, "\n"))
	if hidden*100 < all*97 {
		t.Errorf("%d of %d tokens are hidden, want 97 in 100", hidden, all)
	}
}
