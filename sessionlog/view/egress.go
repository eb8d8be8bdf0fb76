package view

import "github.com/nodwyn/nodwyn/sessionlog/event"

// EgressRow is what went, or was not let, to one host for one purpose.
type EgressRow struct {
	// Host is the host and port, Purpose is what it was for.
	Host    string `json:"host"`
	Purpose string `json:"purpose"`
	// Allowed says whether it went, and Reason by what rule.
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason"`
	// Requests counts the requests, Bytes what they carried. What came back is not counted.
	Requests int   `json:"requests"`
	Bytes    int64 `json:"bytes"`
}

// Egress folds events into what left the machine, turn by turn. The zero value has seen nothing.
type Egress struct {
	rows  []EgressRow
	turns []int // of each row
	turn  int
}

// Apply takes the next event of the log. What is sent between turns counts for the one before.
func (g *Egress) Apply(e event.Event) {
	switch p := e.Payload.(type) {
	case event.UserMsg:
		g.turn = p.Turn
	case event.EgressCheck:
		for i := range g.rows {
			if r := &g.rows[i]; g.turns[i] == g.turn && r.same(p) {
				r.Requests++
				r.Bytes += p.Bytes
				return
			}
		}
		g.rows = append(g.rows, EgressRow{Host: p.Host, Purpose: p.Purpose, Allowed: p.Allowed, Reason: p.Reason, Requests: 1, Bytes: p.Bytes})
		g.turns = append(g.turns, g.turn)
	}
}

func (r EgressRow) same(p event.EgressCheck) bool {
	return r.Host == p.Host && r.Purpose == p.Purpose && r.Allowed == p.Allowed && r.Reason == p.Reason
}

// Rows returns what left in a turn, or in all for turn 0, each host and purpose once, in the order of their first request.
func (g *Egress) Rows(turn int) []EgressRow {
	var rows []EgressRow
next:
	for i, r := range g.rows {
		if turn != 0 && g.turns[i] != turn {
			continue
		}
		for j := range rows {
			k := &rows[j]
			if k.Host == r.Host && k.Purpose == r.Purpose && k.Allowed == r.Allowed && k.Reason == r.Reason {
				k.Requests += r.Requests
				k.Bytes += r.Bytes
				continue next
			}
		}
		rows = append(rows, r)
	}
	return rows
}
