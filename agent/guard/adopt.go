package guard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// answerUse takes a proposal up; answerSkip turns it down for good.
const answerUse = "use"

// adoptFile is the form of closeout.json: what was said to the proposal in each repository.
type adoptFile struct {
	Repositories map[string]adopted `json:"repositories"`
}

// adopted is an answer and the digest of the content that it was given for.
type adopted struct {
	Answer string `json:"answer"`
	Digest string `json:"digest"`
	Actor  string `json:"actor"`
}

// Adopt proposes a content that nodwyn made up from what it found in the repository, and reports whether the person uses it. It is asked once: "skip" holds for the repository, "use" for exactly that content. With nobody to ask it is not used.
func (g *Guard) Adopt(ctx context.Context, text string, content []byte) (bool, error) {
	sum := sha256.Sum256(content)
	digest := hex.EncodeToString(sum[:])
	known, err := g.knownAdoption()
	if err != nil {
		return false, err
	}
	if known.Answer == answerSkip || (known.Answer == answerUse && known.Digest == digest) {
		return known.Answer == answerUse, nil
	}
	answer, err := g.inquire(ctx, Prompt{Type: TypeChoice, Op: "closeout", Text: text, Choices: []string{answerUse, answerSkip}}, func(r reply) []event.Payload {
		return []event.Payload{event.SettingChange{
			Actor: r.Actor, PromptID: r.prompt, Key: "closeout", Value: digest + " " + r.Text, State: "applied",
		}}
	})
	if errors.Is(err, ErrNobody) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask about the proposed checks: %w", err)
	}
	return answer.Text == answerUse, g.keepAdoption(adopted{Answer: answer.Text, Digest: digest, Actor: answer.Actor})
}

func (g *Guard) knownAdoption() (adopted, error) {
	g.mu.Lock()
	known := g.adopted
	g.mu.Unlock()
	if known.Answer != "" || g.cfg.StateDir == "" {
		return known, nil
	}
	name := g.stateFile("closeout.json")
	content, err := effect.ReadState(name)
	if err != nil {
		return adopted{}, fmt.Errorf("read what was said to proposed checks: %w", err)
	}
	var f adoptFile
	if err := decodeState(name, content, &f); err != nil {
		return adopted{}, err
	}
	return f.Repositories[g.cfg.Repository], nil
}

// keepAdoption writes the answer down. When that fails it holds for this session, and the record says why it is asked again.
func (g *Guard) keepAdoption(a adopted) error {
	g.mu.Lock()
	g.adopted = a
	g.mu.Unlock()
	if g.cfg.StateDir == "" {
		return nil
	}
	name := g.stateFile("closeout.json")
	err := effect.UpdateState(name, func(old []byte) ([]byte, error) {
		var f adoptFile
		if err := decodeState(name, old, &f); err != nil {
			return nil, err
		}
		if f.Repositories == nil {
			f.Repositories = make(map[string]adopted)
		}
		f.Repositories[g.cfg.Repository] = a
		return encodeState(f)
	})
	if err == nil {
		return nil
	}
	return g.record(event.Note{Code: "closeout_not_kept", Text: fmt.Sprintf("The answer about the proposed checks holds for this session only: %v", err)})
}

// Plan puts a plan before the person and records what they say to it: "accept", "revise" or "reject". ErrNobody says that nobody did.
func (g *Guard) Plan(ctx context.Context, text string, steps []string) (Answer, error) {
	turn := g.turn
	decided := false
	answer, err := g.inquire(ctx, Prompt{Type: TypePlan, Text: text, Choices: []string{"accept", "revise", "reject"}}, func(r reply) []event.Payload {
		decided = true
		return []event.Payload{event.GatePlan{Turn: turn, Steps: steps, Decision: r.Text, Actor: r.Actor, PromptID: r.prompt}}
	})
	if err != nil && !decided && errors.Is(err, ErrNobody) {
		return Answer{}, errors.Join(err, g.record(event.GatePlan{Turn: turn, Steps: steps, Decision: "unanswered"}))
	}
	return answer, err
}
