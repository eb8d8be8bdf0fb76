package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// choice is what set-up is about to make the configuration.
type choice struct {
	name    string // of the server
	section serverSection
	model   modelSection
	// value is a key that is not stored yet; it goes under the section's credential.
	value string
}

// installation is one run of `nodwyn setup`.
type installation struct {
	c    *console
	dir  string // of config.toml, where the files that it names are looked for
	path string
	// vault is that of every session, so a key is handled no differently here.
	vault     vault
	transport *http.Transport
	noTest    bool
}

// setupFlags are what scripts and editors say in place of a person.
type setupFlags struct {
	server, api, url, model, credential, keyEnv, caFile string
	context                                             int
	keyStdin, noTest, yes                               bool
}

func (f *setupFlags) define() *flag.FlagSet {
	set := flag.NewFlagSet("setup", flag.ContinueOnError)
	set.StringVar(&f.server, "server", "", "call the server `NAME`; ollama and the known services fill in the rest")
	set.StringVar(&f.api, "api", "", "the server speaks `API`: openai, anthropic, ollama or script")
	set.StringVar(&f.url, "url", "", "the server is at `URL`; a script is a file")
	set.StringVar(&f.model, "model", "", "the model is `ID`, as the server calls it")
	set.IntVar(&f.context, "context", 0, "the model takes `N` tokens")
	set.StringVar(&f.credential, "credential", "", "the server's key is stored as `CLASS`")
	set.StringVar(&f.keyEnv, "key-env", "", "the server's key is in the variable `VAR`")
	set.StringVar(&f.caFile, "ca-file", "", "`FILE` holds the authority that signed the server's certificate")
	set.BoolVar(&f.keyStdin, "key-stdin", false, "read the key from stdin and store it")
	set.BoolVar(&f.noTest, "no-test", false, "send no request to the model")
	set.BoolVar(&f.yes, "yes", false, "change a configuration that exists, keeping a copy")
	return set
}

// setup makes a configuration that works: with a person on the terminal, or by its flags.
func setup(ctx context.Context, c *console, args []string) error {
	var f setupFlags
	if _, err := parse(c, f.define(), args, 0, 0); err != nil {
		return err
	}
	// A configuration that does not work is no obstacle: set-up may be what mends it.
	p, broken := assemble()
	if broken != nil && p.config.DataDir == "" {
		return broken
	}
	defer p.close()
	transport, err := guard.NewTransport(nil)
	if err != nil {
		return err
	}
	defer transport.CloseIdleConnections()
	s := &installation{c: c, path: p.dirs.configFile(), dir: p.dirs.config, vault: p.vault, transport: transport, noTest: f.noTest}
	byFlags := f.server+f.api+f.url+f.model+f.credential+f.keyEnv+f.caFile != "" || f.keyStdin || f.context != 0
	if !byFlags && !isTerminal(c.in) {
		return misuse{"there is no terminal to ask on: say --server, --api, --url and --model"}
	}
	if !byFlags {
		return newDialog(s, p.discoverer()).run(ctx)
	}
	return s.byFlags(ctx, f, p.discoverer())
}

// byFlags does what the flags say, all of it or nothing.
func (s *installation) byFlags(ctx context.Context, f setupFlags, d discoverer) error {
	ch, err := f.choice(ctx, d)
	if err != nil {
		return err
	}
	if f.keyStdin {
		if ch.value, err = readKey(s.c.in); err != nil {
			return err
		}
	}
	if err := s.try(ctx, ch); err != nil {
		return fmt.Errorf("%w\nnothing was changed; --no-test sets it up all the same", err)
	}
	edit, err := s.edit(ch)
	if err != nil {
		return err
	}
	if edit.old != "" && edit.changes() && !f.yes {
		fmt.Fprint(s.c.err, edit.diff())
		return errors.New("there is a configuration already, and nothing was changed: --yes makes the changes above and keeps a copy of it")
	}
	return s.finish(ctx, ch, edit)
}

var serverName = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// choice completes the flags: a known name stands for an address and a model.
func (f setupFlags) choice(ctx context.Context, d discoverer) (choice, error) {
	if err := f.complete(ctx, d); err != nil {
		return choice{}, err
	}
	switch {
	case f.server == "" || f.api == "" || f.url == "":
		return choice{}, misuse{"--server, --api, --url and --model are needed, or a --server of a known name"}
	case !serverName.MatchString(f.server):
		return choice{}, misuse{fmt.Sprintf("--server %q: a name is made of letters, digits, _ and -", f.server)}
	case f.credential != "" && f.keyEnv != "" || f.keyStdin && f.keyEnv != "":
		return choice{}, misuse{"--key-env names another key than --credential and --key-stdin"}
	}
	if f.keyStdin && f.credential == "" {
		f.credential = classOf(f.server)
	}
	if f.api == apiScript {
		absolute, err := filepath.Abs(f.url)
		if err != nil {
			return choice{}, fmt.Errorf("find the script: %w", err)
		}
		f.url = absolute
	}
	return choice{
		name:    f.server,
		section: serverSection{API: f.api, URL: f.url, KeyEnv: f.keyEnv, Credential: f.credential, CAFile: f.caFile},
		model:   modelSection{Server: f.server, Model: f.model, Context: f.context},
	}, nil
}

// complete fills in what the name of the server says.
func (f *setupFlags) complete(ctx context.Context, d discoverer) error {
	if f.api != "" || f.url != "" {
		return nil
	}
	for _, v := range vendors() {
		if f.server == v.name {
			return f.know(ctx, v, d.vault)
		}
	}
	if f.server != "ollama" {
		return nil
	}
	local, err := d.local(ctx)
	if err != nil && f.model == "" {
		return err
	}
	address, err := ollamaURL(os.Getenv("OLLAMA_HOST"))
	if err != nil {
		return err
	}
	f.api, f.url = apiOllama, address
	if f.model == "" {
		f.model = local.section.Model
		if f.context == 0 {
			f.context = local.section.Context
		}
	}
	return nil
}

// know fills in what is known of a service. It takes the key that there is, unless another was named.
func (f *setupFlags) know(ctx context.Context, v vendor, keys vault) error {
	f.api, f.url, f.model = v.api, v.url, or(f.model, v.model)
	if f.keyStdin || f.credential != "" || f.keyEnv != "" {
		return nil
	}
	stored, err := keys.store.List(ctx)
	if err != nil {
		return err
	}
	o := v.offer(stored)
	f.credential, f.keyEnv = o.section.Credential, o.section.KeyEnv
	if o.wantsKey {
		return misuse{v.title + " wants a key: give it on stdin with --key-stdin, or name its variable with --key-env"}
	}
	return nil
}

// classOf makes a class of a server's name.
func classOf(server string) string { return strings.ReplaceAll(strings.ToLower(server), "_", "-") }

// readKey takes the first line.
func readKey(r io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(r, 64<<10)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the key from stdin: %w", err)
	}
	key := strings.TrimSpace(line)
	if key == "" {
		return "", misuse{"stdin holds no key"}
	}
	return key, nil
}

// reach is the chosen server. A key that is not stored yet comes from the choice.
func (s *installation) reach(ch choice) (server, error) {
	srv, err := newServer(s.dir, ch.name, ch.section, s.vault)
	if err != nil || ch.value == "" {
		return srv, err
	}
	if err := s.vault.redactor.Register("credential", ch.section.Credential, ch.value); err != nil {
		return server{}, err
	}
	srv.key = func(context.Context) (string, error) { return ch.value, nil }
	return srv, nil
}

// entry is the choice as sessions would have it.
func (s *installation) entry(ch choice) (entry, error) {
	srv, err := s.reach(ch)
	if err != nil {
		return entry{}, err
	}
	return newEntry("control", ch.model, map[string]server{ch.name: srv})
}

// finish stores the key and writes the configuration.
func (s *installation) finish(ctx context.Context, ch choice, edit edit) error {
	if ch.value != "" {
		if err := s.vault.store.Register(ctx, ch.section.Credential, ch.value); err != nil {
			return err
		}
		fmt.Fprintf(s.c.out, "stored the key as the credential %q, %s\n", ch.section.Credential, whereStored(ctx, s.vault.store, ch.section.Credential))
	}
	backup, err := edit.write()
	if err != nil {
		return err
	}
	if backup != "" {
		fmt.Fprintf(s.c.out, "kept the old configuration as %s\n", backup)
	}
	if _, _, err := readConfig(s.path, s.vault); err != nil {
		return fmt.Errorf("wrote %s, but something else in it does not work yet: %w", s.path, err)
	}
	fmt.Fprintf(s.c.out, "wrote %s\nnext: nodwyn run \"say in one sentence what this project does\"\n", s.path)
	return nil
}

// clean takes keys out of a server's words: some repeat the one that they refuse.
func clean(r *redact.Redactor, text string) string {
	text, _ = r.String(text)
	return visible(text)
}
