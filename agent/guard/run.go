package guard

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/agent/guard/internal/sandbox"
)

const (
	// headBytes and tailBytes are what is kept of a command's output.
	headBytes = 16 << 10
	tailBytes = 48 << 10
)

// exitNotStarted is the code that a shell gives for a command that it cannot start.
const exitNotStarted = 127

// Command is a command to run in the session's tree.
type Command struct {
	// Argv is the program and its arguments.
	Argv []string
	// Shell is a text for sh -c. Exactly one of Argv and Shell is set.
	Shell string
	// Cwd is a folder of the tree; empty is its root.
	Cwd string
	// Timeout ends the command; 0 lets it run.
	Timeout time.Duration
	// Action is what the person is shown; empty is "Run" and the command.
	Action string
	// ForPerson lets the command reach what proves who the person is, such as their SSH agent. It is for a git that pushes for them.
	ForPerson bool
	// Live is given the output while the command runs, fit to be shown, piece by piece; nil for nobody. It must not wait.
	Live func(text string)
}

// Output is what a command did.
type Output struct {
	// Exit is its exit code; nil when a signal ended it. 127 says that it could not be started.
	Exit *int
	// Signal names the signal that ended it.
	Signal string
	// Text is the beginning and the end of what it printed, fit to be shown.
	Text string
	// Cut counts the bytes in between that were left out.
	Cut int64
	// TimedOut says that its time was over.
	TimedOut bool
	// Wall is how long it ran, without waiting for an answer.
	Wall time.Duration
	// Ended names processes that were ended with it: those that still ran when its time was over, or that it left behind.
	Ended []string
}

// errTimeout is the cause when a command's own time is over, errKilled when Kill ends it.
var (
	errTimeout = errors.New("its time is over")
	errKilled  = errors.New("killed")
)

// Run runs a command to its end, and ends whatever it leaves behind. When ctx ends, the command does, and the error is the cause; the output until then is returned with it.
func (g *Guard) Run(ctx context.Context, c Command) (Output, error) {
	return g.run(ctx, c, "")
}

// RunTrusted runs a command of a project whose exact content the person has trusted. It asks nobody and is recorded under the given rule; a denial of the configuration still holds.
func (g *Guard) RunTrusted(ctx context.Context, c Command, rule string) (Output, error) {
	if rule == "" {
		return Output{}, errors.New("run trusted command: the rule that trusts it is missing")
	}
	return g.run(ctx, c, rule)
}

func (g *Guard) run(ctx context.Context, c Command, trusted string) (Output, error) {
	line, spec, err := g.prepare(ctx, c, trusted)
	if err != nil {
		return Output{}, err
	}
	defer spec.Close()
	if c.Live != nil {
		spec.Live = &liveText{to: c.Live}
	}
	return g.execute(ctx, line, spec, c.Timeout)
}

// prepare returns what may be run now, its decision being durable. The caller closes its folder.
func (g *Guard) prepare(ctx context.Context, c Command, trusted string) (line string, spec effect.Spec, err error) {
	r, err := c.read()
	if err != nil {
		return "", spec, err
	}
	if g.life.Err() != nil {
		return "", spec, context.Cause(g.life)
	}
	line = commandLine(r.argv)
	if len(g.cfg.Supervisor) == 0 {
		return "", spec, fmt.Errorf("run %q: no supervisor is configured", line)
	}
	p, folder, err := g.folder(r.within(c.Cwd))
	if err != nil {
		return "", spec, fmt.Errorf("run %q: %w", line, err)
	}
	defer func() {
		if err != nil && folder != nil {
			_ = folder.Close()
		}
	}()
	if err := g.permitRun(ctx, c, p, &r, trusted); err != nil {
		return "", spec, err
	}
	if err := folder.Check(); err != nil {
		return "", spec, &DeniedError{Op: OpExec, Target: line, Rule: ruleStale, Reason: fmt.Sprintf("its working folder %q was replaced while the decision was made", p.abs)}
	}
	spec = effect.Spec{
		Plan: r.plan, Folder: folder, Env: g.scrubbed(p.abs),
		Supervisor: g.cfg.Supervisor, Head: headBytes, Tail: tailBytes,
	}
	if c.ForPerson { // a sandbox would keep it from what it needs, and from the network
		spec.Env = lastWins(append(spec.Env, forPerson(g.cfg.environment())...))
		return line, spec, nil
	}
	onlyReads := false
	if g.cfg.Sandbox.Contains() {
		if onlyReads, err = g.harden(ctx, &r, p.abs); err != nil {
			return "", spec, fmt.Errorf("run %q: %w", line, err)
		}
	}
	if err := g.contain(ctx, &spec, &r, p.abs, !onlyReads); err != nil {
		return "", spec, &DeniedError{Op: OpExec, Target: line, Rule: ruleSandbox, Reason: err.Error()}
	}
	return line, spec, nil
}

// permitRun returns nil when the command may run in the folder that was found for it.
func (g *Guard) permitRun(ctx context.Context, c Command, p place, r *reading, trusted string) error {
	hazard := p.hazard
	if hazard != nil {
		hazard = &Hazard{hazard.Rule, fmt.Sprintf("its working folder %q cannot be used: %s", c.Cwd, hazard.Reason)}
	}
	line, words := commandLine(r.argv), c.Action
	if words == "" {
		words = "Run " + line
	}
	action := Action{Op: OpExec, Argv: r.argv, Cwd: p.rel}
	if hazard == nil {
		var err error
		if action, err = g.action(r, p); err != nil {
			return fmt.Errorf("run %q: %w", line, err)
		}
	}
	action.Hazard, action.Trusted = hazard, trusted
	return g.permit(ctx, request{
		action: action, target: line,
		prompt: func() Prompt { return Prompt{Action: visible(words), Argv: r.argv, Cwd: p.abs} },
	})
}

func (c Command) argv() ([]string, error) {
	switch {
	case (c.Shell == "") == (len(c.Argv) == 0):
		return nil, errors.New("run command: exactly one of argv and shell text must be given")
	case c.Shell != "":
		return []string{"sh", "-c", c.Shell}, nil
	case c.Argv[0] == "":
		return nil, errors.New("run command: the program's name is empty")
	}
	return c.Argv, nil
}

// execute runs what was permitted. The run is in the guard's list from before its start until nothing of it is left.
func (g *Guard) execute(ctx context.Context, line string, spec effect.Spec, timeout time.Duration) (Output, error) {
	bound, done := g.bound(ctx)
	defer done()
	r, running := g.begin(bound, line)
	defer g.finish(r)
	res, out, err := runTimed(running, spec, timeout)
	out.Text, out.Cut = joinCut(res.Head, res.Tail, res.Cut)
	out.Text += trouble(res)
	switch {
	case err != nil:
		return out, fmt.Errorf("run %q: %w", line, err)
	case bound.Err() != nil:
		return out, context.Cause(bound)
	}
	return out, nil
}

// runTimed runs a command for no longer than its time, and says how it ended.
func runTimed(ctx context.Context, spec effect.Spec, timeout time.Duration) (effect.Result, Output, error) {
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	start := time.Now()
	res, err := effect.Run(ctx, spec)
	out := Output{Exit: res.Exit, Signal: res.Signal, Wall: time.Since(start), TimedOut: context.Cause(ctx) == errTimeout}
	for _, name := range res.Ended {
		if !isBox(name) {
			out.Ended = append(out.Ended, visible(name))
		}
	}
	unbox(spec, &out)
	if res.NotStarted != "" {
		code := exitNotStarted
		out.Exit = &code
	}
	return res, out, err
}

// trouble says what stands behind the output of a command that did not run, or not to its very end.
func trouble(res effect.Result) string {
	switch {
	case res.NotStarted != "":
		return "cannot start: " + visible(res.NotStarted) + "\n"
	case res.Left > 0:
		return fmt.Sprintf("\n[%d processes could not be ended]\n", res.Left)
	}
	return ""
}

// Supervise is the life of the process that stands between nodwyn and a command, which nodwyn starts as "nodwyn supervise". It returns the exit code.
func Supervise(args []string) int {
	if len(args) > 0 && args[0] == insideWord {
		return sandbox.Enter(args[1:])
	}
	if len(args) > 0 {
		return 2
	}
	return effect.Supervise()
}
