package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// redaction measures the redactor on source code, against a plain copy of the same text.
func (b bench) redaction() ([]fact, error) {
	text, err := library()
	if err != nil {
		return nil, err
	}
	r := redact.New()
	ours, peer, err := inTurn(b.rounds, func() (time.Duration, error) {
		return timed(func() error { r.String(text); return nil })
	}, func() (time.Duration, error) {
		return timed(func() error { _ = bytes.Clone([]byte(text)); return nil })
	})
	if err != nil {
		return nil, err
	}
	speed := func(took time.Duration) float64 { return float64(len(text)) / 1e6 / took.Seconds() }
	return []fact{{"redaction of source code; a copy of it", fmt.Sprintf("%.0f MB/s; %.0f MB/s", speed(ours), speed(peer)), "≥ 50 MB/s"}}, nil
}

// library returns the source of a large package of the standard library.
func library() (string, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "", fmt.Errorf("find the Go tree: %w", err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(root)), "src", "net", "http", "*.go"))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, file := range files {
		part, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text.Write(part)
	}
	return text.String(), nil
}
