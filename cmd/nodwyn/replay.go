package main

import (
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

// seqFlag is a number that may be left out: -request lists, -request=12 chooses.
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
		return errors.New("it takes the seq of an llm.req")
	}
	f.seq = n
	return nil
}

func replaySession(_ context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("replay", flag.ContinueOnError)
	var request seqFlag
	tokens := set.Bool("tokens", false, "print the model's raw stream")
	set.Var(&request, "request", "print the request body at `SEQ`, or list the requests")
	id, err := replayArgs(c, set, &request, args)
	if err != nil {
		return err
	}
	a, err := reader(c)
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

// replayArgs takes the seq as a word of its own too, as in `replay SESSION --request 12`.
func replayArgs(c *console, set *flag.FlagSet, request *seqFlag, args []string) (string, error) {
	words, err := parse(c, set, args, 1, 2)
	if err != nil {
		return "", err
	}
	if len(words) == 1 {
		return words[0], nil
	}
	if !request.set || request.seq != 0 {
		return "", misuse{fmt.Sprintf("%q is one argument too many", words[1])}
	}
	if err := request.Set(words[1]); err != nil {
		return "", misuse{"-request: " + err.Error()}
	}
	return words[0], nil
}

func listRequests(c *console, a *agent.Agent, id string) error {
	return a.Fold(id, func(e event.Event) {
		if p, ok := e.Payload.(event.LLMReq); ok {
			fmt.Fprintf(c.out, "%d  turn %d step %d  %s  about %d tokens  sha256 %s\n", e.Seq, p.Turn, p.Step, p.Model, p.WindowTokens, p.BodySHA256)
		}
	})
}

// printStream prints what the model sent as it came, and the calls of a reply behind it, since their pieces may come mixed.
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
			io.WriteString(c.out, streamText(pieces))
			pieces = nil
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
