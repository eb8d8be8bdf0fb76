package view

import (
	"reflect"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

func TestEgress(t *testing.T) {
	var g Egress
	send := func(host string, bytes int64, allowed bool) event.EgressCheck {
		return event.EgressCheck{Host: host, Purpose: "model", Bytes: bytes, Allowed: allowed, Reason: "configured"}
	}
	for i, p := range []event.Payload{
		event.UserMsg{Turn: 1}, send("a:443", 10, true), send("a:443", 5, true), send("b:443", 1, false),
		event.UserMsg{Turn: 2}, send("a:443", 100, true),
	} {
		g.Apply(event.Event{Seq: int64(i + 1), Payload: p})
	}
	row := func(host string, allowed bool, requests int, bytes int64) EgressRow {
		return EgressRow{Host: host, Purpose: "model", Allowed: allowed, Reason: "configured", Requests: requests, Bytes: bytes}
	}
	for _, c := range []struct {
		turn int
		want []EgressRow
	}{
		{0, []EgressRow{row("a:443", true, 3, 115), row("b:443", false, 1, 1)}},
		{1, []EgressRow{row("a:443", true, 2, 15), row("b:443", false, 1, 1)}},
		{2, []EgressRow{row("a:443", true, 1, 100)}},
		{3, nil},
	} {
		if got := g.Rows(c.turn); !reflect.DeepEqual(got, c.want) {
			t.Errorf("turn %d: got %+v, want %+v", c.turn, got, c.want)
		}
	}
}
