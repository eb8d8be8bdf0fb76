package guard

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// secretWords are parts of the names of variables that hold credentials.
var secretWords = [...]string{
	"AUTH", "APIKEY", "COOKIE", "CRED", "CREDENTIAL", "CREDENTIALS", "CREDS", "DSN", "KEY", "KEYS", "PASS", "PASSPHRASE", "PAT", "PRIVATE", "PWD", "SECRET", "SECRETS", "TOKEN", "TOKENS",
}

// secretParts are the same, wherever they stand in a name.
var secretParts = [...]string{"APIKEY", "PASSWORD", "PASSWD", "SECRET", "TOKEN"}

// agentNames reach programs or files that hold credentials, or make a shell run something first.
var agentNames = [...]string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "GPG_AGENT_INFO", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "DOCKER_CONFIG",
	"KUBECONFIG", "NETRC", "PGPASSFILE", "PGSERVICEFILE", "DATABASE_URL", "REDIS_URL", "MONGODB_URI", "AWS_PROFILE", "AWS_CONFIG_FILE", "BASH_ENV", "ENV",
}

// personNames lead to what proves who the person is: the agents and helpers that hold their keys, and what those need to ask them. Only git has them, where it signs or pushes for the person.
var personNames = [...]string{
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "GNUPGHOME", "GPG_TTY", "GPG_AGENT_INFO", "PINENTRY_USER_DATA",
	"DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "GIT_SSH_COMMAND", "GIT_SSH", "GIT_ASKPASS",
}

// plainNames look like secrets and are none.
var plainNames = [...]string{"PWD", "OLDPWD"}

// gitNames are what git needs to find its programs, its temporary folder and the person's own configuration, on every system.
var gitNames = [...]string{
	"PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
}

// forGit keeps what gitNames lists. What a list of secrets to drop forgets would reach every filter, so this is a list of what to keep.
func forGit(env []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(gitNames[:], strings.ToUpper(name)) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// forPerson keeps what personNames lists.
func forPerson(env []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if slices.Contains(personNames[:], strings.ToUpper(name)) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// scrubbed returns the environment of a command: what there is, without what git would obey and without credentials.
func (s *shared) scrubbed(dir string) []string {
	var env []string
	for _, kv := range s.cfg.environment() {
		name, value, ok := strings.Cut(kv, "=")
		if ok && !isSecret(name, value) {
			env = append(env, kv)
		}
	}
	env = append(env, "TERM=dumb", "GIT_TERMINAL_PROMPT=0", "NODWYN_SESSION="+s.cfg.Session, "PWD="+dir)
	if s.cfg.Worktree {
		// In a tree that lost its .git, git would go on looking above and find the person's checkout.
		env = append(env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(s.cfg.Root))
	}
	return lastWins(env)
}

func isSecret(name, value string) bool {
	name = strings.ToUpper(name)
	if strings.HasPrefix(name, "GIT_") || slices.Contains(agentNames[:], name) {
		return true
	}
	if slices.Contains(plainNames[:], name) {
		return false
	}
	if slices.ContainsFunc(strings.Split(name, "_"), func(w string) bool { return slices.Contains(secretWords[:], w) }) {
		return true
	}
	if slices.ContainsFunc(secretParts[:], func(p string) bool { return strings.Contains(name, p) }) {
		return true
	}
	return holdsPassword(value)
}

// holdsPassword reports whether a value, or one of a list of values, is a URL with a password in it.
func holdsPassword(value string) bool {
	for _, part := range strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '|' || r == ' ' }) {
		u, err := url.Parse(part)
		if err != nil || u.User == nil {
			continue
		}
		if _, set := u.User.Password(); set {
			return true
		}
	}
	return false
}

// lastWins keeps one entry per name, the last: programs do not agree on which of two counts.
func lastWins(env []string) []string {
	seen := make(map[string]bool)
	var kept []string
	for _, kv := range slices.Backward(env) {
		name, _, _ := strings.Cut(kv, "=")
		if !seen[name] {
			seen[name] = true
			kept = append(kept, kv)
		}
	}
	slices.Reverse(kept)
	return kept
}
