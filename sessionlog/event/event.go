// Package event is the vocabulary of the session log: the Event, its Kind and one Go type per kind.
//
// Invariant: nothing here does I/O, reads a clock or keeps state. A payload type is declared once, listed once in the table of table.go, and its comments are the source of sessionlog/KINDS.md. The Payload interface is sealed: a kind that is not in this package cannot be appended, and a line whose kind is not in the table cannot be read.
package event

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kind names what an event is about, as noun.verb. It is the value of the log's "kind" field.
type Kind string

// Payload is what an event of one kind carries. Only the types of this package implement it.
type Payload interface {
	kind() Kind
}

// Event is one line of a session log.
type Event struct {
	// Seq is the position in the log, from 1, without gaps.
	Seq int64
	// TS is when the event was enqueued, in UTC. Durations are never derived from it.
	TS time.Time
	// Session is the id of the session whose log holds the event.
	Session string
	// Payload is the typed content; its type is the kind.
	Payload Payload
	// Raw is the payload as its line holds it, unknown fields included. It is nil for an event that was never encoded.
	Raw jsontext.Value
}

// Kind reports the kind of the event's payload.
func (e Event) Kind() Kind { return e.Payload.kind() }

// KindOf reports the kind of p.
func KindOf(p Payload) Kind { return p.kind() }

// timeLayout always writes nine decimals, so that lines of one log have one shape.
const timeLayout = "2006-01-02T15:04:05.000000000Z"

// options hold for every encoded byte of a log: no HTML escapes, and U+2028 and U+2029 escaped, since some line readers break lines there.
var options = json.JoinOptions(jsontext.EscapeForJS(true), jsontext.AllowInvalidUTF8(true))

// EncodePayload returns the JSON object of p as a log line holds it.
func EncodePayload(p Payload) (jsontext.Value, error) {
	raw, err := json.Marshal(p, options)
	if err != nil {
		return nil, fmt.Errorf("encode %s: %w", p.kind(), err)
	}
	return raw, nil
}

// DecodePayload decodes the payload of a kind. An unknown kind is an error that names it; unknown fields of a known kind are accepted.
func DecodePayload(kind Kind, raw []byte) (Payload, error) {
	entry, ok := byKind[kind]
	if !ok {
		return nil, &UnknownKindError{Kind: kind}
	}
	p, err := entry.decode(raw)
	if err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	return p, nil
}

// UnknownKindError says that a log holds a kind which this version does not know.
type UnknownKindError struct{ Kind Kind }

func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("unknown event kind %q", string(e.Kind))
}

// AppendLine appends the event's line, with its LF, to dst. The keys stand in the order seq, ts, session, kind, payload. Raw is written as it is when present, so that a copied event keeps the fields this version does not know.
func AppendLine(dst []byte, e Event) ([]byte, error) {
	raw := e.Raw
	if raw == nil {
		var err error
		if raw, err = EncodePayload(e.Payload); err != nil {
			return dst, err
		}
	}
	dst = strconv.AppendInt(append(dst, `{"seq":`...), e.Seq, 10)
	dst = e.TS.UTC().AppendFormat(append(dst, `,"ts":"`...), timeLayout)
	dst = append(dst, `","session":`...)
	var err error
	if dst, err = jsontext.AppendQuote(dst, e.Session); err != nil {
		return dst, fmt.Errorf("encode session id %q: %w", e.Session, err)
	}
	dst = append(dst, `,"kind":"`...)
	dst = append(dst, e.Kind()...)
	dst = append(dst, `","payload":`...)
	dst = append(dst, raw...)
	return append(dst, "}\n"...), nil
}

// line is the envelope of an event as it stands in the file.
type line struct {
	Seq     *int64         `json:"seq"`
	TS      *string        `json:"ts"`
	Session *string        `json:"session"`
	Kind    *Kind          `json:"kind"`
	Payload jsontext.Value `json:"payload"`
}

// DecodeLine decodes one line without its LF. It accepts exactly the five fields of the envelope and a known kind; what it returns shares no memory with b.
func DecodeLine(b []byte) (Event, error) {
	var l line
	if err := json.Unmarshal(b, &l, json.RejectUnknownMembers(true)); err != nil {
		return Event{}, fmt.Errorf("not an event: %w", err)
	}
	if l.Seq == nil || l.TS == nil || l.Session == nil || l.Kind == nil || l.Payload == nil {
		return Event{}, fmt.Errorf("not an event: a field of seq, ts, session, kind, payload is missing")
	}
	if l.Payload.Kind() != '{' {
		return Event{}, fmt.Errorf("not an event: payload is not a JSON object")
	}
	ts, err := time.Parse(timeLayout, *l.TS)
	if err != nil || len(*l.TS) != len(timeLayout) {
		return Event{}, fmt.Errorf("not an event: ts %q is not RFC 3339 in UTC with nine decimals", *l.TS)
	}
	p, err := DecodePayload(*l.Kind, l.Payload)
	if err != nil {
		return Event{}, err
	}
	return Event{Seq: *l.Seq, TS: ts, Session: *l.Session, Payload: p, Raw: l.Payload}, nil
}
