package sandbox

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// projects are small ones of several kinds, and commands are what people run in them; the program in front tells which are skipped where it is not installed.
var projects = map[string]string{
	"go.mod": "module example.invalid/p\n\ngo 1.21\n", "p.go": "package p\n\n// F is one.\nfunc F() int { return 1 }\n",
	"p_test.go":           "package p\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestF(t *testing.T) {\n\tif F() != 1 || os.WriteFile(t.TempDir()+\"/x\", nil, 0o600) != nil {\n\t\tt.Fatal()\n\t}\n}\n",
	"cmd/main.go":         "package main\n\nimport \"example.invalid/p\"\n\nfunc main() { println(p.F()) }\n",
	"js/package.json":     `{"name":"js","version":"1.0.0","private":true,"scripts":{"test":"node test.js","build":"node -e \"require('fs').writeFileSync('out','x')\""},"dependencies":{"dep":"file:dep"}}`,
	"js/dep/package.json": `{"name":"dep","version":"1.0.0","main":"i.js"}`, "js/dep/i.js": "module.exports = 1\n", "js/test.js": "if (require('dep') !== 1) process.exit(1)\n",
	"py/m.py": "def f():\n    return 1\n", "py/test_m.py": "import unittest, m\n\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(m.f(), 1)\n",
	"rs/Cargo.toml": "[package]\nname = \"rs\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "rs/src/lib.rs": "pub fn f() -> u8 { 1 }\n\n#[test]\nfn t() { assert_eq!(f(), 1) }\n",
	"c/Makefile": "all: hello\n\nhello: hello.c\n\tcc -o $@ $<\n\ntest: hello\n\t./hello\n\nclean:\n\trm -f hello\n", "c/hello.c": "#include <stdio.h>\nint main(void) { puts(\"hello\"); return 0; }\n",
}

var commands = []string{
	"go build ./...", "go vet ./...", "go test ./...", "go test -race -count=1 . || go env CGO_ENABLED | grep 0", "go run ./cmd", "go build -o bin/p ./cmd && ./bin/p", "go mod tidy", "go mod verify", "go list ./...", "go fmt ./...", "go generate ./...", "gofmt -l .", "go doc .",
	"npm install --prefix js --no-audit --no-fund", "cd js && npm ci --no-audit --no-fund", "cd js && npm test", "cd js && npm run build && test -f out", "cd js && npm ls", "node js/test.js || (cd js && node test.js)", "npm --version",
	"python3 -m compileall -q py", "cd py && python3 -m unittest -q", "python3 -m venv --without-pip .venv && .venv/bin/python -c 'print(1)'", "cd py && python3 -c 'import tempfile; tempfile.TemporaryFile()'",
	"cargo build --offline --manifest-path rs/Cargo.toml", "cargo test --offline --manifest-path rs/Cargo.toml", "cargo metadata --offline --no-deps --format-version 1 --manifest-path rs/Cargo.toml",
	"make -C c", "make -C c test", "make -C c -j4 clean all", "cc -o hello c/hello.c && ./hello",
	"git status", "git add -A && git commit -q -m work", "git log --oneline -3", "git diff HEAD~1 --stat", "git rm -q --cached p.go && git add p.go", "git commit -q --amend -m again", "git show --stat", "git checkout -q -- p.go", "git reset -q --hard HEAD",
	"sh -c 'for i in 1 2 3; do echo $i; done'", "tar czf /tmp/p.tgz p.go && tar xzf /tmp/p.tgz -C /tmp", "mktemp", "grep -rn F . | head -1", "sed -i s/one/1/ p.go", "find . -name '*.go' | xargs wc -l",
}

// TestProjectsBuildInside leaves out what compiles a whole standard library into an empty cache, unless NODWYN_PROJECTS is set.
func TestProjectsBuildInside(t *testing.T) {
	wide := os.Getenv("NODWYN_PROJECTS") != ""
	boxes(t, func(t *testing.T, y *yard, b Box) {
		if b.Backend != Bubblewrap || y.uid != os.Getuid() {
			t.Skip("the tools are the person's own, and the whole of it is for the strongest box")
		}
		for name, text := range projects {
			must(t, os.MkdirAll(filepath.Dir(filepath.Join(y.tree, name)), 0o755))
			must(t, os.WriteFile(filepath.Join(y.tree, name), []byte(text), 0o644))
		}
		real, err := os.UserHomeDir()
		must(t, err)
		y.path, y.home = os.Getenv("PATH"), real
		y.layout.Network, y.layout.Visible = false, append(y.layout.Visible, Tools(y.path, y.self)...)
		y.layout.Hidden = Personal(real)
		vars, err := Caches(&y.layout, filepath.Join(y.dir, "caches"), real, os.Environ())
		must(t, err)
		y.vars = append(vars, "GOTOOLCHAIN=local", "GOSUMDB=off")
		var failed []string
		ran := 0
		for _, text := range commands {
			program := strings.Fields(strings.TrimPrefix(strings.TrimPrefix(text, "cd js && "), "cd py && "))[0]
			if _, err := exec.LookPath(program); err != nil || !wide && (program == "go" || program == "cargo") {
				continue
			}
			ran++
			if out, code := y.run(t, b, text); code != 0 {
				failed = append(failed, text+": "+out)
			}
		}
		t.Logf("%d of %d commands succeed", ran-len(failed), ran)
		if ran < 20 || wide && ran < 30 || len(failed)*20 > ran {
			t.Errorf("%d of %d commands failed, want 5%% of 30 at most:\n%s", len(failed), ran, strings.Join(failed, "\n"))
		}
	})
}
