package guard

import (
	"os"
	"strings"
	"testing"
)

func TestEnvironmentIsScrubbed(t *testing.T) {
	secret := strings.Repeat("x", 3)
	kept := []string{"PATH=/bin", "HOME=/home/ann", "LANG=C", "GOFLAGS=-mod=mod", "GOPROXY=https://proxy.example,direct", "NODE_ENV=test", "KEYBOARD=us", "TOKENIZE=no", "PWDX=1", "http_proxy=http://proxy.example:8080"}
	dropped := []string{
		"GIT_DIR=/x", "git_dir=/x", "GIT_CONFIG_COUNT=1", "OPENAI_API_KEY=" + secret, "GITHUB_TOKEN=" + secret, "GITHUBTOKEN=" + secret, "AWS_ACCESS_KEY_ID=" + secret,
		"AWS_SECRET_ACCESS_KEY=" + secret, "CLIENT_SECRET=" + secret, "DB_PASSWORD=" + secret, "PGPASSWORD=" + secret, "MYSQL_PWD=" + secret, "npm_config__auth=" + secret,
		"SSH_AUTH_SOCK=/run/x", "GOOGLE_APPLICATION_CREDENTIALS=/x", "DATABASE_URL=x", "SOME_URL=https://ann:" + secret + "@host/", "GOPROXY2=https://ann:" + secret + "@host,direct", "BASH_ENV=/x",
		"not a variable",
	}
	b := setUp(t, nil, func(c *Config) {
		c.Env = func() []string { return append(append([]string{"TERM=xterm"}, dropped...), kept...) }
	})
	var got []string
	for _, kv := range b.scrubbed("/tree") {
		name, _, _ := strings.Cut(kv, "=")
		got = append(got, name)
		if name == "TERM" {
			check(t, kv, "TERM=dumb")
		}
	}
	checkLines(t, got, "PATH", "HOME", "LANG", "GOFLAGS", "GOPROXY", "NODE_ENV", "KEYBOARD", "PWDX", "http_proxy", "TERM", "GIT_TERMINAL_PROMPT", "NODWYN_SESSION", "PWD")
}

// A command for the person reaches their agents, and no other credential.
func TestACommandForThePersonReachesTheirAgents(t *testing.T) {
	b := setUp(t, nil, func(c *Config) {
		c.Env = func() []string {
			return []string{"PATH=" + os.Getenv("PATH"), "SSH_AUTH_SOCK=the-agent", "MY_API_KEY=" + strings.Repeat("x", 3)}
		}
	})
	for _, person := range []bool{false, true} {
		out, err := b.RunTrusted(t.Context(), Command{Argv: []string{"sh", "-c", "echo \"<$SSH_AUTH_SOCK$MY_API_KEY>\""}, ForPerson: person}, "test")
		if err != nil {
			t.Fatal(err)
		}
		want := "<>\n"
		if person {
			want = "<the-agent>\n"
		}
		check(t, out.Text, want)
	}
}
