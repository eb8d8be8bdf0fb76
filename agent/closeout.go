package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// closeoutFile names what proves a turn, in the tree.
const closeoutFile = ".nodwyn/closeout.toml"

const (
	maxCloseoutFile = 1 << 20
	maxOutputTail   = 8 << 10
	closeoutTimeout = 10 * time.Minute
)

// always stands for every moment: the person asks for all checks.
const always = ""

// item is one check of the project's.
type item struct {
	Name    string   `toml:"name"`
	Kind    string   `toml:"kind"`
	Run     []string `toml:"run"`
	Timeout duration `toml:"timeout"`
	When    string   `toml:"when"`
	Retry   int      `toml:"retry"`
}

type duration time.Duration

// UnmarshalText reads "90s" or "10m".
func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 {
		return fmt.Errorf("%q is not a positive duration such as \"10m\"", text)
	}
	*d = duration(v)
	return nil
}

// parseCloseout reads the file strictly: an unknown key or an item that could not run is an error that names it.
func parseCloseout(content string) ([]item, error) {
	var file struct {
		Item []item `toml:"item"`
	}
	meta, err := toml.Decode(content, &file)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", closeoutFile, err)
	}
	if extra := meta.Undecoded(); len(extra) > 0 {
		return nil, fmt.Errorf("read %s: unknown key %q; an item has name, kind, run, timeout, when and retry", closeoutFile, extra[0].String())
	}
	for i := range file.Item {
		if err := file.Item[i].complete(); err != nil {
			return nil, fmt.Errorf("read %s: item %d: %w", closeoutFile, i+1, err)
		}
	}
	return file.Item, nil
}

// complete fills in what is absent and refuses what could not run.
func (it *item) complete() error {
	if it.Kind == "" {
		it.Kind = "command"
	}
	if it.When == "" {
		it.When = "turn"
	}
	if it.Timeout == 0 {
		it.Timeout = duration(closeoutTimeout)
	}
	switch {
	case it.Name == "":
		return errors.New("name is missing")
	case it.Kind != "command":
		return fmt.Errorf("kind %q is not known; it is \"command\"", it.Kind)
	case len(it.Run) == 0 || it.Run[0] == "":
		return errors.New("run is missing: the command as a list of words")
	case it.When != "turn" && it.When != "land" && it.When != "manual":
		return fmt.Errorf("when %q is not known; it is \"turn\", \"land\" or \"manual\"", it.When)
	case it.Retry < 0:
		return errors.New("retry is negative")
	}
	return nil
}

// failure is an item that did not pass.
type failure struct {
	item item
	done event.CloseoutItem
}

// text says to the model what failed.
func (f failure) text() string {
	how := "failed"
	if f.done.Outcome == "timeout" {
		how = "did not end within " + time.Duration(f.item.Timeout).String()
	}
	return fmt.Sprintf("The project's check %q (%s) %s. Its output ends:\n\n%s", f.item.Name, strings.Join(f.item.Run, " "), how, f.done.OutputTail)
}

// runsAt reports whether the item is for a moment.
func (it item) runsAt(when string) bool { return when == always || it.When == when }

func names(failures []failure) []string {
	var out []string
	for _, f := range failures {
		out = append(out, f.item.Name)
	}
	return out
}

// closeout runs the items of one moment in order and returns those that did not pass. A file that cannot be read is shown as an item that failed, not hidden.
func (t *Turn) closeout(ctx context.Context, when string) ([]failure, error) {
	g := t.s.guard.ForCall(t.n, "")
	content, err := g.ReadFile(ctx, closeoutFile, maxCloseoutFile)
	if errors.Is(err, fs.ErrNotExist) {
		return t.detected(ctx, g, when)
	}
	if err != nil {
		return t.brokenCloseout(err)
	}
	items, err := parseCloseout(string(content))
	if err != nil {
		return t.brokenCloseout(err)
	}
	if !slices.ContainsFunc(items, func(it item) bool { return it.runsAt(when) }) {
		return nil, nil
	}
	trusted, err := g.Trusted(ctx, closeoutFile, content)
	if err != nil && ctx.Err() == nil {
		return nil, fmt.Errorf("ask for trust in %s: %w", closeoutFile, err)
	}
	return t.runItems(ctx, g, items, when, trusted)
}

// detected runs the checks that the repository has by its looks, once the person took them up.
func (t *Turn) detected(ctx context.Context, g *guard.Guard, when string) ([]failure, error) {
	if when != "turn" && when != always {
		return nil, nil
	}
	items, content, err := detect(func(name string) ([]byte, error) { return g.ReadFile(ctx, name, maxCloseoutFile) })
	if err != nil {
		return nil, fmt.Errorf("look for the project's checks: %w", err)
	}
	if len(items) == 0 {
		return nil, nil
	}
	use, err := g.Adopt(ctx, proposal(items), content)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	if !use {
		return nil, nil
	}
	return t.runItems(ctx, g, items, when, true)
}

func (t *Turn) runItems(ctx context.Context, g *guard.Guard, items []item, when string, trusted bool) ([]failure, error) {
	var failures []failure
	for _, it := range items {
		if !it.runsAt(when) {
			continue
		}
		done, err := t.runItem(ctx, g, it, trusted)
		if err != nil {
			return failures, err
		}
		if done.Outcome == "failed" || done.Outcome == "timeout" {
			failures = append(failures, failure{item: it, done: done})
		}
	}
	return failures, nil
}

func (t *Turn) brokenCloseout(why error) ([]failure, error) {
	done := event.CloseoutItem{Turn: t.n, Name: closeoutFile, Kind: "command", Argv: []string{}, Outcome: "failed", OutputTail: why.Error()}
	return []failure{{item: item{Name: closeoutFile}, done: done}}, t.s.record(done)
}

// runItem runs one item, or lists it as skipped when it is not trusted or the turn is ending.
func (t *Turn) runItem(ctx context.Context, g *guard.Guard, it item, trusted bool) (event.CloseoutItem, error) {
	done := event.CloseoutItem{Turn: t.n, Name: it.Name, Kind: it.Kind, Argv: it.Run, Outcome: "skipped"}
	if !trusted || ctx.Err() != nil {
		return done, t.s.record(done)
	}
	if t.s.repo != nil {
		tree, err := t.s.repo.Tree(ctx, t.s.tree)
		if err != nil {
			return done, fmt.Errorf("see the tree that %s checks: %w", it.Name, err)
		}
		done.Tree = tree
	}
	defer t.s.unfollow(checkCall)
	out, err := g.RunTrusted(ctx, guard.Command{
		Argv: it.Run, Cwd: ".", Timeout: time.Duration(it.Timeout), Live: t.s.follow(checkCall).add,
	}, view.CheckRule)
	done.WallMS, done.OutputTail, done.Exit = out.Wall.Milliseconds(), tail(out.Text, maxOutputTail), out.Exit
	switch {
	case ctx.Err() != nil:
		done.Outcome = "skipped"
	case err != nil:
		done.Outcome, done.OutputTail = "failed", err.Error()
	case out.TimedOut:
		done.Outcome = "timeout"
	case out.Exit != nil && *out.Exit == 0:
		done.Outcome = "passed"
	default:
		done.Outcome = "failed"
	}
	return done, t.s.record(done)
}

// tail keeps the end of a text, from the start of a line where there is one.
func tail(s string, size int) string {
	if len(s) <= size {
		return s
	}
	s = s[len(s)-size:]
	if _, rest, ok := strings.Cut(s, "\n"); ok {
		return rest
	}
	return strings.ToValidUTF8(s, "")
}
