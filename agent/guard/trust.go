package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// The answers to a question of trust.
const (
	answerTrust = "trust"
	answerSkip  = "skip"
)

// maxShown is how much of a content a person is shown in a question of trust.
const maxShown = 16 << 10

// trustFile is the form of trust.json: what was trusted, by repository and digest.
type trustFile struct {
	Repositories map[string]map[string]keptTrust `json:"repositories"`
}

// keptTrust says who trusted a content, and when.
type keptTrust struct {
	What  string    `json:"what"`
	Actor string    `json:"actor"`
	At    time.Time `json:"at"`
}

// Trusted reports whether the person trusts that exact content, which what names, to take effect. It asks once: trust is remembered for the repository, a refusal for the session. With nobody to ask it is not trusted.
func (g *Guard) Trusted(ctx context.Context, what string, content []byte) (bool, error) {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	if known, trusted, err := g.knownTrust(digest); err != nil || known {
		return trusted, err
	}
	answer, err := g.inquire(ctx, Prompt{
		Type: TypeChoice, Op: "trust", Choices: []string{answerTrust, answerSkip}, Text: trustText(what, content),
	}, func(r reply) []event.Payload {
		return []event.Payload{event.SettingChange{
			Actor: r.Actor, PromptID: r.prompt, Key: "trust", Value: digest + " " + r.Text, State: "applied",
		}}
	})
	if errors.Is(err, ErrNobody) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask whether to trust %s: %w", what, err)
	}
	trusted := answer.Text == answerTrust
	g.mu.Lock()
	g.trusted[digest] = trusted
	g.mu.Unlock()
	if !trusted {
		return false, nil
	}
	return true, g.keepTrust(digest, keptTrust{What: what, Actor: answer.Actor, At: time.Now().UTC()})
}

func trustText(what string, content []byte) string {
	shown, more := content, ""
	if len(shown) > maxShown {
		shown, more = shown[:maxShown], fmt.Sprintf("\n[%d more bytes]", len(content)-maxShown)
	}
	return fmt.Sprintf("Trust %s? It comes from the repository and takes effect only with your trust, for exactly this content:\n\n%s%s", what, clean(shown), more)
}

// knownTrust looks for an answer that was given before.
func (g *Guard) knownTrust(digest string) (known, trusted bool, err error) {
	g.mu.Lock()
	trusted, known = g.trusted[digest]
	g.mu.Unlock()
	if known || g.cfg.StateDir == "" {
		return known, trusted, nil
	}
	name := g.stateFile("trust.json")
	content, err := effect.ReadState(name)
	if err != nil {
		return false, false, fmt.Errorf("read trust: %w", err)
	}
	var f trustFile
	if err := decodeState(name, content, &f); err != nil {
		return false, false, err
	}
	_, trusted = f.Repositories[g.cfg.Repository][digest]
	return trusted, trusted, nil
}

// keepTrust writes trust down. When that fails it holds for this session, and the record says why it is asked again.
func (g *Guard) keepTrust(digest string, k keptTrust) error {
	if g.cfg.StateDir == "" {
		return nil
	}
	name := g.stateFile("trust.json")
	err := effect.UpdateState(name, func(old []byte) ([]byte, error) {
		var f trustFile
		if err := decodeState(name, old, &f); err != nil {
			return nil, err
		}
		if f.Repositories == nil {
			f.Repositories = make(map[string]map[string]keptTrust)
		}
		if f.Repositories[g.cfg.Repository] == nil {
			f.Repositories[g.cfg.Repository] = make(map[string]keptTrust)
		}
		f.Repositories[g.cfg.Repository][digest] = k
		return encodeState(f)
	})
	if err == nil {
		return nil
	}
	return g.record(event.Note{Code: "trust_not_kept", Text: fmt.Sprintf("The trust in %s holds for this session only: %v", k.What, err)})
}
