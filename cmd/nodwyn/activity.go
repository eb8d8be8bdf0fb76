package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// activity says what goes on at the moment, on a terminal, for as long as it takes.
type activity struct {
	screen *display

	// The follower owns these: what the events come to.
	trail view.Trail
	model string

	mu    sync.Mutex // guards what and since
	what  string     // empty while there is nothing to say or a person is asked
	since time.Time
}

// worthALine is how long something takes at least that a person is told of.
const worthALine = 500 * time.Millisecond

// run draws the line again and again, since its seconds pass, until ctx ends.
func (a *activity) run(ctx context.Context) {
	tick := time.NewTicker(worthALine)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			a.draw()
		case <-ctx.Done():
			a.set("")
			return
		}
	}
}

func (a *activity) draw() {
	a.mu.Lock()
	defer a.mu.Unlock()
	took := time.Since(a.since)
	if a.what == "" || took < worthALine {
		return
	}
	a.screen.draw(fmt.Sprintf("… %s, %d s", a.what, int(took.Seconds())))
}

// set changes what is said. The old line is gone when it returns.
func (a *activity) set(what string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.what == what {
		return
	}
	a.what, a.since = what, time.Now()
	a.screen.draw("")
}

// take folds what a session tells.
func (a *activity) take(it agent.Item) {
	switch {
	case it.Delta != nil && it.Delta.Attempt > 1:
		a.set(fmt.Sprintf("%s writes, attempt %d", a.model, it.Delta.Attempt))
	case it.Delta != nil && it.Delta.Text == "":
		a.set(a.model + " thinks")
	case it.Delta != nil:
		a.set(a.model + " writes")
	case it.Event != nil:
		a.trail.Apply(*it.Event)
		a.event(it.Event.Payload)
	}
}

func (a *activity) event(p event.Payload) {
	switch p := p.(type) {
	case event.LLMReq:
		a.model = p.Model
		if a.model == "" {
			a.model = p.Server
		}
		a.set("waiting for " + a.model)
	case event.ToolCall, event.ToolResult, event.PromptClose:
		a.set(a.running())
	case event.GuardDecision:
		if p.ID == "" && p.Op == "exec" && p.Decision == "allow" { // a check of the project's
			a.set("running " + p.Target)
		}
	case event.LLMResp, event.CloseoutItem, event.Proof:
		a.set("finishing the turn")
	case event.PromptOpen:
		a.set("")
	case event.TurnEnd:
		a.set("closing the session")
	}
}

// running is the step of the turn that runs.
func (a *activity) running() string {
	for _, step := range a.trail.Turn(a.trail.Last()) {
		if step.State == "running" {
			return step.Text
		}
	}
	return "going on"
}

// watch is the activity of a job with its goroutine.
type watch struct {
	*activity
	stop context.CancelFunc
	done sync.WaitGroup
}

// watch starts to say what goes on, where it can be taken back.
func (j *job) watch() *watch {
	ctx, stop := context.WithCancel(context.Background())
	w := &watch{activity: &activity{screen: j.screen}, stop: stop}
	if j.screen.live() {
		w.done.Go(func() { w.run(ctx) })
	}
	return w
}

// end takes the line away and waits for the goroutine.
func (w *watch) end() {
	w.stop()
	w.done.Wait()
}
