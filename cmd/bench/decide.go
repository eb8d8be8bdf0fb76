package main

import (
	"slices"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard/plain"
)

// lines are commands of every kind that a decision meets: plain and not, short and long.
var lines = [...]string{
	"git status", "ls -la src | head -20", "grep -rn --include='*.go' 'func main' . | sort | uniq -c | sort -rn | head", "cd cmd && go test ./... 2>&1 | tail -5",
	"find . -name '*.ts' -not -path './node_modules/*' -mtime -1", "for f in *.go; do gofmt -l $f; done", "git log --oneline --since='2 weeks ago' -- a.go b.go && git diff HEAD~1 --stat",
	"npm ci && npm test", "cat a.txt; cat b.txt; cat c.txt; wc -l a.txt b.txt c.txt || echo none", "docker compose up -d && sleep 5 && curl -fsS http://127.0.0.1:8080/health",
}

// decisions measures how long it takes to read a command and say whether it only reads.
func (b bench) decisions() ([]fact, error) {
	const each = 2000
	var times []time.Duration
	for range each {
		for _, text := range lines {
			took, err := timed(func() error { return read(text) })
			if err != nil {
				return nil, err
			}
			times = append(times, took)
		}
	}
	slices.Sort(times)
	return []fact{{"a decision about a command, p50 and p99", times[len(times)/2].String() + ", " + times[len(times)*99/100].String(), "p99 ≤ 1 ms"}}, nil
}

// read is what the guard does with the words of a command; that one is not known to only read is no error of ours.
func read(text string) error {
	line, err := plain.Parse(text)
	if err != nil {
		return nil
	}
	for _, s := range line.Steps {
		for _, c := range s.Pipe {
			_, _ = plain.ReadOnly(c.Argv)
		}
	}
	return nil
}
