package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// seqFlag is a number that may be left out: --request lists, --request 12 chooses.
type seqFlag struct {
	set bool
	seq int64
}

func (f *seqFlag) String() string   { return strconv.FormatInt(f.seq, 10) }
func (f *seqFlag) IsBoolFlag() bool { return true }
func (f *seqFlag) Set(v string) error {
	f.set = true
	if v == "true" {
		return nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 1 {
		return errors.New("it takes a number from the list that --request alone prints")
	}
	f.seq = n
	return nil
}

func replaySession(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("replay", flag.ContinueOnError)
	var request seqFlag
	tokens := set.Bool("tokens", false, "print what the model sent, as it came")
	set.Var(&request, "request", "print request number `[SEQ]` as it was sent to the model; without a number list them")
	words, err := parse(c, set, joinSeq(args), 1, 1)
	if err != nil {
		return err
	}
	a, id, err := readSession(ctx, c, words[0])
	if err != nil {
		return err
	}
	switch {
	case request.seq != 0:
		body, err := a.Request(id, request.seq)
		if err != nil {
			return err
		}
		_, err = c.out.Write(body)
		return err
	case request.set:
		return listRequests(c, a, id)
	case *tokens:
		return printStream(c, a, id)
	}
	text, err := a.Transcript(id)
	if err != nil {
		return err
	}
	_, err = io.WriteString(c.out, text)
	return err
}

// joinSeq ties a number to the --request before it: as a flag that may stand alone it would not take the next word.
func joinSeq(args []string) []string {
	var out []string
	for i, arg := range args {
		if _, err := strconv.ParseInt(arg, 10, 64); err == nil && i > 0 && (args[i-1] == "--request" || args[i-1] == "-request") {
			out[len(out)-1] += "=" + arg
			continue
		}
		out = append(out, arg)
	}
	return out
}

func listRequests(c *console, a *agent.Agent, id string) error {
	none := true
	err := a.Fold(id, func(e event.Event) {
		if p, ok := e.Payload.(event.LLMReq); ok {
			none = false
			what := fmt.Sprintf("turn %d step %d", p.Turn, p.Step)
			if p.Aside != nil {
				what = p.Purpose
			}
			fmt.Fprintf(c.out, "%d  %s  %s  about %d tokens  sha256 %s\n", e.Seq, what, cmp.Or(p.Model, p.Server), p.WindowTokens, p.BodySHA256)
		}
	})
	if err == nil && none {
		fmt.Fprintln(c.err, "nothing: the session asked no model")
	}
	return err
}

// printStream prints what the model sent as it came, and the calls of a reply behind it, since their pieces may come mixed. The reply to a request beside the conversation has no pieces, and may stand between those of another.
func printStream(c *console, a *agent.Agent, id string) error {
	var pieces []event.LLMChunk
	err := a.Fold(id, func(e event.Event) {
		switch p := e.Payload.(type) {
		case event.LLMChunk:
			if len(pieces) > 0 && pieces[0].Attempt < p.Attempt {
				pieces = nil // an attempt that broke is void
			}
			pieces = append(pieces, p)
		case event.LLMResp:
			if len(pieces) > 0 && pieces[0].Req == p.Req {
				io.WriteString(c.out, streamText(pieces))
				pieces = nil
			}
		}
	})
	io.WriteString(c.out, streamText(pieces))
	return err
}

func streamText(pieces []event.LLMChunk) string {
	var text strings.Builder
	var calls []string
	for _, p := range pieces {
		text.WriteString(p.Delta.Thinking + p.Delta.Text)
		t := p.Delta.ToolCall
		if t == nil {
			continue
		}
		for len(calls) <= t.Index {
			calls = append(calls, "")
		}
		if t.Name != "" {
			calls[t.Index] += t.Name + " "
		}
		calls[t.Index] += t.Args
	}
	for _, line := range calls {
		if text.Len() > 0 {
			text.WriteByte('\n')
		}
		text.WriteString(line)
	}
	if text.Len() == 0 {
		return ""
	}
	return text.String() + "\n"
}
