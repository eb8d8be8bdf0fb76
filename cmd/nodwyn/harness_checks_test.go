package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// callsAnswered: every recorded call has exactly one result, and no result is without its call.
func (s *scenario) callsAnswered(_ string, events []event.Event) error {
	results := map[string]int{}
	for _, e := range events {
		switch p := e.Payload.(type) {
		case event.ToolCall:
			results[p.ID] += 0
		case event.ToolResult:
			if _, called := results[p.ID]; !called {
				return fmt.Errorf("event %d: a result of %s, which nobody called", e.Seq, p.ID)
			}
			results[p.ID]++
		}
	}
	for id, n := range results {
		if n != 1 {
			return fmt.Errorf("call %s has %d results, want 1", id, n)
		}
	}
	return nil
}

// treeExplained: whatever git sees changed in the session's worktree, against what came along or was synced, was written by an allowed write, or stands in the proof of a turn that ran an allowed command, or was noticed as a person's edit. A turn that a crash or a cancellation cut may have no proof.
func (s *scenario) treeExplained(_ string, events []event.Event) error {
	var w *event.Worktree
	written, ran, cut, base, noticed := map[string]bool{}, false, false, "", ""
	for _, e := range events {
		switch p := e.Payload.(type) {
		case event.SessionStart:
			w = p.Worktree
		case event.WorktreeCreate:
			base = cmp.Or(p.Carried, p.BaseCommit)
		case event.WorktreeSync:
			if base = p.Base; p.Undo {
				base = p.From
			}
		case event.Attach:
			if p.Origin == "instructions" && p.Text != nil {
				noticed += *p.Text
			}
		case event.GuardDecision:
			written[p.Target] = written[p.Target] || p.Op == "write" && p.Decision == "allow"
			ran = ran || p.Op == "exec" && p.Decision == "allow"
		case event.Proof:
			for _, path := range p.Wrote {
				if !ran && !written[path] {
					return fmt.Errorf("event %d proves %s as written, which no decision allowed", e.Seq, path)
				}
				written[path] = true
			}
		case event.TurnEnd:
			cut = p.Outcome != "completed"
		}
	}
	if w == nil {
		return nil
	}
	changed, err := s.changed(*w, cmp.Or(base, w.BaseCommit))
	if err != nil {
		return err
	}
	for _, path := range changed {
		if !written[path] && !(cut && ran) && !strings.Contains(noticed, " "+path+" ") {
			return fmt.Errorf("git sees %s changed in the worktree, and nothing on record did that", path)
		}
	}
	return nil
}

// changed lists the paths that differ from the session's base, untracked ones included. A removed worktree has none.
func (s *scenario) changed(w event.Worktree, base string) ([]string, error) {
	if _, err := os.Stat(w.Path); err != nil {
		return nil, nil
	}
	tracked, err := s.git(w.Path, "diff", "--name-only", "-z", base)
	if err != nil {
		return nil, err
	}
	untracked, err := s.git(w.Path, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	paths := strings.Split(tracked+untracked, "\x00")
	return slices.DeleteFunc(paths, func(p string) bool { return p == "" || s.cameAlong(w.Path, base, p) }), nil
}

// cameAlong reports whether an untracked file is as the base has it, which holds the person's own untracked files too.
func (s *scenario) cameAlong(tree, base, path string) bool {
	if target, err := os.Readlink(filepath.Join(tree, path)); err == nil {
		was, missing := s.git(tree, "cat-file", "-p", base+":"+path)
		return missing == nil && was == target
	}
	was, missing := s.git(tree, "rev-parse", "--verify", "--quiet", base+":"+path)
	is, gone := s.git(tree, "hash-object", "--", path)
	return missing == nil && gone == nil && was == is
}

// requestsRebuilt: replay rebuilds each request from the log alone, the record holds its hash, and a model that answered received exactly those bytes.
func (s *scenario) requestsRebuilt(id string, events []event.Event) error {
	answered := map[int64]bool{}
	for _, e := range events {
		if p, ok := e.Payload.(event.LLMResp); ok {
			answered[p.Req] = p.Stop != "cancelled" && p.Stop != "error"
		}
	}
	for _, e := range events {
		req, ok := e.Payload.(event.LLMReq)
		if !ok {
			continue
		}
		body, err := s.run("replay", id, "--request", strconv.FormatInt(e.Seq, 10))
		if err != nil {
			return err
		}
		if got := digest(body); got != req.BodySHA256 {
			return fmt.Errorf("request %d: rebuilt as %s, recorded as %s:\n%s", e.Seq, got, req.BodySHA256, body)
		}
		if req.Host == s.model.host() && answered[e.Seq] && !s.received(body) {
			return fmt.Errorf("request %d: the model never received this body:\n%s", e.Seq, body)
		}
	}
	return nil
}

func (s *scenario) received(body string) bool {
	return slices.ContainsFunc(s.model.requests(), func(r received) bool { return r.body == body })
}

// everyRequestRecorded: no request reached the model that the log does not know.
func (s *scenario) everyRequestRecorded(sessions []string) error {
	known := map[string]bool{}
	for _, id := range sessions {
		events, err := s.events(id)
		if err != nil {
			return nil // checkSession reports it
		}
		for _, e := range events {
			if p, ok := e.Payload.(event.LLMReq); ok {
				known[p.BodySHA256] = true
			}
		}
	}
	for i, r := range s.model.requests() {
		if !known[digest(r.body)] {
			return fmt.Errorf("request %d is on no record: %s", i+1, r.body)
		}
	}
	return nil
}

// replayStable: replay prints twice what the file folds to, and the server called the transcript what the file folded to then.
func (s *scenario) replayStable(id string, events []event.Event) error {
	want := fold(events)
	for range 2 {
		got, err := s.run("replay", id)
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("replay printed\n%sthe file folds to\n%s", got, want)
		}
	}
	if told, ok := s.transcripts[id]; ok && told.text != fold(events[:told.events]) {
		return fmt.Errorf("session/transcript said\n%sthe file folded to\n%s", told.text, fold(events[:told.events]))
	}
	return nil
}

// fold is the transcript of events.
func fold(events []event.Event) string {
	var text strings.Builder
	var t view.Transcript
	for _, e := range events {
		text.WriteString(t.Apply(e))
	}
	return text.String()
}

func digest(body string) string {
	sum := sha256.Sum256([]byte(body))
	return hex.EncodeToString(sum[:])
}
