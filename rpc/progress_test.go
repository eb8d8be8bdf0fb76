package rpc

import (
	"fmt"
	"strings"
	"testing"
)

const takesProgress = `"window":{"workDoneProgress":true}`

// TestProgressHoldsNothingUp: a client that never answers the request for a token gets its turn all the same, and the request is taken back with the turn.
func TestProgressHoldsNothingUp(t *testing.T) {
	w := open(t, Config{}, `{}`, takesProgress)
	id := w.call("session/prompt", prompt)
	create := last(w.until(calling("window/workDoneProgress/create")))
	w.model.replies <- says("Done.")
	got := w.until(answers(id))
	check(t, "turn", w.sum(last(got)), "1 completed")
	var back []string
	for _, m := range got {
		switch m.Method {
		case "$/cancelRequest":
			back = append(back, string(m.Params))
		case "$/progress":
			t.Errorf("progress was shown without a token: %s", m.Params)
		}
	}
	check(t, "requests that were taken back", back, []string{fmt.Sprintf(`{"id":%s}`, create.ID)})
}

// TestProgressBeginsAndEndsOnceForEachTurn: what is shown stands between one begin and one end, and ends before the turn is answered.
func TestProgressBeginsAndEndsOnceForEachTurn(t *testing.T) {
	w := open(t, Config{}, `{}`, takesProgress)
	for turn := range 2 {
		w.model.replies <- calls("file-read", `{"path":"none.txt"}`)
		id := w.call("session/prompt", prompt)
		create := last(w.until(calling("window/workDoneProgress/create")))
		w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, create.ID))
		got := w.until(calling("$/progress"))
		w.model.replies <- says("Done.")
		got = append(got, w.until(answers(id))...)
		var shown []string
		for _, m := range got {
			var p struct{ Value struct{ Kind string } }
			if m.Method == "$/progress" {
				w.decode(m.Params, &p)
				shown = append(shown, p.Value.Kind)
			}
		}
		text := strings.Join(shown, " ")
		if strings.ReplaceAll(text, " report", "") != "begin end" {
			t.Errorf("progress of turn %d before its answer: got %q, want reports between begin and end", turn+1, text)
		}
	}
}
