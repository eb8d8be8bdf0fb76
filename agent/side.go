package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// maxMaterial bounds each part of what a request beside the conversation holds.
const maxMaterial = 8 << 10

// errSilent is why a request was given up that nobody cancelled.
var errSilent = errors.New("no answer")

// question is what the side model is asked.
type question struct {
	// purpose is the log's word for it.
	purpose string
	// system says what is wanted, text what it is made of.
	system, text string
}

// asideRequest is the request beside the conversation that p records.
func asideRequest(p event.LLMReq) provider.Request {
	return provider.Request{Model: p.Model, Context: p.Aside.Context, Messages: []view.Message{{Role: view.User, Text: p.Aside.Text}}}
}

// hasSide reports whether somebody can be asked beside the conversation.
func (s *Session) hasSide() bool { return s.agent.cfg.Side.Open != nil }

// askAside asks the side model one thing, through a guard of the session. What the request holds is in its record, since it is not folded from the conversation.
func (s *Session) askAside(ctx context.Context, g *guard.Guard, q question) (string, error) {
	m := s.agent.cfg.Side
	p, err := m.Open(g.Transport("model", m.Base))
	if err != nil {
		return "", fmt.Errorf("open model %q: %w", m.Identity.Name, err)
	}
	req := event.LLMReq{
		Purpose: q.purpose, Server: m.Identity.Server, Name: m.Identity.Name, Model: m.Identity.Model, Host: p.Host(),
		Aside: &event.Aside{
			Context: event.Context{System: q.system, Tools: []event.ToolSpec{}, Limits: m.Limits, Options: m.Options, Wire: m.Wire},
			Text:    strings.ToValidUTF8(q.text, "\uFFFD"),
		},
	}
	body, err := s.asideBody(p, req)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(body)
	req.BodySHA256, req.WindowTokens = hex.EncodeToString(sum[:]), (len(body)+3)/4
	evs, err := s.append(req)
	if err != nil {
		return "", err
	}
	resp, err := s.hear(ctx, p, evs[0], body)
	if err == nil && resp.Stop != "end" {
		err = fmt.Errorf("ask %s: the reply stopped with %q", m.called(), resp.Stop)
	}
	return resp.Text, err
}

// asideBody makes the body of what the log will hold of a request: its digest stands in the same event, so that it cannot be made of the event.
func (s *Session) asideBody(p provider.Provider, req event.LLMReq) ([]byte, error) {
	raw, err := event.EncodePayload(req)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	clean, _, err := s.agent.cfg.Redactor.JSON(raw)
	if err != nil {
		return nil, fmt.Errorf("redact request: %w", err)
	}
	recorded, err := event.DecodePayload(event.KindOf(req), clean)
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	body, err := p.Encode(asideRequest(recorded.(event.LLMReq)))
	if err != nil {
		return nil, fmt.Errorf("build request: %w", err)
	}
	return body, nil
}

// errChanged is why a request is not sent whose record was redacted otherwise than its body: a secret was registered in between.
var errChanged = errors.New("the request holds a secret that was registered as it was recorded, and was not sent")

// hear sends the body, reads the reply to its end and records it. Nobody watches it stream.
func (s *Session) hear(ctx context.Context, p provider.Provider, req event.Event, body []byte) (event.LLMResp, error) {
	var reply provider.Reply
	m := s.agent.cfg.Side
	if again, err := p.Encode(asideRequest(req.Payload.(event.LLMReq))); err != nil || !bytes.Equal(again, body) {
		return s.conclude(ctx, m, reply.Resp(req.Seq), errors.Join(errChanged, err))
	}
	var failed error
	size := 0
	for chunk, err := range p.Stream(ctx, body) {
		if size += len(chunk.Text) + len(chunk.Thinking) + callSize(chunk.Call); err == nil && size > maxReply {
			err = fmt.Errorf("the reply is over %d MiB and does not end", maxReply>>20)
		}
		if err != nil {
			failed = err
			break
		}
		reply.Add(chunk)
	}
	return s.conclude(ctx, m, reply.Resp(req.Seq), failed)
}

// sideFailed notes that something which can be done without was not had. The log may be the reason, and then whatever comes next says so.
func (s *Session) sideFailed(what string, why error) {
	_ = s.record(event.Note{Code: "side_failed", Text: what + ": " + why.Error()})
}

// head keeps the beginning of a part.
func head(text string) string {
	if len(text) <= maxMaterial {
		return text
	}
	return strings.ToValidUTF8(text[:maxMaterial], "") + "\n[…]"
}
