package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// probe is a request that every server answers with an error, and so shows that it still reads.
const probe = `{"jsonrpc":"2.0","id":"probe","method":"nodwyn/probe"}`

func TestMalformedFramesAreSurvived(t *testing.T) {
	call := func(body string) string { return frame(body) }
	for _, c := range []struct {
		name, input string
		want        []string
	}{
		{"bad JSON", call(`{"jsonrpc":`), []string{"null -32700"}},
		{"text behind the object", call(`{"jsonrpc":"2.0","id":1,"method":"x"} x`), []string{"null -32700"}},
		{"no jsonrpc", call(`{"id":1,"method":"x"}`), []string{"1 -32600"}},
		{"another jsonrpc", call(`{"jsonrpc":"1.0","id":"a","method":"x"}`), []string{`"a" -32600`}},
		{"fractional id", call(`{"jsonrpc":"2.0","id":1.5,"method":"x"}`), []string{"null -32600"}},
		{"id that is an object", call(`{"jsonrpc":"2.0","id":{},"method":"x"}`), []string{"null -32600"}},
		{"bare number", call(`7`), []string{"null -32600"}},
		{"bare string", call(`"initialize"`), []string{"null -32600"}},
		{"result and error", call(`{"jsonrpc":"2.0","id":9,"result":1,"error":{"code":1,"message":"m"}}`), []string{"null -32600"}},
		{"neither result nor error", call(`{"jsonrpc":"2.0","id":9}`), []string{"null -32600"}},
		{"error that is no object", call(`{"jsonrpc":"2.0","id":9,"error":"no"}`), []string{"null -32600"}},
		{"batch", call(`[` + probe + `]`), []string{"null -32600"}},
		{"empty batch", call(` []`), []string{"null -32600"}},
		{"answer that nobody waits for", call(`{"jsonrpc":"2.0","id":9,"result":1}`), nil},
		{"request with a null id", call(`{"jsonrpc":"2.0","id":null,"method":"x"}`), nil},
		{"line on stdin", "something happened\n", []string{"null -32700"}},
		{"line that could be a header", "warning: something\n", nil},
		{"line with a colon", "warning: x: something\r\n\r\n", []string{"null -32700"}},
		{"header without a length", "Content-Type: application/json\r\n\r\n", []string{"null -32700"}},
		{"length that is no number", "Content-Length: ten\r\n\r\n" + `{"jsonrpc":"2.0"}`, []string{"null -32700"}},
		{"length of zero", "Content-Length: 0\r\n\r\n", []string{"null -32700"}},
		{"length below zero", "Content-Length: -5\r\n\r\n", []string{"null -32700"}},
		{"length that nobody has", "Content-Length: 99999999999\r\n\r\n", []string{"null -32700"}},
		{"length that overflows", "Content-Length: 99999999999999999999\r\n\r\n", []string{"null -32700"}},
		{"message without a header", probe, []string{"null -32700"}},
		{"long header line", "X: " + strings.Repeat("x", maxHeader+100) + "\r\n", []string{"null -32700"}},
		{"long header", strings.Repeat("X-Header: y\r\n", maxHeader/10), []string{"null -32700"}},
		{"NUL bytes", strings.Repeat("\x00", 100) + "\r\n\r\n", []string{"null -32700"}},
		{"lines ended by LF alone", "Content-Length: 2\n\n{}", []string{"null -32600"}},
		{"headers that are unknown", "content-length: 2\r\nX-Other: a\r\nContent-Type: b\r\n\r\n{}", []string{"null -32600"}},
		{"length given twice", "Content-Length: 900\r\nContent-Length: 2\r\n\r\n{}", []string{"null -32600"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{}, nil)
			p.raw(c.input + frame(probe))
			var got []string
			for {
				m := p.next()
				if string(m.ID) == `"probe"` {
					break
				}
				got = append(got, m.String())
				reason := map[int]string{-32700: `{"reason":"parse_error"}`, -32600: `{"reason":"invalid_request"}`}[m.Error.Code]
				check(t, "data of "+m.String(), string(m.Error.Data), reason)
			}
			check(t, "answers before the probe's", got, c.want)
		})
	}
}

func TestEndOfInputEndsTheConnection(t *testing.T) {
	for _, c := range []struct {
		name, input string
	}{
		{"between messages", ""},
		{"inside a header", "Content-Le"},
		{"inside a body", "Content-Length: 100\r\n\r\n{"},
		{"inside a body that is too large", fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxFrame+1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{}, nil)
			p.raw(c.input)
			_ = p.in.Close()
			for err := error(nil); err == nil; {
				_, err = p.read()
			}
			<-p.done
			check(t, "exit", p.exit, Exit{Code: 1, Reason: "editor_exit"})
		})
	}
}

// TestLargeFrames: a body over the limit is read past, and a header alone takes no memory.
func TestLargeFrames(t *testing.T) {
	p := connect(t, Config{}, nil)
	go func() {
		_, _ = io.WriteString(p.in, fmt.Sprintf("Content-Length: %d\r\n\r\n", maxFrame+1))
		chunk := bytes.Repeat([]byte(" "), 1<<20)
		for range maxFrame >> 20 {
			_, _ = p.in.Write(chunk)
		}
		_, _ = io.WriteString(p.in, " "+frame(probe))
	}()
	check(t, "answer to the body", p.next(), "null -32600")
	check(t, "answer behind it", p.next(), `"probe" -32002`)

	before := heap()
	p.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n{", maxFrame))
	if grown := heap() - before; grown > maxFrame/2 {
		t.Errorf("a header that promises %d bytes took %d", maxFrame, grown)
	}
}

func heap() int64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSlowClientDoesNotStopTheReader: a client that reads nothing is still listened to, and what it is sent is bounded.
func TestSlowClientDoesNotStopTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		defer outR.Close()
		s := New(Config{})
		exits := make(chan Exit)
		go func() {
			exit, _ := s.Serve(t.Context(), newAgent(), inR, outW)
			exits <- exit
		}()
		synctest.Wait()
		sent := make(chan int)
		go func() {
			n, text := 0, strings.Repeat("x", 10_000)
			for ; s.notify(s.base, "test/flood", map[string]string{"text": text}) == nil; n++ {
			}
			sent <- n
		}()
		synctest.Wait()
		_, _ = io.WriteString(inW, frame(`{"jsonrpc":"2.0","method":"exit"}`))
		if n := <-sent; n*10_000 > 3*maxQueued {
			t.Errorf("%d messages of 10,000 bytes were queued for a client that reads nothing", n)
		}
		check(t, "exit", <-exits, Exit{Code: 1, Reason: "editor_exit"})
	})
}

// TestAnswersAtHandDoNotStopTheReader: a client that asks and asks and reads no answer is still heard when it wants to leave.
func TestAnswersAtHandDoNotStopTheReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		defer outR.Close()
		s := New(Config{})
		large := jsontext.Value(`"` + strings.Repeat("x", maxQueued) + `"`)
		s.methods["test/large"] = func(*Server, jsontext.Value) (accepted, error) { return accepted{result: large}, nil }
		exits := make(chan Exit)
		go func() {
			exit, _ := s.Serve(t.Context(), newAgent(), inR, outW)
			exits <- exit
		}()
		_, _ = io.WriteString(inW, frame(initialize))
		for i := range 100 {
			_, _ = io.WriteString(inW, frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":"l%d","method":"test/large"}`, i)))
		}
		synctest.Wait()
		s.stream.out.mu.Lock()
		if queued := len(s.stream.out.queue); queued > 2*(maxQueued+1000) { // its bound, and one message over it
			t.Errorf("%d bytes are queued for a client that reads nothing", queued)
		}
		s.stream.out.mu.Unlock()
		_, _ = io.WriteString(inW, frame(exit))
		check(t, "exit", <-exits, Exit{Code: 1, Reason: "editor_exit"})
	})
}

// TestWriterSaysWhenTheClientIsGone: the end of the output ends the connection although the input is open.
func TestWriterSaysWhenTheClientIsGone(t *testing.T) {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	defer inW.Close()
	_ = outR.CloseWithError(errors.New("gone"))
	s := New(Config{})
	exits := make(chan Exit)
	go func() {
		exit, _ := s.Serve(context.Background(), newAgent(), inR, outW)
		exits <- exit
	}()
	if _, err := io.WriteString(inW, frame(probe)); err != nil {
		t.Fatal(err)
	}
	check(t, "exit", <-exits, Exit{Code: 1, Reason: "editor_exit"})
}

// FuzzFrames: no bytes end the process, and no body ends the connection but a request to exit.
func FuzzFrames(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`), true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{},"error":{}}`), true)
	f.Add([]byte(`{"jsonrpc":"2.0","method":"exit"}`), true)
	f.Add([]byte(`[{}]`), true)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"x":}}`), true)
	f.Add([]byte("Content-Length: 5\r\n\r\nhello"), false)
	f.Add([]byte("Content-Length:\r\n\r\n{}Content-Length: 2\r\n\r\n{}"), false)
	f.Fuzz(func(t *testing.T, input []byte, framed bool) {
		if len(input) == 0 {
			return
		}
		p := connect(t, Config{}, nil)
		go func() {
			if framed {
				input = []byte(frame(string(input)) + frame(probe))
			}
			_, _ = p.in.Write(input)
			if !framed {
				_ = p.in.Close()
			}
		}()
		for {
			m, err := p.read()
			if err == nil && string(m.ID) != `"probe"` {
				continue
			}
			if err != nil && framed && !asksToExit(input) {
				t.Fatalf("the connection ended: %v", err)
			}
			return
		}
	})
}

// asksToExit looks into the first frame.
func asksToExit(framed []byte) bool {
	_, body, _ := bytes.Cut(framed, []byte("\r\n\r\n"))
	body = bytes.TrimSuffix(body, []byte(frame(probe)))
	msg, err := jsonrpc2.DecodeMessage(body)
	n, ok := msg.(*jsonrpc2.Notification)
	return err == nil && ok && n.Method() == "exit"
}
