package main

import (
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const madeBy = "# Made by `nodwyn setup`. The README tells what else can stand here; keys never do.\n\n"

// TestSetup: what set-up writes works, and where it does not, nothing is changed and the server's words say why.
func TestSetup(t *testing.T) {
	key := "key-" + rand.Text()
	for _, c := range []struct {
		name, stdin string
		args        []string
		code        int
		says, file  string
		asked       []string
	}{
		{
			"an Ollama by its name", "", []string{"--server", "ollama"}, exitDone, "it answered: ok",
			"[control]\nserver = \"ollama\"\nmodel = \"small:1b\"\ncontext = 16384\n\n[servers.ollama]\napi = \"ollama\"\nurl = \"URL\"\n",
			[]string{"/api/tags", "/api/show", "/api/show", "/api/chat"},
		},
		{
			"a server with a key on stdin", key + "\n", []string{"--server", "my_box", "--api", "openai", "--url", "URL/v1", "--model", "small-1", "--key-stdin"}, exitDone, "in a file that only you can read",
			"[control]\nserver = \"my_box\"\nmodel = \"small-1\"\n\n[servers.my_box]\napi = \"openai\"\nurl = \"URL/v1\"\ncredential = \"my-box\"\n",
			[]string{"/v1/chat/completions"},
		},
		{
			"without a test", "", []string{"--server", "a", "--api", "anthropic", "--url", "URL", "--model", "m", "--context", "1000", "--no-test"}, exitDone, "next: nodwyn run",
			"[control]\nserver = \"a\"\nmodel = \"m\"\ncontext = 1000\n\n[servers.a]\napi = \"anthropic\"\nurl = \"URL\"\n", nil,
		},
		{
			"a key that the server refuses, and repeats", "wrong-" + key, []string{"--server", "a", "--api", "anthropic", "--url", "URL", "--model", "m", "--key-stdin"}, exitFailed,
			"401 Unauthorized: authentication_error: the key [redacted:credential:a] is not good\nthe server does not accept the key: give another one\nnothing was changed", "", []string{"/v1/messages"},
		},
		{"a server that is not there", "", []string{"--server", "a", "--api", "script", "--url", "none.txt"}, exitFailed, "none.txt: no such file", "", nil},
		{"a service without a key", "", []string{"--server", "mistral"}, exitMisuse, "Mistral wants a key", "", nil},
		{"half of the flags", "", []string{"--server", "a"}, exitMisuse, "--api", "", nil},
		{"two keys", "", []string{"--server", "a", "--api", "openai", "--url", "URL", "--key-env", "A", "--key-stdin"}, exitMisuse, "another key", "", nil},
		{"no key on stdin", "\n", []string{"--server", "mistral", "--key-stdin"}, exitMisuse, "stdin holds no key", "", nil},
		{"a name that no table can have", "", []string{"--server", "a.b", "--api", "openai", "--url", "URL"}, exitMisuse, "letters, digits", "", nil},
		{"nobody to ask", "", nil, exitMisuse, "no terminal", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, s := atHome(t), newVendorServer(t, (*httptest.Server).Start)
			if slices.Contains(c.args, "--key-stdin") {
				s.key = key
			}
			t.Setenv("OLLAMA_HOST", s.URL)
			args := []string{"setup"}
			for _, a := range c.args {
				args = append(args, strings.ReplaceAll(a, "URL", s.URL))
			}
			code, out, errs := runHere(c.stdin, args...)
			if code != c.code || !strings.Contains(out+errs, c.says) {
				t.Errorf("got %d, %s%s, want %d, %s", code, out, errs, c.code, c.says)
			}
			want := ""
			if c.file != "" {
				want = madeBy + strings.ReplaceAll(c.file, "URL", s.URL)
			}
			got, err := os.ReadFile(filepath.Join(dir, "config.toml"))
			if string(got) != want {
				t.Errorf("config.toml: got %s, %v, want %s", got, err, want)
			}
			if got := s.paths(); !slices.Equal(got, c.asked) {
				t.Errorf("requests: got %q, want %q", got, c.asked)
			}
			if strings.Contains(out+errs, key) {
				t.Errorf("the key is shown: %s%s", out, errs)
			}
		})
	}
}

// TestSetupOverConfiguration: a file that exists is changed only where it must be, only with consent, and a copy is kept.
func TestSetupOverConfiguration(t *testing.T) {
	const before = "# mine\n[control] # the old one\nserver = \"old\"\nmodel = \"m\"\neffort = \"high\"\n\n# how careful\n[guard]\nread = \"ask\"\n\n[servers.old]\napi = \"openai\"\nurl = \"http://127.0.0.1:1/v1\"\n"
	const after = "# mine\n[control]\nserver = \"new\"\nmodel = \"n\"\n\n# how careful\n[guard]\nread = \"ask\"\n\n[servers.old]\napi = \"openai\"\nurl = \"http://127.0.0.1:1/v1\"\n\n[servers.new]\napi = \"ollama\"\nurl = \"http://127.0.0.1:1\"\n"
	args := []string{"setup", "--server", "new", "--api", "ollama", "--url", "http://127.0.0.1:1", "--model", "n", "--no-test"}
	dir := atHome(t)
	path := filepath.Join(dir, "config.toml")
	if err := writeFile(filepath.Join(dir, "real.toml"), before); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("real.toml", path); err != nil {
		t.Fatal(err)
	}
	code, _, errs := runHere("", args...)
	if code != exitFailed || !strings.Contains(errs, "-server = \"old\"\n") || !strings.Contains(errs, "+server = \"new\"\n") {
		t.Errorf("without consent: got %d, %s, want the difference", code, errs)
	}
	checkFile(t, path, before)
	for range 2 { // the second time nothing is left to change
		if code, out, errs := runHere("", append(args, "--yes")...); code != exitDone {
			t.Errorf("with consent: got %d, %s%s", code, out, errs)
		}
		checkFile(t, filepath.Join(dir, "real.toml"), after)
		checkFile(t, filepath.Join(dir, "real.toml.bak"), before)
	}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(names) != 3 {
		t.Errorf("files: got %q, %v, want the link, the file and one copy", names, err)
	}
	if err := writeFile(path, "[control]\nserver = \"old\"\nmodel = \"m\"\n[models.more]\nserver = \"none\"\nmodel = \"m\"\n"); err != nil {
		t.Fatal(err)
	}
	code, _, errs = runHere("", append(args, "--yes")...)
	if code != exitFailed || !strings.Contains(errs, "something else in it does not work yet") || !strings.Contains(errs, "models.more.server") {
		t.Errorf("a file of which one half is mended: got %d, %s", code, errs)
	}
	for _, c := range []struct{ text, want string }{
		{"[control\n", "correct that first, or move the file away"},
		{"control = { server = \"old\", model = \"m\" }\n[servers.old]\napi = \"ollama\"\nurl = \"http://127.0.0.1:1\"\n", "by hand\n\n[control]\nserver = \"new\""},
	} {
		if err := writeFile(path, c.text); err != nil {
			t.Fatal(err)
		}
		if code, _, errs := runHere("", append(args, "--yes")...); code != exitFailed || !strings.Contains(errs, c.want) {
			t.Errorf("%s: got %d, %s, want %s", c.text, code, errs, c.want)
		}
		checkFile(t, path, c.text)
	}
}

func TestSetTable(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "\n\n[a]\nx = 1\n"},
		{"at the end", "[b]\ny = 1", "[b]\ny = 1\n\n[a]\nx = 1\n"},
		{"in the middle", "[a]\nold = 1\n\n# of b\n[b]\n", "[a]\nx = 1\n\n# of b\n[b]\n"},
		{"the last one", "[b]\n[ a ] # that\nold = 1\n# old\n", "[b]\n[a]\nx = 1\n# old\n"},
		{"one that begins alike", "[ab]\nold = 1\n", "[ab]\nold = 1\n\n[a]\nx = 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := setTable(c.text, "a", "x = 1\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPick(t *testing.T) {
	ids := []string{"alpha", "beta-1", "beta-2", "7"}
	for _, c := range []struct {
		name, text string
		shown      []string
		id         string
		fewer      []string
	}{
		{"return takes the first", "", ids, "alpha", nil},
		{"return with nothing shown asks again", "", nil, "", ids},
		{"number of a line", "2", ids, "beta-1", nil},
		{"number of a line of fewer", "2", ids[1:3], "beta-2", nil},
		{"id that looks like a number too large", "7", ids, "7", nil},
		{"id", "beta-2", ids, "beta-2", nil},
		{"part of some", "BETA", ids, "", ids[1:3]},
		{"id that nobody listed", "gamma", ids, "gamma", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			id, fewer := pick(ids, c.shown, c.text)
			if got, want := fmt.Sprint(id, fewer), fmt.Sprint(c.id, c.fewer); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestDoctorModels(t *testing.T) {
	key := "key-" + rand.Text()
	for _, c := range []struct{ name, config, want string }{
		{"a model that is there", "[control]\nserver = \"s\"\nmodel = \"" + noTools + "\"\n[servers.s]\napi = \"ollama\"\nurl = \"URL\"\n", "ok  control: sessions talk to embedder on s (URL), which has it\n"},
		{"a model that is not", "[control]\nserver = \"s\"\nmodel = \"other\"\n[servers.s]\napi = \"openai\"\nurl = \"URL/v1\"\n", "FIX control: s (URL/v1) has no model \"other\"\n      it has small-1, small-2; `nodwyn setup` chooses one\n"},
		{"a server that does not list", "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"openai\"\nurl = \"URL\"\n", "ok  control: s (URL) answers and does not list its models"},
		{"a key that is refused", "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"anthropic\"\nurl = \"URL\"\nkey_env = \"ANTHROPIC_API_KEY\"\n", "FIX control: s (URL): 401 Unauthorized: authentication_error: the key [redacted:key:ANTHROPIC_API_KEY] is not good\n      the server does not accept the key"},
		{"a key that is not stored", "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"anthropic\"\nurl = \"URL\"\ncredential = \"mine\"\n", "`nodwyn cred register mine`\n"},
		{"a server that is gone", "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"ollama\"\nurl = \"http://127.0.0.1:1\"\n", "connection refused\n      start the server with `ollama serve`"},
		{"no configuration and an Ollama", "", "ok  control: sessions talk to small:1b on ollama (URL), which has it\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, s := atHome(t), newVendorServer(t, (*httptest.Server).Start)
			t.Setenv("OLLAMA_HOST", s.URL)
			t.Setenv("ANTHROPIC_API_KEY", key)
			if c.config != "" {
				if err := writeFile(filepath.Join(dir, "config.toml"), strings.ReplaceAll(c.config, "URL", s.URL)); err != nil {
					t.Fatal(err)
				}
			}
			_, out, errs := runHere("", "doctor")
			if want := strings.ReplaceAll(c.want, "URL", s.URL); !strings.Contains(out, want) {
				t.Errorf("got %s%s, want %s in it", out, errs, want)
			}
		})
	}
}
