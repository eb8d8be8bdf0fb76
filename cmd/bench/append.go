package main

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// append measures a durable append of about 1 KiB against a raw write and sync of the same bytes.
func (b bench) append() (row, error) {
	w, err := sessionlog.Create(filepath.Join(b.dir, "logs"), sessionlog.NewID(time.Now()), sessionlog.Options{})
	if err != nil {
		return row{}, err
	}
	defer w.Close()
	raw, err := os.OpenFile(filepath.Join(b.dir, "logs", "raw"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return row{}, err
	}
	defer raw.Close()
	note := event.Note{Code: "bench", Text: strings.Repeat("x", 900)}
	line, err := event.AppendLine(nil, event.Event{Seq: 1, Session: "bench", Payload: note})
	if err != nil {
		return row{}, err
	}
	ours := func() (time.Duration, error) {
		begin := time.Now()
		_, err := w.Append(note)
		return time.Since(begin), err
	}
	peer := func() (time.Duration, error) {
		begin := time.Now()
		_, err := raw.Write(line)
		if err == nil {
			err = datasync(raw)
		}
		return time.Since(begin), err
	}
	r := row{name: "durable append / write+fdatasync", bar: "≤ 1.15x"}
	r.ours, r.peer, err = inTurn(b.rounds*50, ours, peer)
	return r, err
}
