package view

import "github.com/nodwyn/nodwyn/sessionlog/event"

// Totals folds events into figures. A figure that nobody reported stays nil; it is never zero by default.
type Totals struct {
	// Calls counts the requests to models.
	Calls int `json:"calls"`
	// Actions counts the tool calls.
	Actions int `json:"actions"`
	// PromptTokens are the prompt tokens reported, cached ones included.
	PromptTokens *int64 `json:"promptTokens,omitzero"`
	// OutputTokens are the output tokens reported.
	OutputTokens *int64 `json:"outputTokens,omitzero"`
	// CachedTokens are the prompt tokens reported as read from a cache.
	CachedTokens *int64 `json:"cachedTokens,omitzero"`
	// Unreported counts the replies without token counts.
	Unreported int `json:"unreported,omitzero"`
	// Cost is the cost in US dollars of the replies that have one.
	Cost *float64 `json:"cost,omitzero"`
	// ModelMS is the time of the models' successful attempts in milliseconds.
	ModelMS int64 `json:"modelMs"`
	// ToolMS is the time of the tools in milliseconds; a recovery result adds none.
	ToolMS int64 `json:"toolMs"`
}

// Apply takes the next event of the log.
func (t *Totals) Apply(e event.Event) {
	switch p := e.Payload.(type) {
	case event.LLMReq:
		t.Calls++
	case event.LLMResp:
		t.reply(p.Usage)
	case event.ToolCall:
		t.Actions++
	case event.ToolResult:
		if p.WallMS != nil {
			t.ToolMS += *p.WallMS
		}
	}
}

func (t *Totals) reply(u event.Usage) {
	t.PromptTokens = sum(t.PromptTokens, u.PromptTokens)
	t.OutputTokens = sum(t.OutputTokens, u.OutputTokens)
	t.CachedTokens = sum(t.CachedTokens, u.CachedTokens)
	t.Cost = sum(t.Cost, u.Cost)
	t.ModelMS += u.WallMS
	if u.PromptTokens == nil && u.OutputTokens == nil {
		t.Unreported++
	}
}

// sum adds what is known to what is known; unknown and unknown stay unknown.
func sum[N int64 | float64](a, b *N) *N {
	if b == nil {
		return a
	}
	total := *b
	if a != nil {
		total += *a
	}
	return &total
}

// TurnTotals folds the figures of each turn beside those of the whole session.
type TurnTotals struct {
	// Session holds the figures of the whole session.
	Session Totals
	turn    int
	turns   map[int]Totals
	aside   aside
}

// Apply takes the next event of the log.
func (t *TurnTotals) Apply(e event.Event) {
	t.Session.Apply(e)
	if t.aside.holds(e) {
		return
	}
	if p, ok := e.Payload.(event.UserMsg); ok {
		t.turn = p.Turn
	}
	if t.turns == nil {
		t.turns = make(map[int]Totals)
	}
	of := t.turns[t.turn]
	of.Apply(e)
	t.turns[t.turn] = of
}

// Turn returns the figures of one turn.
func (t *TurnTotals) Turn(turn int) Totals { return t.turns[turn] }
