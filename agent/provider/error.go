package provider

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// overflow is the code of an Error that says the window is too long for the model, whatever the server called it.
const overflow = "context_length_exceeded"

// Error is a request that failed, in the server's words where it gave some.
type Error struct {
	// Status is the HTTP status; 0 when there was none.
	Status int
	// Code is the server's word for the kind of failure; empty when it gave none.
	Code string
	// Message is what the server said, or what happened.
	Message string
	// Retry says that the same request may succeed later.
	Retry bool
	// After is how long the server wants to be left alone; 0 when it did not say.
	After time.Duration
}

func (e *Error) Error() string {
	var parts []string
	if e.Status != 0 {
		parts = append(parts, strings.TrimSpace(fmt.Sprintf("%d %s", e.Status, http.StatusText(e.Status))))
	}
	if e.Code != "" {
		parts = append(parts, e.Code)
	}
	return strings.Join(append(parts, cmp.Or(e.Message, "no reason given")), ": ")
}

// Overflow reports whether the request was too long for the model's context.
func (e *Error) Overflow() bool { return e.Code == overflow }

// final are the codes of servers that will say the same next time, though their status suggests otherwise.
var final = []string{
	"insufficient_quota", "billing_hard_limit_reached", "billing_not_active",
	"enforced_spend_limit_reached", "contract_spend_limit_reached", "linked_organization_spend_limit_reached", "ramp_limit_exceeded",
}

// temporary are the codes and types with which servers end a stream that they had begun with status 200.
var temporary = []string{
	"overloaded_error", "overloaded", "server_error", "internal_server_error", "api_error", "timeout_error",
	"rate_limit_exceeded", "rate_limit_error", "service_unavailable", "engine_overloaded",
}

// overflows are phrases with which servers that have no code for it say that the window is too long.
var overflows = []string{
	"maximum context length", "exceeds the context window", "exceed context limit", "exceeds the context length",
	"exceeds the available context size", "prompt is too long", overflow,
}

// HTTPError returns the error of an answer whose status is not 200. Code and message are what the body said.
func HTTPError(status int, h http.Header, code, message string) *Error {
	e := &Error{Status: status, Code: code, Message: message, After: after(h)}
	e.classify()
	switch h.Get("X-Should-Retry") {
	case "true":
		e.Retry = true
	case "false":
		e.Retry = false
	default:
		e.Retry = retryable(status)
	}
	e.Retry = e.Retry && !slices.Contains(final, e.Code) && !e.Overflow()
	return e
}

func retryable(status int) bool {
	return status == http.StatusRequestTimeout || status == http.StatusConflict || status == http.StatusTooManyRequests || status >= 500
}

// StreamError returns the error that a server sent inside a stream of status 200.
func StreamError(code, message string) *Error {
	e := &Error{Code: code, Message: message}
	e.classify()
	status, err := strconv.Atoi(code)
	e.Retry = slices.Contains(temporary, e.Code) || err == nil && retryable(status)
	return e
}

// classify gives an overflow its one code.
func (e *Error) classify() {
	message := strings.ToLower(e.Message)
	if e.Code == overflow || slices.ContainsFunc(overflows, func(s string) bool { return strings.Contains(message, s) }) {
		e.Code = overflow
	}
}

// Broken returns the error of a stream that ended before it was complete. The next attempt may do better.
func Broken(why string) *Error {
	return &Error{Code: "broken_stream", Message: why, Retry: true}
}

// SendError returns the error of a request that got no answer. A lost connection is worth another attempt; anything else, such as the guard's refusal to connect, is passed on as it is.
func SendError(err error) error {
	cause := err
	if u, ok := errors.AsType[*url.Error](err); ok {
		cause = u.Err
	}
	// This is the net package's own mark of a network error, which this package must not import.
	var network interface {
		error
		Timeout() bool
		Temporary() bool
	}
	if errors.Is(cause, io.EOF) || errors.Is(cause, io.ErrUnexpectedEOF) || errors.As(cause, &network) {
		return &Error{Code: "connection", Message: cause.Error(), Retry: true}
	}
	return cause
}

// after reads how long the server wants to be left alone: milliseconds, seconds with or without a fraction, or a date.
func after(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return span(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return span(s, time.Second)
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// span returns n units, and nothing for a number that is no time to wait.
func span(n float64, unit time.Duration) time.Duration {
	if math.IsNaN(n) || n <= 0 || n > math.MaxInt64/float64(unit)/2 {
		return 0
	}
	return time.Duration(n * float64(unit))
}
