package guard

import (
	"context"
	"slices"
)

// running is a command that runs now.
type running struct {
	line string
	end  context.CancelCauseFunc
	gone chan struct{} // closed when nothing of it is left
}

func (s *shared) begin(ctx context.Context, line string) (*running, context.Context) {
	ctx, end := context.WithCancelCause(ctx)
	r := &running{line: line, end: end, gone: make(chan struct{})}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = append(s.runs, r)
	return r, ctx
}

func (s *shared) finish(r *running) {
	s.mu.Lock()
	s.runs = slices.DeleteFunc(s.runs, func(other *running) bool { return other == r })
	s.mu.Unlock()
	r.end(nil)
	close(r.gone)
}

// Running names the commands that run now.
func (g *Guard) Running() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var lines []string
	for _, r := range g.runs {
		lines = append(lines, r.line)
	}
	return lines
}

// Kill ends every running command with all its processes, and returns when they are gone, with what ran. When ctx ends first, it names those that are gone by then.
func (g *Guard) Kill(ctx context.Context) (killed []string) {
	g.mu.Lock()
	runs := slices.Clone(g.runs)
	g.mu.Unlock()
	for _, r := range runs {
		r.end(errKilled)
	}
	for _, r := range runs {
		select {
		case <-r.gone:
			killed = append(killed, r.line)
		case <-ctx.Done():
			return killed
		}
	}
	return killed
}
