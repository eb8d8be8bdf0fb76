package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nodwyn/nodwyn/agent/provider/script"
)

// modelName is the model id of every scenario.
const modelName = "scripted-1"

// scenario is the world of one test: a home of its own, a repository, a scripted model, and the editor that drives the real binary. It knows nothing of testscript, so that Go tests use it too.
type scenario struct {
	work    string
	environ []string // of every process; its HOME marks them as this scenario's
	model   *scriptedModel
	secrets []string // must never reach the log, the model or the editor

	configured, committed bool
	editor                *editor   // nil while no server runs
	editors               []*editor // all that ever ran, in order

	session string   // the id that the verbs speak of
	ids     []string // every session that was made
	pending string   // id of the session/prompt that was not answered yet
	queued  []string // ids of those that wait behind it
	before  string   // the checkout when the pending prompt was sent
	asked   message  // the request that answer answers
	failed  *wireError
	// transcripts are what session/transcript said before the server ended.
	transcripts map[string]told
}

// newScenario makes the home and starts the model. The secrets are made here: no file holds one.
func newScenario(work string, environ []string) (*scenario, error) {
	key := "key-" + strings.ToLower(rand.Text())
	token := "gh" + "p_" + (rand.Text() + rand.Text())[:36]
	s := &scenario{
		work: work, model: newScriptedModel(key), secrets: []string{key, token},
		transcripts: make(map[string]told),
	}
	home := filepath.Join(work, "home")
	s.environ = slices.Concat(environ, []string{
		"HOME=" + home,
		"XDG_CONFIG_HOME=" + filepath.Join(home, "config"),
		"XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"XDG_STATE_HOME=" + filepath.Join(home, "state"),
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"),
		"MODEL_KEY=" + key,
		"MODEL_URL=" + s.model.url(),
		"TOKEN=" + token,
		"REPO=" + s.repo(),
		"SESSIONS=" + s.logs(),
		"GIT_CONFIG_NOSYSTEM=1",
		// Under the race detector each process would else sleep a second when it exits.
		"GORACE=atexit_sleep_ms=0",
	})
	const identity = "[user]\n\tname = Ada Tester\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n"
	if err := writeFile(filepath.Join(home, ".gitconfig"), identity); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *scenario) repo() string { return filepath.Join(s.work, "repo") }

func (s *scenario) logs() string { return filepath.Join(s.work, "home", "data", "nodwyn", "sessions") }

func (s *scenario) log(session string) string { return filepath.Join(s.logs(), session+".jsonl") }

// configure writes the configuration: the scripted model, and what the scenario adds.
func (s *scenario) configure(more string) error {
	s.configured = true
	text := fmt.Sprintf("[control]\nserver = \"local\"\nmodel = %q\n\n[servers.local]\napi = \"openai\"\nurl = %q\nkey_env = \"MODEL_KEY\"\n\n%s", modelName, s.model.url(), more)
	return writeFile(filepath.Join(s.work, "home", "config", "nodwyn", "config.toml"), text)
}

// play queues the replies of a script file.
func (s *scenario) play(name, file, text string) error {
	parsed, err := script.Parse(text, file)
	if err != nil {
		return err
	}
	var replies []streamed
	for _, r := range parsed {
		replies = append(replies, streamOf(r))
	}
	s.model.play(name, replies)
	return nil
}

// commit makes the repository's files its first commit. An archive without any gets a README.md.
func (s *scenario) commit() error {
	s.committed = true
	readme := filepath.Join(s.repo(), "README.md")
	if _, err := os.Stat(s.repo()); errors.Is(err, os.ErrNotExist) {
		if err := writeFile(readme, "# A project\n"); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "start"}} {
		if _, err := s.git(s.repo(), args...); err != nil {
			return err
		}
	}
	return nil
}

// git runs git as the person would, at a fixed time.
func (s *scenario) git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(s.environ, []string{"GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z"})
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s in %s: %w: %s", strings.Join(args, " "), dir, err, out)
	}
	return string(out), nil
}

// checkout describes the person's own checkout: its commit, its branch and what is changed in it.
func (s *scenario) checkout() (string, error) {
	if !s.committed {
		return "", nil
	}
	head, err := s.git(s.repo(), "rev-parse", "HEAD", "--abbrev-ref", "HEAD")
	if err != nil {
		return "", err
	}
	status, err := s.git(s.repo(), "--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall")
	return head + status, err
}

// run runs nodwyn to its end and returns its stdout.
func (s *scenario) run(args ...string) (string, error) {
	cmd := exec.Command("nodwyn", args...)
	cmd.Dir, cmd.Env = s.work, s.environ
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), fmt.Errorf("nodwyn %s: %w: %s", strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// setUp gives each script its scenario, and checks it when the script is through.
func setUp(env *testscript.Env) error {
	s, err := newScenario(env.WorkDir, env.Vars)
	if err != nil {
		return err
	}
	env.Vars = s.environ
	env.Values[scenarioKey{}] = s
	env.Defer(func() {
		defer s.model.close()
		t := env.T()
		if f, ok := t.(interface{ Failed() bool }); ok && f.Failed() {
			t.Log(s.abandon())
			return
		}
		if err := s.finish(); err != nil {
			t.Log(s.report())
			t.Fatal("after the script: ", err)
		}
	})
	return nil
}

// scenarioKey finds the scenario among a script's values.
type scenarioKey struct{}

func of(ts *testscript.TestScript) *scenario { return ts.Value(scenarioKey{}).(*scenario) }

// object encodes pairs of names and values as a JSON object.
func object(pairs ...any) jsontext.Value {
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = pairs[i+1]
	}
	b, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		panic(fmt.Sprintf("encode the params of a scenario: %v", err))
	}
	return b
}
