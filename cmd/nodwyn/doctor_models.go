package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
)

// doctorTimeout bounds the question for a server's models.
const doctorTimeout = 2 * time.Second

// checkModels asks every server that a model runs on what it has. Where no model is configured it looks for one as a session would.
func checkModels(ctx context.Context, p parts) []finding {
	entries := maps.Clone(p.entries)
	if _, ok := entries["control"]; !ok {
		e, err := p.discoverer().find(ctx)
		if err != nil {
			return []finding{{what: said(err)}}
		}
		entries = map[string]entry{"control": e}
		maps.Copy(entries, p.entries)
	}
	transport, err := guard.NewTransport(nil)
	if err != nil {
		return []finding{{what: err.Error()}}
	}
	defer transport.CloseIdleConnections()
	var out []finding
	for _, name := range slices.Sorted(maps.Keys(entries)) {
		f := entries[name].check(ctx, transport)
		f.what = clean(p.vault.redactor, name+": "+f.what)
		out = append(out, f)
	}
	return out
}

// said is an error without the name of the file, which another sentence has.
func said(err error) string {
	if e, ok := errors.AsType[*agent.ConfigError](err); ok {
		return e.Reason
	}
	return err.Error()
}

// check finds out whether sessions can talk to the model, without asking it anything.
func (e entry) check(ctx context.Context, t http.RoundTripper) finding {
	s := e.server
	at := fmt.Sprintf("%s (%s)", s.name, s.section.URL)
	if s.api == apiScript {
		if _, err := os.Stat(s.section.URL); err != nil {
			return finding{what: fmt.Sprintf("the script of %s cannot be read: %v", at, err), fix: "write it, or correct `url`"}
		}
		return finding{ok: true, what: "replies come from the script of " + at}
	}
	if class := s.section.Credential; class != "" {
		if _, err := s.key(ctx); err != nil {
			return finding{what: fmt.Sprintf("%s has no key: %v", at, err), fix: fmt.Sprintf("`nodwyn cred register %s`", class)}
		}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, doctorTimeout, fmt.Errorf("no answer within %s", doctorTimeout))
	defer cancel()
	ids, err := s.list(ctx, t)
	refused, answered := errors.AsType[*provider.Error](err)
	switch {
	case answered && refused.Status == http.StatusNotFound:
		return finding{ok: true, what: at + " answers and does not list its models, so whether it has " + e.section.Model + " is not known"}
	case err != nil:
		return finding{what: fmt.Sprintf("%s: %v", at, err), fix: advice(s.api, err)}
	case !has(ids, e.section.Model):
		return finding{what: fmt.Sprintf("%s has no model %q", at, e.section.Model), fix: missing(s.api, ids)}
	}
	return finding{ok: true, what: fmt.Sprintf("sessions talk to %s on %s, which has it", e.section.Model, at)}
}

// has looks for an id. Ollama's tag can be left out when it is the latest, and some servers put a folder before the name.
func has(ids []string, id string) bool {
	return slices.ContainsFunc(ids, func(listed string) bool {
		return listed == id || listed == id+":latest" || listed == "models/"+id
	})
}

// missing says what there is instead.
func missing(api string, ids []string) string {
	const few = 5
	text := "it has none"
	if len(ids) > 0 {
		text = "it has " + strings.Join(ids[:min(few, len(ids))], ", ")
	}
	if len(ids) > few {
		text += fmt.Sprintf(" and %d more", len(ids)-few)
	}
	if api == apiOllama {
		return text + "; `ollama pull` fetches a model"
	}
	return text + "; `nodwyn setup` chooses one"
}

// checkStore says which credentials there are and where, never what.
func checkStore(ctx context.Context, p parts) finding {
	entries, err := p.vault.store.List(ctx)
	if err != nil {
		return finding{what: err.Error(), fix: "correct that; no stored key can be used before"}
	}
	if len(entries) == 0 {
		return finding{ok: true, what: "no credential is stored"}
	}
	var names []string
	for _, e := range entries {
		place := "in a file that only you can read"
		if e.ID == cred.InKeychain {
			place = "in the keychain"
		}
		names = append(names, fmt.Sprintf("%s (%s)", e.Class, place))
	}
	return finding{ok: true, what: "stored credentials: " + strings.Join(names, ", ")}
}
