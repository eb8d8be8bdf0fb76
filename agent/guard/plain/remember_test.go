package plain

import (
	"strings"
	"testing"
)

func TestPrefix(t *testing.T) {
	for _, c := range []struct{ argv, want string }{
		{"go test ./x -run Y", "go test"}, {"go build", "go build"}, {"go build -o bin/x ./cmd/x", "go build"}, {"go test -coverprofile=c.out ./...", "go test"}, {"go mod tidy", "go mod tidy"}, {"go vet ./...", "go vet"},
		{"go test -exec ./x ./...", ""}, {"go test --exec=./x", ""}, {"go build -toolexec x", ""}, {"go vet -vettool=x", ""}, {"go build -ldflags=-extld=./x", ""}, {"go build -overlay x", ""}, {"go build -modfile=x", ""}, {"go build -C / .", ""},
		{"go build -o /usr/bin/x", ""}, {"go build -o ../x", ""}, {"go build -o=.git/hooks/pre-commit", ""}, {"go build -o a/.envrc", ""}, {"go test -coverprofile=CLAUDE.md", ""}, {"go build -o x.code-workspace", ""}, {"go build -o .out", ""}, {"go test ../other", ""}, {"go test ./x -args -y", ""}, {"go run .", ""}, {"go generate", ""}, {"go install x@latest", ""},
		{"git commit -m x", "git commit"}, {"git -c a=b commit", ""}, {"git commit --template=x", ""}, {"git commit -F /etc/shadow", ""}, {"git commit --no-verify -m x", ""},
		{"git fetch origin", "git fetch"}, {"git fetch --upload-pack=x", ""}, {"git fetch --upl=x", ""}, {"git fetch ext::sh", ""}, {"git fetch ../x", ""}, {"git fetch /x", ""}, {"git pull", "git pull"},
		{"git push origin", "git push"}, {"git push -u origin feature/x", "git push"}, {"git push --force", ""}, {"git push -f", ""}, {"git push origin +x", ""}, {"git push origin :x", ""}, {"git push origin --delete x", ""}, {"git push --receive-pack=x", ""}, {"git push --prune", ""},
		{"git add .", "git add"}, {"git add -- a.go", "git add"}, {"git add ../x", ""}, {"git rebase main", ""}, {"git rebase -x id", ""}, {"git reset --hard", ""},
		{"npm ci", "npm ci"}, {"npm ci x", ""}, {"go mod tidy x", ""}, {"npm run build", ""}, {"npm test", ""}, {"npm ci --script-shell=x", ""}, {"npm install x", ""}, {"npx x", ""},
		{"cargo test", "cargo test"}, {"cargo test some_name", "cargo test"}, {"cargo test -- --nocapture", ""}, {"cargo --config x test", ""}, {"cargo test --config x", ""}, {"cargo +x build", ""}, {"cargo build --target x.json", ""}, {"cargo build --manifest-path /x", ""},
		{"pytest -q tests", "pytest"}, {"pytest tests/a.py::TestB::test_c", "pytest"}, {"pytest -p evil", ""}, {"pytest -pevil", ""}, {"pytest -c x", ""}, {"pytest /tmp/x", ""}, {"pytest --rootdir=/x", ""},
		{"sh -c ls", ""}, {"env ls", ""}, {"make test", ""}, {"python3 x.py", ""}, {"unknown thing", ""}, {"cat x", ""}, {"", ""},
	} {
		if got := strings.Join(Prefix(strings.Fields(c.argv)), " "); got != c.want {
			t.Errorf("%q: got prefix %q, want %q", c.argv, got, c.want)
		}
	}
}

func TestExact(t *testing.T) {
	exact := "sh -c ls|/bin/bash x|env ls|/usr/bin/env ls|nice ls|timeout 1 ls|sudo ls|SUDO ls|doas ls|xargs ls|make|npm run x|npx x|pnpm test|yarn x|python3.12 a|python x|node a|node22 a|perl -e 1|ruby a|awk x|ssh h ls|docker run x|" +
		"sudo.exe x|find . -exec ls|find . -delete|git -c a=b status|git -C x status|git rebase -x id|go run .|go generate|go test -exec x|go build -toolexec x|go vet -vettool=x|sort -o a b|rg --pre x y|sed -i s/a/b/ x|tar xf x|cargo run|cargo test --config x|"
	for argv := range strings.SplitSeq(exact, "|") {
		if !Exact(strings.Fields(argv)) {
			t.Errorf("%q: it is not for its exact words only", argv)
		}
	}
	for _, argv := range []string{"go test ./x", "git push origin", "git status", "ls -la", "terraform plan", "npm ci"} {
		if Exact(strings.Fields(argv)) {
			t.Errorf("%q: it is for its exact words only", argv)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		prefix, argv string
		want         bool
	}{
		{"go test", "go test ./x", true}, {"go test", "go test", true}, {"go test", "go tester", false}, {"go test", "go", false}, {"go test", "go build", false}, {"", "go", false},
		{"go test", "go test -exec x", false}, {"go test", "go test -o /x", false}, {"go", "go build", true}, {"go", "go run .", false}, {"git", "git push", true}, {"git", "git push --force", false}, {"git", "git status", true}, {"git", "git -c a=b status", false},
		{"sort", "sort a", true}, {"sort", "sort -o a b", false}, {"terraform plan", "terraform plan -x", true}, {"terraform plan", "terraform apply", false},
		{"sh", "sh -c ls", false}, {"make", "make test", false}, {"make test", "make test", true}, {"npm run", "npm run x", false}, {"npm run x", "npm run x", true}, {"npm run x", "npm run x --y", false},
	} {
		if got := Covers(strings.Fields(c.prefix), strings.Fields(c.argv)); got != c.want {
			t.Errorf("%q over %q: got %v, want %v", c.prefix, c.argv, got, c.want)
		}
	}
}
