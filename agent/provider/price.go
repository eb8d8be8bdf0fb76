package provider

import "github.com/nodwyn/nodwyn/sessionlog/event"

// Price is what a model costs, in US dollars per million tokens. A price that is nil is not known; zero is free.
type Price struct {
	// Input is for prompt tokens that no cache was involved with.
	Input *float64
	// Output is for the tokens of the reply, reasoning included.
	Output *float64
	// Cached is for prompt tokens that the provider's cache held.
	Cached *float64
	// CacheWrite is for prompt tokens that the provider's cache took in.
	CacheWrite *float64
}

// million is the number of tokens that a price is for.
const million = 1e6

// Cost returns what a reply cost, or nil when its counts are not known, contradict each other, or name a kind of token without a price: a figure that leaves something out looks like one that does not.
func (p Price) Cost(u event.Usage) *float64 {
	if u.PromptTokens == nil || u.OutputTokens == nil {
		return nil
	}
	cached, written := count(u.CachedTokens), count(u.CacheWriteTokens)
	var sum float64
	for _, part := range []struct {
		tokens int64
		price  *float64
	}{{*u.PromptTokens - cached - written, p.Input}, {cached, p.Cached}, {written, p.CacheWrite}, {*u.OutputTokens, p.Output}} {
		if part.tokens < 0 || part.tokens > 0 && part.price == nil {
			return nil
		}
		if part.tokens > 0 {
			sum += float64(part.tokens) * *part.price
		}
	}
	if p == (Price{}) {
		return nil
	}
	sum /= million
	return &sum
}

// count returns what a server that does not speak of a cache used of it.
func count(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
