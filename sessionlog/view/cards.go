package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Card is one thing that a person sees of a session. No card names a tool or shows its output.
type Card struct {
	// ID is "c1", "c2", … in the order of appearance.
	ID string `json:"id"`
	// Kind is "ask", "question", "permission", "result" or "proof", and says which type Body has.
	Kind string `json:"kind"`
	// At is when the card appeared.
	At time.Time `json:"at"`
	// Body is an Ask, Question, Permission, Result or ProofBody.
	Body Body `json:"body"`
}

// Body is the content of a card. The set is closed.
type Body interface{ cardKind() string }

// Ask is a person's request.
type Ask struct {
	Text string `json:"text"`
}

// Question is something the agent wants to know.
type Question struct {
	Text    string   `json:"text"`
	Choices []string `json:"choices"`
	// Answer is absent while the question is open.
	Answer *string `json:"answer,omitzero"`
}

// Permission is an effect that a person is asked for. Diff and Argv leave the card with the answer; the log keeps them.
type Permission struct {
	Action     string   `json:"action"`
	Path       string   `json:"path,omitzero"`
	Diff       string   `json:"diff,omitzero"`
	Argv       []string `json:"argv,omitempty"`
	TimeoutSec *int     `json:"timeoutSec"`
	// Decision is empty while the prompt is open.
	Decision string `json:"decision,omitzero"`
}

// Result is what the turn came to.
type Result struct {
	Text string `json:"text"`
	// Outcome is set when the turn did not complete.
	Outcome string `json:"outcome,omitzero"`
}

// ProofBody is what was written and which checks ran.
type ProofBody struct {
	Wrote    []string    `json:"wrote"`
	DiffStat []DiffStat  `json:"diffstat"`
	Items    []ProofItem `json:"items"`
	Failed   []string    `json:"failed"`
}

// DiffStat counts the changed lines of one file.
type DiffStat struct {
	Path       string `json:"path"`
	Status     string `json:"status"`
	Insertions int    `json:"insertions"`
	Deletions  int    `json:"deletions"`
}

// ProofItem is one closeout item that ran.
type ProofItem struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"`
	Outcome string `json:"outcome"`
}

func (Ask) cardKind() string        { return "ask" }
func (Question) cardKind() string   { return "question" }
func (Permission) cardKind() string { return "permission" }
func (Result) cardKind() string     { return "result" }
func (ProofBody) cardKind() string  { return "proof" }

// Cards folds events into cards. The zero value has none.
type Cards struct {
	cards    []Card
	revision int64
	// prompts finds the card of an open prompt.
	prompts map[string]int
	turn    int
	aside   aside
	// result is one past the index of the running turn's result card; 0 when it has none.
	result int
	// proved is one past the index of the turn's proof card; 0 when it has none.
	proved int
	// items are the closeout items since the last proof of the turn.
	items []ProofItem
}

// Apply takes the next event of the log and reports which card it added or changed.
func (c *Cards) Apply(e event.Event) (Card, bool) {
	if _, buffered := e.Payload.(event.LLMChunk); !buffered {
		c.revision = e.Seq
	}
	i := c.fold(e)
	if i < 0 {
		return Card{}, false
	}
	return c.cards[i], true
}

// All returns the cards in order. The slice is the caller's.
func (c *Cards) All() []Card { return append([]Card(nil), c.cards...) }

// Revision is the seq of the last durable event.
func (c *Cards) Revision() int64 { return c.revision }

// fold returns the index of the card that e added or changed, or -1.
func (c *Cards) fold(e event.Event) int {
	if c.aside.holds(e) {
		return -1
	}
	switch p := e.Payload.(type) {
	case event.UserMsg:
		if p.Turn != c.turn {
			c.turn, c.result, c.proved, c.items = p.Turn, 0, 0, nil
		}
		if p.Continues == 0 {
			return c.add(e, Ask{Text: p.Text})
		}
	case event.PromptOpen:
		return c.open(e, p)
	case event.PromptClose:
		return c.answer(p)
	case event.LLMResp:
		if p.Stop != "tool_calls" && p.Stop != "cancelled" && p.Stop != "error" {
			return c.conclude(e, p.Text, "")
		}
	case event.CloseoutItem:
		c.check(ProofItem{Name: p.Name, Kind: p.Kind, Outcome: p.Outcome})
	case event.Proof:
		return c.prove(e, p)
	case event.TurnEnd:
		if p.Outcome != "completed" {
			return c.conclude(e, p.Error, p.Outcome)
		}
	}
	return -1
}

func (c *Cards) add(e event.Event, b Body) int {
	c.cards = append(c.cards, Card{ID: fmt.Sprintf("c%d", len(c.cards)+1), Kind: b.cardKind(), At: e.TS, Body: b})
	return len(c.cards) - 1
}

func (c *Cards) open(e event.Event, p event.PromptOpen) int {
	var body Body
	switch p.Type {
	case "permission":
		body = Permission{Action: p.Action, Path: p.Path, Diff: p.Diff, Argv: p.Argv, TimeoutSec: timeout(p.TimeoutSec)}
	case "choice":
		return -1 // trust and set-up are about the repository, not about the conversation
	default:
		body = Question{Text: p.Text, Choices: append([]string{}, p.Options...)}
	}
	if c.prompts == nil {
		c.prompts = make(map[string]int)
	}
	i := c.add(e, body)
	c.prompts[p.PromptID] = i
	return i
}

func (c *Cards) answer(p event.PromptClose) int {
	i, ok := c.prompts[p.PromptID]
	if !ok {
		return -1
	}
	delete(c.prompts, p.PromptID)
	switch b := c.cards[i].Body.(type) {
	case Permission:
		b.Diff, b.Argv, b.Decision = "", nil, Decision(p.Answer, b.Action)
		c.cards[i].Body = b
	case Question:
		b.Answer = &p.Answer
		c.cards[i].Body = b
	}
	return i
}

// conclude sets the turn's result card. An outcome keeps a text that the model already gave.
func (c *Cards) conclude(e event.Event, text, outcome string) int {
	if c.result == 0 {
		c.result = c.add(e, Result{Text: text, Outcome: outcome}) + 1
		return c.result - 1
	}
	i := c.result - 1
	was := c.cards[i].Body.(Result)
	if outcome != "" && was.Text != "" {
		text = strings.TrimSpace(was.Text + "\n\n" + text)
	}
	c.cards[i].Body = Result{Text: text, Outcome: outcome}
	return i
}

// check lists an item that ran. Behind the turn's proof stand those of landings, and of checks that were cut off before their proof: there the last run of each counts.
func (c *Cards) check(item ProofItem) {
	i := slices.IndexFunc(c.items, func(o ProofItem) bool { return o.Name == item.Name })
	if i >= 0 && c.proved != 0 {
		c.items[i] = item
		return
	}
	c.items = append(c.items, item)
}

// prove sets the turn's proof card; checks that ran again change it.
func (c *Cards) prove(e event.Event, p event.Proof) int {
	body := c.proof(p)
	c.items = nil
	if c.proved == 0 {
		c.proved = c.add(e, body) + 1
	}
	c.cards[c.proved-1].Body = body
	return c.proved - 1
}

func (c *Cards) proof(p event.Proof) ProofBody {
	stats := make([]DiffStat, 0, len(p.DiffStat))
	for _, d := range p.DiffStat {
		stats = append(stats, DiffStat(d))
	}
	return ProofBody{
		Wrote: append([]string{}, p.Wrote...), DiffStat: stats,
		Items: append([]ProofItem{}, c.items...), Failed: append([]string{}, p.Failed...),
	}
}

// Decision says in words how a prompt for action was answered: "Allowed replace of README.md for this session".
func Decision(answer, action string) string {
	word := "Denied"
	switch {
	case answer == "expired":
		word = "Expired"
	case strings.HasPrefix(answer, "allow_"):
		word = "Allowed"
	}
	verb, rest, _ := strings.Cut(action, " ")
	s := word + " " + strings.ToLower(verb)
	if rest != "" {
		s += " of " + rest
	}
	if answer == "allow_session" || answer == "allow_edits" {
		s += " for this session"
	}
	return s
}

func timeout(sec int) *int {
	if sec == 0 {
		return nil
	}
	return &sec
}
