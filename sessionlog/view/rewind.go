package view

import (
	"maps"
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// cut is what a revert took out of the window: the messages from a place on, and where the turns in them began.
type cut struct {
	at       int
	messages []Message
	starts   map[int]int
}

// revert takes the turns after one out of the window, or puts back what the last revert took out. A revert of files alone leaves the window as it is.
func (m *Messages) revert(p event.SessionRevert) {
	m.settle()
	switch {
	case p.Undo:
		m.putBack()
	case p.Actor == event.SelfActor:
		m.takeOutAgain()
	case p.What == "files" || p.ToTurn == nil:
		m.gone = append(m.gone, cut{})
	default:
		m.takeOut(*p.ToTurn)
	}
}

func (m *Messages) takeOut(turn int) {
	c := cut{at: len(m.done), starts: make(map[int]int)}
	for n, at := range m.starts {
		if n > turn {
			c.starts[n], c.at = at, min(c.at, at)
		}
	}
	maps.DeleteFunc(m.starts, func(n, _ int) bool { return n > turn })
	c.messages = slices.Clone(m.done[c.at:])
	m.done = m.done[:c.at:c.at]
	m.gone = append(m.gone, c)
}

// putBack puts the messages in where they were: turns that came since stand behind them.
func (m *Messages) putBack() {
	last := len(m.gone) - 1
	if last < 0 {
		return
	}
	c := m.gone[last]
	m.gone, m.back = m.gone[:last], c
	if c.starts == nil {
		return
	}
	for n, at := range m.starts {
		if at >= c.at {
			m.starts[n] = at + len(c.messages)
		}
	}
	maps.Copy(m.starts, c.starts)
	m.done = slices.Insert(slices.Clip(m.done), c.at, c.messages...)
}

// takeOutAgain takes out what the last revert's undoing put in, and nothing that was said since: that undoing could not be carried out.
func (m *Messages) takeOutAgain() {
	c := m.back
	for n, at := range m.starts {
		if at >= c.at+len(c.messages) {
			m.starts[n] = at - len(c.messages)
		}
	}
	for n := range c.starts {
		delete(m.starts, n)
	}
	m.done = slices.Delete(slices.Clone(m.done), c.at, c.at+len(c.messages))
	m.gone = append(m.gone, c)
}

// Turns returns the turns whose messages a revert to the end of a turn would take out of the window, in order.
func (m *Messages) Turns(after int) []int {
	var turns []int
	for n := range m.starts {
		if n > after {
			turns = append(turns, n)
		}
	}
	slices.Sort(turns)
	return turns
}

// Gone returns the turns that an undo of the last revert would put back, in order.
func (m *Messages) Gone() []int {
	if len(m.gone) == 0 {
		return nil
	}
	return slices.Sorted(maps.Keys(m.gone[len(m.gone)-1].starts))
}
