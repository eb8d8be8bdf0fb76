package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

const (
	// maxBackground bounds the commands that run beside a session's turns at once.
	maxBackground = 16
	// maxEnded bounds those that have ended and are still known.
	maxEnded = 16
)

// ErrTooMany says that as many background commands run as may.
var ErrTooMany = fmt.Errorf("%d commands already run in the background", maxBackground)

// ErrNoCommand says that no background command has that id.
var ErrNoCommand = errors.New("there is no such background command")

// Background is how a command that runs beside the turns stands.
type Background struct {
	// ID names it.
	ID string
	// Line is the command on one line.
	Line string
	// Running says that something of it is left.
	Running bool
	// Unseen says that it has ended and nobody has read how.
	Unseen bool
	// Killed says that Stop, or the end of the session, ended it.
	Killed bool
	// Err is why it could not be run to its end.
	Err error
	// Output is how it ended, once it has, and how long it ran until then or until now. Its text is what was printed since it was last asked for, and its Cut what was left out of that.
	Output
}

// job is a background command.
type job struct {
	id, line string
	started  time.Time
	end      context.CancelCauseFunc
	tape     *tape
	gone     chan struct{} // closed when nothing of it is left
	// Written before gone is closed, and read afterwards.
	out    Output
	err    error
	killed bool
	seen   atomic.Bool // its end was read
}

// Start runs a command beside the session's turns, once it is allowed, and returns its id. It ends by itself, by Stop, when its time is over, or with the guard. Its output passes the filter before anybody sees it.
func (g *Guard) Start(ctx context.Context, c Command, filter Filter) (id string, err error) {
	if g.crowded() {
		return "", ErrTooMany // before anyone is asked
	}
	if argv, err := c.argv(); err == nil && c.Action == "" {
		c.Action = "Run " + commandLine(argv) + " in the background"
	}
	line, spec, err := g.prepare(ctx, c, "")
	if err != nil {
		return "", err
	}
	spec.Head, spec.Tail = 0, 0
	life, end := context.WithCancelCause(g.life)
	j := &job{line: line, started: time.Now(), end: end, tape: newTape(filter), gone: make(chan struct{})}
	if err := g.admit(j, func() { g.runJob(life, j, spec, c.Timeout) }); err != nil {
		end(err)
		return "", errors.Join(err, spec.Close())
	}
	return j.id, nil
}

func (s *shared) crowded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.jobs)-len(s.endedLocked()) >= maxBackground
}

// admit names the job, puts it into the list and starts it, unless the guard was closed meanwhile or others came first.
func (g *Guard) admit(j *job, run func()) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	ended := g.endedLocked()
	switch {
	case g.leaving || g.life.Err() != nil:
		return ErrClosed
	case len(g.jobs)-len(ended) >= maxBackground:
		return ErrTooMany
	}
	if over := len(ended) - maxEnded; over >= 0 {
		g.jobs = slices.DeleteFunc(g.jobs, func(other *job) bool { return slices.Contains(ended[:over+1], other) })
	}
	g.started++
	j.id = fmt.Sprintf("b%d", g.started)
	g.jobs = append(g.jobs, j)
	g.beside.Go(run) // under the mutex, so that Close, which takes it before it waits, waits for this one
	return nil
}

func (s *shared) endedLocked() []*job {
	var ended []*job
	for _, j := range s.jobs {
		select {
		case <-j.gone:
			ended = append(ended, j)
		default:
		}
	}
	return ended
}

func (s *shared) jobLocked(id string) *job {
	if i := slices.IndexFunc(s.jobs, func(j *job) bool { return j.id == id }); i >= 0 {
		return s.jobs[i]
	}
	return nil
}

// runJob is the goroutine of a background command.
func (g *Guard) runJob(ctx context.Context, j *job, spec effect.Spec, timeout time.Duration) {
	defer j.end(nil)
	defer close(j.gone)
	defer spec.Close()
	live := &liveText{to: j.tape.add}
	spec.Live = live
	res, out, err := runTimed(ctx, spec, timeout)
	live.flush()
	j.tape.add(trouble(res))
	j.tape.close()
	j.out, j.err, j.killed = out, err, ctx.Err() != nil
}

// Background lists the background commands in the order of their start, without what they printed.
func (g *Guard) Background() []Background {
	g.mu.Lock()
	jobs := slices.Clone(g.jobs)
	g.mu.Unlock()
	list := make([]Background, len(jobs))
	for i, j := range jobs {
		list[i] = j.standing()
	}
	return list
}

// Follow returns how a background command stands, with what it printed since the last time. If that is nothing, it waits for something or for the end, but no longer than it is told.
func (g *Guard) Follow(ctx context.Context, id string, wait time.Duration) (Background, error) {
	j := g.job(id)
	if j == nil {
		return Background{}, ErrNoCommand
	}
	if err := j.await(ctx, wait); err != nil {
		return Background{}, err
	}
	return j.read(), nil
}

func (g *Guard) job(id string) *job {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.jobLocked(id)
}

// Stop ends a background command with all its processes and returns when they are gone, with what was printed and not read yet. It reports whether it was this that ended it: one that had ended before is left as it was.
func (g *Guard) Stop(ctx context.Context, id string) (b Background, ended bool, err error) {
	j := g.job(id)
	if j == nil {
		return Background{}, false, ErrNoCommand
	}
	ended = j.standing().Running
	j.end(errKilled)
	select {
	case <-j.gone:
		return j.read(), ended, nil
	case <-ctx.Done():
		return Background{}, false, context.Cause(ctx)
	}
}

// StopAll ends every background command with all its processes and lets none start any more. The function that it returns waits until they are gone.
func (g *Guard) StopAll() (wait func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leaving = true
	for _, j := range g.jobs {
		j.end(errKilled)
	}
	return g.beside.Wait
}

// standing is how the command stands, without its text.
func (j *job) standing() Background {
	b := Background{ID: j.id, Line: j.line}
	select {
	case <-j.gone:
		b.Output, b.Err, b.Killed, b.Unseen = j.out, j.err, j.killed, !j.seen.Load()
	default:
		b.Running, b.Wall = true, time.Since(j.started)
	}
	return b
}

// read takes what is new. How it stands is looked at first: what is printed in between comes with the next read, and nothing comes after the end.
func (j *job) read() Background {
	b := j.standing()
	if !b.Running {
		j.seen.Store(true)
	}
	b.Text, b.Cut = j.tape.take()
	return b
}

// await returns when something was printed, the command has ended or the time is over.
func (j *job) await(ctx context.Context, wait time.Duration) error {
	news, already := j.tape.news()
	if already || wait <= 0 {
		return nil
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	select {
	case <-news:
	case <-j.gone:
	case <-over.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
