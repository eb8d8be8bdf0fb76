package view

import (
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// CheckRule is the rule that lets the project's checks run. Its decision is the first that a log knows of one.
const CheckRule = "closeout"

// checks gives each run of a closeout item an id, beside those of the calls. One runs at a time.
type checks struct{ running string }

func begins(e event.Event) bool {
	p, ok := e.Payload.(event.GuardDecision)
	return ok && p.Op == "exec" && p.Rule == CheckRule && p.Decision == "allow"
}

// begin returns the id of the run that e begins.
func (c *checks) begin(e event.Event) (string, bool) {
	if !begins(e) {
		return "", false
	}
	c.running = checkID(e.Seq)
	return c.running, true
}

// lost returns the id of a run that a crash cut off, which is known once e is what follows; empty when there is none.
func (c *checks) lost(e event.Event) string {
	switch e.Payload.(type) {
	case event.TurnEnd, event.SessionResume:
	default:
		if !begins(e) {
			return ""
		}
	}
	id := c.running
	c.running = ""
	return id
}

// end returns the id of the run that the item at seq is the record of. One that was skipped has no beginning.
func (c *checks) end(seq int64) (id string, begun bool) {
	if id = c.running; id != "" {
		c.running = ""
		return id, true
	}
	return checkID(seq), false
}

const checkPrefix = "check-"

func checkID(seq int64) string { return fmt.Sprintf("%s%d", checkPrefix, seq) }

// IsCheck reports whether an id of the trail is that of a closeout item's run.
func IsCheck(call string) bool { return strings.HasPrefix(call, checkPrefix) }

// Outputs folds events into what each call of the trail printed or found. The zero value knows no call.
type Outputs struct {
	texts  map[string]*string // nil while it runs
	checks checks
}

// Apply takes the next event of the log.
func (o *Outputs) Apply(e event.Event) {
	if o.texts == nil {
		o.texts = make(map[string]*string)
	}
	if id := o.checks.lost(e); id != "" {
		o.texts[id] = new(string)
	}
	if id, ok := o.checks.begin(e); ok {
		o.texts[id] = nil
	}
	switch p := e.Payload.(type) {
	case event.ToolCall:
		o.texts[p.ID] = nil
	case event.ToolResult:
		o.texts[p.ID] = &p.Text
	case event.CloseoutItem:
		id, _ := o.checks.end(e.Seq)
		o.texts[id] = &p.OutputTail
	}
}

// Of returns the output of a call, whether it has ended, and whether there is such a call.
func (o *Outputs) Of(call string) (text string, ended, known bool) {
	output, known := o.texts[call]
	if output == nil {
		return "", false, known
	}
	return *output, true, true
}
