package anthropic

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// thought is what the log keeps of a thinking block, as the data of an event.Opaque.
type thought struct {
	// Text counts the bytes of the reply's text before the block.
	Text int `json:"text,omitzero"`
	// Calls counts the reply's calls before the block.
	Calls int `json:"calls,omitzero"`
	// Sum is the digest of the block. The log's redactor may change what the signature covers, and the API refuses a block that its signature does not fit.
	Sum string `json:"sum"`
	// Block is the block as it goes back.
	Block block `json:"block"`
}

func (b *block) thought() bool { return b.Type == "thinking" || b.Type == "redacted_thinking" }

// sum returns the digest of a thinking block. The lengths of its parts are not needed: only one of them is free text.
func (b *block) sum() string {
	text := ""
	if b.Thinking != nil {
		text = *b.Thinking
	}
	d := sha256.Sum256([]byte(b.Type + " " + b.Signature + " " + b.Data + " " + text))
	return hex.EncodeToString(d[:])
}

// keep returns the block as the log holds it.
func (t thought) keep() (event.Opaque, error) {
	t.Sum = t.Block.sum()
	raw, err := json.Marshal(t)
	return event.Opaque{Wire: Wire, Data: raw}, err
}

// thoughts returns the thinking blocks of a reply that are of this wire and whole.
func thoughts(opaque []event.Opaque) []thought {
	var out []thought
	for _, o := range opaque {
		var t thought
		if o.Wire != Wire || provider.Decode(o.Data, &t) != nil || !t.Block.thought() || t.Block.sum() != t.Sum {
			continue
		}
		out = append(out, t)
	}
	return out
}

// boundary returns the end of a character at n bytes or before. The text may have become shorter on its way through the redactor.
func boundary(text string, n int) int {
	n = min(n, len(text))
	for n > 0 && n < len(text) && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// thoughtless reports whether the window ends inside a step whose replies hold no thought: they came from another model, or the redactor changed it. The API takes such a window only if it is not asked to think on.
func (w *encoded) thoughtless() bool {
	results := false
	for _, m := range slices.Backward(w.messages) {
		isResult := func(b block) bool { return b.Type == "tool_result" }
		if m.Role == "user" && !slices.ContainsFunc(m.Content, isResult) {
			break
		}
		results = results || m.Role == "user"
		if slices.ContainsFunc(m.Content, func(b block) bool { return b.thought() }) {
			return false
		}
	}
	return results
}
