package view

import "github.com/nodwyn/nodwyn/sessionlog/event"

// aside knows the requests beside the conversation, such as for a title: they are no part of the window, the cards or the transcript. The zero value knows none.
type aside struct{ requests map[int64]bool }

// holds reports whether the event belongs to such a request.
func (a *aside) holds(e event.Event) bool {
	switch p := e.Payload.(type) {
	case event.LLMReq:
		if p.Purpose == "turn" {
			return false
		}
		if a.requests == nil {
			a.requests = make(map[int64]bool)
		}
		a.requests[e.Seq] = true
		return true
	case event.LLMResp:
		return a.requests[p.Req]
	case event.LLMChunk:
		return a.requests[p.Req]
	}
	return false
}
