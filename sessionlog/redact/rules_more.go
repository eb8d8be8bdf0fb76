package redact

// anyHex is hexadecimal in either case; the first rules knew small letters alone.
var anyHex = newSet("09afAF")

// more are shapes of the third version: those that a comparison with another tool's rules found missing, and wider alphabets for some that were too narrow.
var more = []rule{
	{name: "clojars", class: "token", since: 3, anchors: []string{"CLOJARS_", "clojars_"}, run: alnum, least: 50},
	{name: "clickhouse", class: "token", since: 3, anchors: []string{"4b1d"}, run: alnum, least: 38, digit: true},
	{name: "defined", class: "token", since: 3, anchors: []string{"dnkey-"}, run: with(wordBytes, "="), least: 60},
	{name: "frameio", class: "token", since: 3, anchors: []string{"fio-u-"}, run: with(wordBytes, "="), least: 60},
	{name: "harness", class: "token", since: 3, anchors: []string{"pat.", "sat."}, run: dotted, least: 60, digit: true},
	{name: "infracost", class: "token", since: 3, anchors: []string{"ico-"}, run: alnum, least: 32, digit: true},
	{name: "intra", class: "token", since: 3, anchors: []string{"s-s4t2ud-", "s-s4t2af-"}, run: anyHex, least: 60},
	{name: "octopus", class: "token", since: 3, anchors: []string{"API-"}, run: upper, least: 26, digit: true},
	{name: "openshift", class: "token", since: 3, anchors: []string{"sha256~"}, run: wordBytes, least: 43},
	{name: "scalingo", class: "token", since: 3, anchors: []string{"tk-us-", "tk-eu-"}, run: wordBytes, least: 48},
	{name: "settlemint", class: "token", since: 3, anchors: []string{"sm_aat_", "sm_pat_", "sm_sat_"}, run: alnum, least: 16, digit: true},
	{name: "authress", class: "token", since: 3, anchors: []string{"sc_", "ext_", "scauth_", "authress_"}, run: with(base64Set, "._-"), least: 50, digit: true},
	{name: "slack-old", class: "token", since: 3, anchors: []string{"xoxo-", "xoxa-2-", "xoxe.xoxb-", "xoxe.xoxp-"}, run: wordBytes, least: 14, digit: true},
	{name: "flutterwave-test", class: "token", since: 3, anchors: []string{"FLWSECK_TEST-", "FLWPUBK_TEST-"}, run: wordBytes, least: 12, digit: true},
	{name: "square-short", class: "token", since: 3, anchors: []string{"EAAA"}, run: wordBytes, least: 22, digit: true},
	{name: "bedrock-short", class: "token", since: 3, anchors: []string{"bedrock-api-key-"}, run: base64Set, least: 20},
	{name: "azure-app", class: "token", since: 3, inside: true, anchors: []string{"0Q~", "1Q~", "2Q~", "3Q~", "4Q~", "5Q~", "6Q~", "9Q~"}, run: with(dotted, "~"), least: 31},
	{name: "gitlab-session", class: "token", since: 3, inside: true, keep: true, anchors: []string{"_gitlab_session="}, run: alnum, least: 32},
	{name: "shopify-hex", class: "token", since: 3, anchors: []string{"shpat_", "shpca_", "shppa_", "shpss_"}, run: anyHex, least: 32},
	{name: "shippo-hex", class: "token", since: 3, anchors: []string{"shippo_live_", "shippo_test_"}, run: anyHex, least: 40},
	{name: "digitalocean-hex", class: "token", since: 3, anchors: []string{"dop_v1_", "doo_v1_", "dor_v1_"}, run: anyHex, least: 64},
	{name: "twilio-hex", class: "token", since: 3, anchors: []string{"SK"}, run: anyHex, least: 32, digit: true},
	{name: "planetscale-wide", class: "token", since: 3, anchors: []string{"pscale_tkn_", "pscale_oauth_", "pscale_pw_"}, run: with(dotted, "="), least: 32},
	{name: "duffel-wide", class: "token", since: 3, anchors: []string{"duffel_test_", "duffel_live_"}, run: with(wordBytes, "="), least: 43},
	{name: "sendgrid-wide", class: "token", since: 3, anchors: []string{"SG."}, run: with(dotted, "="), least: 60, digit: true},
	{name: "terraform-wide", class: "token", since: 3, inside: true, anchors: []string{".atlasv1."}, run: with(wordBytes, "="), least: 60},
	{name: "aws-oldest", class: "token", since: 3, anchors: []string{"A3T"}, run: upper, least: 17, digit: true},
}
