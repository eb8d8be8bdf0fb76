package agent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestCleanTitle(t *testing.T) {
	for reply, want := range map[string]string{
		"Greet the world":                              "Greet the world",
		"\n\n\"Greet the world.\"\nBecause":            "Greet the world",
		"\"Greet the world\".":                         "Greet the world",
		"**Greet the world**":                          "Greet the world",
		"**\"Greet the world\"**":                      "Greet the world",
		"# Title: Greet the world":                     "Greet the world",
		"TITLE: “Greet the world”":                     "Greet the world",
		"```\nGreet the world\n```":                    "Greet the world",
		"<think>\nA name…\n</think>\n\nGreet everyone": "Greet everyone",
		"<think>and never an answer":                   "",
		"Rename \"foo\"":                               "Rename \"foo\"",
		"\"foo\" becomes \"bar\"":                      "\"foo\" becomes \"bar\"",
		"a\x1b[31mb\u202ec\r":                          "a[31mbc",
		"":                                             "",
		"...":                                          "",
		"\"":                                           "\"",
		"I'm sorry, but I can't help with that.":       "",
		"I’m unable to name this":                      "",
		strings.Repeat("123456789 ", 6) + "1":          strings.TrimSpace(strings.Repeat("123456789 ", 6)) + "…",
		strings.Repeat("ü", 60):                        strings.Repeat("ü", 60),
	} {
		if got := cleanTitle(reply); got != want {
			t.Errorf("%q: got %q, want %q", reply, got, want)
		}
	}
}

func TestCleanMessage(t *testing.T) {
	for reply, want := range map[string]string{
		"greet: name the world":                              "greet: name the world\n",
		"greet: name the world\n\nNobody was.\n":             "greet: name the world\n\nNobody was.\n",
		"greet: name the world\nNobody was.":                 "greet: name the world\n\nNobody was.\n",
		"```\ngreet: name the world\n```\nHope it helps":     "greet: name the world\n",
		"```text\ngreet: name the world\n\nNobody was.\n```": "greet: name the world\n\nNobody was.\n",
		"Here it is:\n\n```\ngreet: name the world\n```":     "greet: name the world\n",
		"greet: name the world\n\nAs in\n```\nhi\n```":       "greet: name the world\n\nAs in\n```\nhi\n```\n",
		"\"greet\"":                       "greet\n",
		"\"greet\" is \"hello\" now":      "\"greet\" is \"hello\" now\n",
		"greet: a\r\n\r\nb\r\n":           "greet: a\n\nb\n",
		"   ":                             "",
		"```":                             "",
		"```\n```":                        "",
		"Sorry, there is no change here.": "",
		strings.Repeat("x", 73):           strings.Repeat("x", 71) + "…\n",
		"A whole explanation. " + strings.Repeat("It goes on and on. ", 20):  "",
		"greet: name the world\n\n" + strings.Repeat("Nobody was.\n", 1<<10): "",
	} {
		if got := cleanMessage(reply); got != want {
			t.Errorf("%q: got %q, want %q", reply, got, want)
		}
	}
}

func FuzzCleanWords(f *testing.F) {
	for _, seed := range []string{"", "\"a\"", "```\nx\n```\n", "**_\"x\"_**.", "<think>x</think>", "a\n\nb", "\xff\xfe"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, reply string) {
		title, message := cleanTitle(reply), cleanMessage(reply)
		if utf8.RuneCountInString(title) > maxTitle || strings.ContainsAny(title, "\n\r\x1b\u202e") {
			t.Errorf("%q: got title %q", reply, title)
		}
		if message == "" {
			return
		}
		subject, body, _ := strings.Cut(message, "\n")
		if strings.TrimSpace(subject) == "" || utf8.RuneCountInString(subject) > maxSubject || !strings.HasSuffix(message, "\n") {
			t.Errorf("%q: got message %q", reply, message)
		}
		if body != "" && (!strings.HasPrefix(body, "\n") || strings.TrimSpace(body) == "") {
			t.Errorf("%q: got a body %q", reply, body)
		}
	})
}
