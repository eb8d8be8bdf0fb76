package agent

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/openai"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// sideProvider stands for a server: it encodes as one does, and answers by a function.
type sideProvider struct {
	encoded func()
	answers func(ctx context.Context) (provider.Chunk, error)
}

func (sideProvider) Wire() string { return openai.Wire }
func (sideProvider) Host() string { return "127.0.0.1:1" }

func (p sideProvider) Encode(r provider.Request) ([]byte, error) {
	if p.encoded != nil {
		defer p.encoded()
	}
	return openai.Encode(r)
}

func (p sideProvider) Stream(ctx context.Context, _ []byte) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) { yield(p.answers(ctx)) }
}

// openSide returns a session with a log and a side model.
func openSide(t *testing.T, p sideProvider) *Session {
	t.Helper()
	s := openLog(t)
	s.agent.cfg.Side = Model{
		Identity: event.Model{Name: "side", Server: "local", Model: "small-1"}, Wire: openai.Wire, Base: nowhere{},
		Open: func(http.RoundTripper) (provider.Provider, error) { return p, nil },
	}
	return s
}

func replies(text, stop string) func(context.Context) (provider.Chunk, error) {
	return func(context.Context) (provider.Chunk, error) {
		return provider.Chunk{Attempt: 1, Text: text, Stop: stop}, nil
	}
}

// lastReply is the record of the session's last reply.
func lastReply(t *testing.T, s *Session) event.LLMResp {
	t.Helper()
	var last event.LLMResp
	if err := s.agent.Fold(s.id, func(e event.Event) {
		if p, ok := e.Payload.(event.LLMResp); ok {
			last = p
		}
	}); err != nil {
		t.Fatal(err)
	}
	return last
}

// titles are those that the session was ever given.
func titles(t *testing.T, s *Session) []string {
	t.Helper()
	var all []string
	if err := s.agent.Fold(s.id, func(e event.Event) {
		if p, ok := e.Payload.(event.SessionTitle); ok {
			all = append(all, p.Title)
		}
	}); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestName(t *testing.T) {
	for name, c := range map[string]struct {
		text, stop, before string
		title, wrong       string
	}{
		"a title":                   {"Greet the world.", "end", "", "Greet the world", ""},
		"a person was faster":       {"Greet the world", "end", "Mine", "Mine", ""},
		"nothing":                   {" ", "end", "", "", "holds no title"},
		"a refusal of the server's": {"Greet", "refusal", "", "", `stopped with "refusal"`},
		"cut off":                   {"Greet the", "length", "", "", `stopped with "length"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := openSide(t, sideProvider{answers: replies(c.text, c.stop)})
			if c.before != "" {
				if err := s.SetTitle("ann", c.before); err != nil {
					t.Fatal(err)
				}
			}
			err := s.name(t.Context(), &guard.Guard{}, "say hello", "Done.")
			if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("error: got %v, want %q", err, c.wrong)
			}
			if got := strings.Join(titles(t, s), ", "); got != c.title {
				t.Errorf("titles: got %q, want %q", got, c.title)
			}
		})
	}
}

// TestNameIsGivenUp has a server that never answers: after a minute the request is over and on record.
func TestNameIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openSide(t, sideProvider{answers: func(ctx context.Context) (provider.Chunk, error) {
			<-ctx.Done()
			return provider.Chunk{}, context.Cause(ctx)
		}})
		start := time.Now()
		err := s.name(t.Context(), &guard.Guard{}, "say hello", "Done.")
		if err == nil || !strings.Contains(err.Error(), "no answer within 1m0s") {
			t.Errorf("error: got %v, want that there was no answer", err)
		}
		if got := time.Since(start); got != titlePatience {
			t.Errorf("time: got %s, want %s", got, titlePatience)
		}
		if got := lastReply(t, s).Stop; got != "error" {
			t.Errorf("stop: got %q, want error", got)
		}
	})
}

// TestChangedAsideIsNotSent registers a secret between the making of a body and its record, which then are not the same any more.
func TestChangedAsideIsNotSent(t *testing.T) {
	var s *Session
	secret := strings.Repeat("k3", 12)
	s = openSide(t, sideProvider{
		encoded: func() {
			if err := s.agent.cfg.Redactor.Register("test", "one", secret); err != nil {
				t.Error(err)
			}
		},
		answers: func(context.Context) (provider.Chunk, error) {
			t.Error("the request was sent")
			return provider.Chunk{}, errors.New("sent")
		},
	})
	_, err := s.askAside(t.Context(), &guard.Guard{}, question{purpose: "title", system: "name it", text: "the key is " + secret})
	if !errors.Is(err, errChanged) {
		t.Errorf("got %v, want %v", err, errChanged)
	}
	if got := lastReply(t, s).Stop; got != "error" {
		t.Errorf("stop: got %q, want error", got)
	}
}
