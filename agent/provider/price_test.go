package provider

import (
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

func TestPriceCost(t *testing.T) {
	full := Price{Input: new(3.0), Output: new(15.0), Cached: new(0.5), CacheWrite: new(4.0)}
	plain := Price{Input: new(3.0), Output: new(15.0)}
	reply := func(prompt, output int64) event.Usage {
		return event.Usage{PromptTokens: &prompt, OutputTokens: &output}
	}
	with := func(u event.Usage, cached, written int64) event.Usage {
		u.CachedTokens, u.CacheWriteTokens = &cached, &written
		return u
	}
	for _, c := range []struct {
		name  string
		price Price
		usage event.Usage
		want  *float64
	}{
		{"prompt and reply", plain, reply(1_000_000, 200_000), new(6.0)},
		{"each kind at its own price", full, with(reply(1_000_000, 0), 500_000, 250_000), new(0.75 + 0.25 + 1.0)},
		{"a cache that was not used", plain, with(reply(1_000_000, 0), 0, 0), new(3.0)},
		{"free", Price{Input: new(0.0), Output: new(0.0)}, reply(5, 5), new(0.0)},
		{"no prices", Price{}, reply(5, 5), nil},
		{"no prices and nothing used", Price{}, reply(0, 0), nil},
		{"cached tokens without a price", plain, with(reply(100, 1), 50, 0), nil},
		{"cache writes without a price", plain, with(reply(100, 1), 0, 50), nil},
		{"reply without a price", Price{Input: new(3.0)}, reply(100, 1), nil},
		{"unreported", full, event.Usage{Unreported: true}, nil},
		{"prompt unreported", full, event.Usage{OutputTokens: new(int64(1))}, nil},
		{"more cached than sent", full, with(reply(100, 1), 101, 0), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := c.price.Cost(c.usage)
			if (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
				t.Errorf("cost: got %v, want %v", shown(got), shown(c.want))
			}
		})
	}
}

// shown is a figure as a failure names it.
func shown(f *float64) any {
	if f == nil {
		return "unknown"
	}
	return *f
}
