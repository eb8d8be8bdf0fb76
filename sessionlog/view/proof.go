package view

import (
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Proof folds events into the last proof of a session, with how each check of its turn went when it ran last. The zero value has none.
type Proof struct {
	last  *event.Proof
	items map[int][]event.CloseoutItem // by turn, from the last proof's on
}

// Apply takes the next event of the log.
func (p *Proof) Apply(e event.Event) {
	switch v := e.Payload.(type) {
	case event.CloseoutItem:
		p.item(v)
	case event.Proof:
		p.last = &v
		for turn := range p.items {
			if turn < v.Turn {
				delete(p.items, turn)
			}
		}
	}
}

// item takes the place of an earlier run of the same check.
func (p *Proof) item(v event.CloseoutItem) {
	if p.items == nil {
		p.items = make(map[int][]event.CloseoutItem)
	}
	items := p.items[v.Turn]
	if i := slices.IndexFunc(items, func(o event.CloseoutItem) bool { return o.Name == v.Name }); i >= 0 {
		items[i] = v
		return
	}
	p.items[v.Turn] = append(items, v)
}

// Last returns the last proof and its checks in the order in which they first ran; nil before the first.
func (p *Proof) Last() (*event.Proof, []event.CloseoutItem) {
	if p.last == nil {
		return nil, nil
	}
	return p.last, slices.Clone(p.items[p.last.Turn])
}
