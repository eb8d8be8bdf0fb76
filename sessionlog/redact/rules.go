package redact

import "slices"

// rule describes one kind of token by its anchor, the text that every such token has, and by what must follow.
type rule struct {
	// name is the id in the placeholder, class its class.
	name, class string
	// since is the Version that added the rule.
	since int
	// inside says that the anchor may stand inside a word.
	inside bool
	// keep leaves the anchor in the text: it says where a secret stands and is none itself.
	keep    bool
	anchors []string
	// run are the bytes of the token behind its anchor; it has least of them, a digit early among them if digit is set, and goes on as long as they do. There is no upper limit, so that a token is hidden whole whatever its kind grows to.
	run   set
	least int
	digit bool
	// match decides instead, for tokens that are not an anchor and a run.
	match func(window) (span, verdict)
}

// digitWithin is how early in a run its digit must stand.
const digitWithin = 64

// rules are the known shapes. A rule is never changed, only replaced by one of a later version.
var rules = slices.Concat(firstRules, vendors, more, assignments)

var firstRules = []rule{
	{name: "github", class: "token", since: 1, anchors: []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, run: wordBytes, least: 36},
	{name: "github-pat", class: "token", since: 1, anchors: []string{"github_pat_"}, run: wordBytes, least: 40},
	{name: "gitlab", class: "token", since: 1, anchors: []string{"glpat-", "gldt-", "glrt-", "glptt-"}, run: dotted, least: 20},
	{name: "aws", class: "token", since: 1, anchors: []string{"AKIA", "ASIA"}, run: upper, least: 16},
	{name: "slack", class: "token", since: 1, anchors: []string{"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xapp-"}, run: wordBytes, least: 20, digit: true},
	{name: "slack-webhook", class: "url", since: 1, inside: true, keep: true, anchors: []string{"hooks.slack.com/services/"}, run: tokenSet, least: 24},
	{name: "stripe", class: "token", since: 1, anchors: []string{"sk_live_", "rk_live_", "sk_test_", "rk_test_", "whsec_"}, run: alnum, least: 16},
	{name: "google", class: "token", since: 1, anchors: []string{"AIza"}, run: wordBytes, least: 35},
	{name: "google-oauth", class: "token", since: 1, anchors: []string{"GOCSPX-", "ya29."}, run: dotted, least: 24},
	{name: "openai", class: "token", since: 1, anchors: []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"}, run: wordBytes, least: 32, digit: true},
	{name: "openai-legacy", class: "token", since: 1, anchors: []string{"sk-"}, run: alnum, least: 32, digit: true},
	{name: "anthropic", class: "token", since: 1, anchors: []string{"sk-ant-"}, run: wordBytes, least: 24, digit: true},
	{name: "groq", class: "token", since: 1, anchors: []string{"gsk_"}, run: alnum, least: 40},
	{name: "xai", class: "token", since: 1, anchors: []string{"xai-"}, run: alnum, least: 60},
	{name: "npm", class: "token", since: 1, anchors: []string{"npm_"}, run: alnum, least: 36},
	{name: "pypi", class: "token", since: 1, anchors: []string{"pypi-AgE"}, run: wordBytes, least: 40},
	{name: "huggingface", class: "token", since: 1, anchors: []string{"hf_"}, run: alnum, least: 30},
	{name: "docker", class: "token", since: 1, anchors: []string{"dckr_pat_", "dckr_oat_"}, run: wordBytes, least: 24},
	{name: "sendgrid", class: "token", since: 1, anchors: []string{"SG."}, run: dotted, least: 60, digit: true},
	{name: "twilio", class: "token", since: 1, anchors: []string{"SK"}, run: hexDigits, least: 32},
	{name: "telegram", class: "token", since: 1, inside: true, anchors: []string{":AA"}, match: telegram},
	{name: "discord", class: "token", since: 1, anchors: []string{"MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT"}, match: discord},
	{name: "discord-webhook", class: "url", since: 1, inside: true, keep: true, anchors: []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, run: tokenSet, least: 60},
	{name: "digitalocean", class: "token", since: 1, anchors: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, run: hexDigits, least: 64},
	{name: "shopify", class: "token", since: 1, anchors: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, run: hexDigits, least: 32},
	{name: "vault", class: "token", since: 1, anchors: []string{"hvs.", "hvb.", "hvr."}, run: wordBytes, least: 24},
	{name: "databricks", class: "token", since: 1, anchors: []string{"dapi"}, run: hexDigits, least: 32},
	{name: "linear", class: "token", since: 1, anchors: []string{"lin_api_", "lin_oauth_"}, run: alnum, least: 32},
	{name: "notion", class: "token", since: 1, anchors: []string{"ntn_", "secret_"}, run: alnum, least: 43},
	{name: "postman", class: "token", since: 1, anchors: []string{"PMAK-"}, run: wordBytes, least: 50, digit: true},
	{name: "azure-storage", class: "key", since: 1, inside: true, keep: true, anchors: []string{"AccountKey="}, run: base64Set, least: 40},
	{name: "doppler", class: "token", since: 1, anchors: []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."}, run: dotted, least: 40},
	{name: "grafana", class: "token", since: 1, anchors: []string{"glsa_", "glc_"}, run: base64Set, least: 32},
	{name: "tailscale", class: "token", since: 1, anchors: []string{"tskey-"}, run: wordBytes, least: 24, digit: true},
	{name: "atlassian", class: "token", since: 1, anchors: []string{"ATATT3"}, run: wordBytes, least: 60},
	{name: "age", class: "key", since: 1, anchors: []string{"AGE-SECRET-KEY-1"}, run: upper, least: 50},
	{name: "private-key", class: "key", since: 1, inside: true, anchors: []string{"-----BEGIN "}, match: pem},
	{name: "jwt", class: "token", since: 1, anchors: []string{"eyJ"}, match: jwt},
	{name: "bearer", class: "token", since: 1, anchors: []string{"Bearer ", "bearer ", "BEARER "}, match: bearer},
	{name: "url-password", class: "password", since: 1, inside: true, anchors: []string{"://"}, match: userinfo},
}

func (r *rule) mark() mark { return mark{class: r.class, id: r.name} }

// evidence asks whether what follows the anchor makes it a token.
func (r *rule) evidence(w window) (span, verdict) {
	if r.match != nil {
		return r.match(w)
	}
	limit := r.least
	if r.digit {
		limit = max(limit, digitWithin)
	}
	n, known := w.count(&r.run, w.body, limit)
	if n >= r.least && (!r.digit || hasDigit(w.s[w.body:w.body+n])) {
		return r.token(w), w.unlessHash()
	}
	if !known {
		return span{}, wait
	}
	return span{}, no
}

// token returns the span of a token whose run is long enough.
func (r *rule) token(w window) span {
	s := span{start: w.at, end: w.body + r.least, more: r.run}
	if r.keep {
		s.start = w.body
	}
	return s
}

func hasDigit(s string) bool {
	for i := range len(s) {
		if digits.has(s[i]) {
			return true
		}
	}
	return false
}
