package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// request builds the next request from what is on record, so that a replay of the file builds the same.
func (s *Session) request() provider.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return provider.Request{Model: s.messages.Model().Model, Context: s.messages.Recipe(), Messages: s.messages.Window()}
}

// ask sends one request and returns the reply as it stands in the log.
func (t *Turn) ask(ctx context.Context, step int) (event.LLMResp, error) {
	s := t.s
	if s.provider == nil {
		return event.LLMResp{}, s.agent.cfg.NoModel
	}
	req := s.request()
	body, err := s.provider.Encode(req)
	if err != nil {
		return event.LLMResp{}, fmt.Errorf("build request: %w", err)
	}
	tokens := (len(body) + 3) / 4
	if err := compactNow(tokens, req.Context.Limits); err != nil {
		return event.LLMResp{}, err
	}
	sum := sha256.Sum256(body)
	id := s.model.Identity
	evs, err := s.append(event.LLMReq{
		Purpose: "turn", Turn: t.n, Step: step, Server: id.Server, Name: id.Name, Model: id.Model,
		Host: s.provider.Host(), BodySHA256: hex.EncodeToString(sum[:]), WindowTokens: tokens,
	})
	if err != nil {
		return event.LLMResp{}, err
	}
	return t.stream(ctx, evs[0].Seq, body)
}

// stream runs the request and records the reply, whatever it came to.
func (t *Turn) stream(ctx context.Context, req int64, body []byte) (event.LLMResp, error) {
	var reply provider.Reply
	live := t.newPreview(req)
	var failed error
	size, attempt := 0, 0
	for chunk, err := range t.s.provider.Stream(ctx, body) {
		if err != nil {
			failed = err
			break
		}
		if size += len(chunk.Text) + len(chunk.Thinking) + callSize(chunk.Call); size > maxReply {
			failed = fmt.Errorf("the reply is over %d MiB and does not end", maxReply>>20)
			break
		}
		if chunk.Attempt > attempt {
			attempt, size = chunk.Attempt, 0
		}
		reply.Add(chunk)
		live.add(chunk)
	}
	live.close()
	return t.s.conclude(ctx, t.s.model, reply.Resp(req), failed)
}

// conclude records what a request came to, and returns it as it stands in the log.
func (s *Session) conclude(ctx context.Context, m Model, resp event.LLMResp, failed error) (event.LLMResp, error) {
	if resp.Usage.Cost == nil { // a reported cost always wins
		resp.Usage.Cost = m.Price.Cost(resp.Usage)
		resp.Usage.CostEstimated = resp.Usage.Cost != nil
	}
	if failed == nil && ctx.Err() != nil {
		failed = context.Cause(ctx)
	}
	if failed != nil {
		markBroken(ctx, &resp, failed)
	}
	evs, err := s.append(resp)
	if err != nil {
		return event.LLMResp{}, err
	}
	recorded := evs[0].Payload.(event.LLMResp)
	if failed != nil {
		return recorded, fmt.Errorf("ask %s: %w", m.called(), failed)
	}
	return recorded, nil
}

// maxReply bounds one reply: a model that never stops must not take the server's memory, and every other session with it.
const maxReply = 8 << 20

func callSize(c *provider.CallPiece) int {
	if c == nil {
		return 0
	}
	return len(c.Name) + len(c.Args)
}

// markBroken turns what arrived of a reply into the record of one that did not complete: its calls never ran.
func markBroken(ctx context.Context, resp *event.LLMResp, failed error) {
	resp.ToolCalls, resp.Opaque = nil, nil
	resp.Stop, resp.Error = "error", failed.Error()
	var perr *provider.Error
	switch {
	case ctx.Err() != nil && !errors.Is(context.Cause(ctx), errSilent):
		resp.Stop, resp.Error = "cancelled", ""
	case errors.As(failed, &perr) && perr.Overflow():
		resp.Stop = "context"
	}
}

// preview passes the stream on as the redactor releases it: to the log as chunks, to clients as deltas. A call's arguments are released whole: JSON can spell a secret with escapes, which only a decoder sees through.
type preview struct {
	t        *Turn
	req      int64
	attempt  int
	text     *redact.Stream
	thinking *redact.Stream
	calls    map[int]*event.CallDelta
}

func (t *Turn) newPreview(req int64) *preview {
	p := &preview{t: t, req: req}
	p.restart(1)
	return p
}

// restart forgets what an attempt that broke had held back.
func (p *preview) restart(attempt int) {
	r := p.t.s.agent.cfg.Redactor
	p.attempt, p.text, p.thinking, p.calls = attempt, r.Stream(), r.Stream(), make(map[int]*event.CallDelta)
}

func (p *preview) add(c provider.Chunk) {
	if c.Attempt > p.attempt {
		p.restart(c.Attempt)
	}
	if c.Text != "" {
		p.emit(event.Delta{Text: p.text.Write(c.Text)})
	}
	if c.Thinking != "" {
		p.emit(event.Delta{Thinking: p.thinking.Write(c.Thinking)})
	}
	if c.Call == nil {
		return
	}
	call, known := p.calls[c.Call.Index]
	if !known {
		call = &event.CallDelta{Index: c.Call.Index}
		p.calls[c.Call.Index] = call
	}
	call.Name += c.Call.Name
	call.Args += c.Call.Args
}

// close lets go of what was held back.
func (p *preview) close() {
	p.emit(event.Delta{Thinking: p.thinking.Close()})
	p.emit(event.Delta{Text: p.text.Close()})
	r := p.t.s.agent.cfg.Redactor
	for _, i := range slices.Sorted(maps.Keys(p.calls)) {
		call := p.calls[i]
		call.Name, _ = r.String(call.Name)
		if clean, _, err := r.JSON([]byte(call.Args)); err == nil {
			call.Args = string(clean)
		} else {
			call.Args, _ = r.String(call.Args)
		}
		p.emit(event.Delta{ToolCall: call})
	}
}

func (p *preview) emit(d event.Delta) {
	if d == (event.Delta{}) {
		return
	}
	s := p.t.s
	chunk := event.LLMChunk{Req: p.req, Delta: d}
	if p.attempt > 1 {
		chunk.Attempt = p.attempt
	}
	s.log.Buffer(chunk)
	if d.ToolCall != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subs {
		sub.deltaLocked(Delta{Turn: p.t.n, Attempt: p.attempt, Text: d.Text, Thinking: d.Thinking})
	}
}
