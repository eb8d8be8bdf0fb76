package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Reply is one reply of a script.
type Reply struct {
	// Say is the answer text, and Think the reasoning text; several lines of one kind are joined with LF.
	Say, Think string
	// Calls are the tool calls, in order.
	Calls []Call
	// Usage is what the reply claims to have cost; nil when it does not say.
	Usage *event.Usage
}

// Call is one tool call of a reply.
type Call struct {
	// Name is the tool's name.
	Name string
	// Args are the arguments. A JSON string stands for a model that sends its text where an object belongs.
	Args jsontext.Value
}

// Parse reads a file of replies. Its lines are "say TEXT", "think TEXT", "call NAME JSON" and "usage JSON"; an empty line ends a reply. Name stands for the file in errors.
func Parse(text, name string) ([]Reply, error) {
	var out []Reply
	var r reader
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if strings.TrimSpace(line) == "" {
			out = r.finish(out)
			continue
		}
		if err := r.line(line); err != nil {
			return nil, fmt.Errorf("script %s: line %d: %w", name, number, err)
		}
	}
	return r.finish(out), nil
}

// reader collects the lines of one reply.
type reader struct {
	begun      bool
	reply      Reply
	say, think []string
}

func (r *reader) finish(out []Reply) []Reply {
	if !r.begun {
		return out
	}
	r.reply.Say, r.reply.Think = strings.Join(r.say, "\n"), strings.Join(r.think, "\n")
	out = append(out, r.reply)
	*r = reader{}
	return out
}

func (r *reader) line(line string) error {
	r.begun = true
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "say":
		r.say = append(r.say, rest)
	case "think":
		r.think = append(r.think, rest)
	case "call":
		return r.call(rest)
	case "usage":
		return r.usage(rest)
	default:
		return fmt.Errorf("%q is no word of a script; lines begin with say, think, call or usage", word)
	}
	return nil
}

func (r *reader) call(rest string) error {
	name, args, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if name == "" {
		return errors.New("a call needs a tool's name: call NAME JSON")
	}
	value := jsontext.Value(strings.TrimSpace(args))
	if !value.IsValid() {
		return fmt.Errorf("the arguments of call %q are not one JSON value: %q", name, args)
	}
	r.reply.Calls = append(r.reply.Calls, Call{Name: name, Args: value})
	return nil
}

func (r *reader) usage(rest string) error {
	if r.reply.Usage != nil {
		return errors.New("a reply has one usage line")
	}
	var u event.Usage
	if err := json.Unmarshal([]byte(rest), &u, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("usage %q: %w", rest, err)
	}
	r.reply.Usage = &u
	return nil
}
