# Every target with a ## comment is listed by `make help`; the others are pieces of `check` and `test`.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null)
FUZZTIME ?= 5s
# The commands that `setup` makes sure of; gcc is what the race detector links with.
NEEDS := git gcc npm bwrap
TESTTIME ?= 10m

# Run in this order by `test`, cheapest first; the Go tests come last so that their summary ends the output.
AREAS := fmt vet staticcheck generated cross build poison editors workbench race

# Where our Go files are; a walk from the root would meet those of installed npm packages.
OURS := agent cmd index rpc sessionlog worktree

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

.PHONY: setup
setup: ## install what building and testing need: git, npm, bubblewrap, a C compiler for -race, the pinned Go modules
	@command -v go >/dev/null || { echo "setup: Go is not installed: install Go 1.26 or newer (https://go.dev/dl) and run make setup again" >&2; exit 1; }
	@missing=(); for tool in $(NEEDS); do command -v $$tool >/dev/null || missing+=($$tool); done; \
	if (( $${#missing[@]} )); then \
		command -v apt-get >/dev/null || { echo "setup: no apt-get here: install $${missing[*]} by hand and run make setup again" >&2; exit 1; }; \
		root=env; (( EUID == 0 )) || root=sudo; \
		packages=("$${missing[@]/gcc/gcc libc6-dev}"); packages=("$${packages[@]/bwrap/bubblewrap}"); \
		$$root apt-get update -q; \
		$$root apt-get install -y -q --no-install-recommends ca-certificates $${packages[*]}; \
	fi
	@go mod download

.PHONY: build
build: ## build bin/nodwyn
	go build -trimpath -o bin/nodwyn ./cmd/nodwyn

.PHONY: demo
demo: NEEDS := git
demo: setup build ## show a whole session, from the prompt to the landing, without a network or a key
	bin/nodwyn demo

.PHONY: check
check: fmt vet staticcheck generated cross ## the fast loop: format, vet, staticcheck, generated files, other systems, Go tests
	go test -timeout $(TESTTIME) ./...

.PHONY: test
test: export NODWYN_EDITORS := 1
test: setup ## everything that CI runs: set-up, the checks and all tests with the race detector
	@for area in $(AREAS); do \
		start=$$SECONDS; echo "== $$area"; \
		$(MAKE) --no-print-directory $$area || { echo "== $$area: FAILED after $$((SECONDS - start)) s" >&2; exit 1; }; \
		echo "== $$area: $$((SECONDS - start)) s"; \
	done; echo "== all areas passed in $$SECONDS s"

.PHONY: test-wide
test-wide: test ## test, then an older Neovim, 2,000 landings against the model, 10,000 commands, 500 kills of a server, floods of a gigabyte and every fuzz target for half a minute
	NODWYN_NVIM=$$(editors/nvim/get-nvim.sh trixie | tail -n 1) go test -count=1 -run TestNeovim ./cmd/nodwyn
	NODWYN_PROJECTS=1 go test -count=1 -timeout 20m -run TestProjectsBuildInside ./agent/guard/internal/sandbox
	NODWYN_LANDING_RUNS=2000 go test -count=1 -timeout 60m -run TestLandingLosesNothing ./worktree
	NODWYN_STRESS=1 go test -count=1 -timeout 30m -run 'ManyCommands|KillsOfTheServer|Floods|StreamEqualsWhole' ./agent/guard/... ./sessionlog/redact
	cd sessionlog/redact/oracle && go test -count=1 ./...
	go test -run '^$$' -fuzz FuzzPlainAgainstBash -fuzztime 60s -fuzzminimizetime 5x ./agent/guard/plain
	@$(MAKE) --no-print-directory fuzz FUZZTIME=30s

# An editor's keys are armed by time, so Neovim runs by itself and not beside the race detector's load.
# The editors that the tests drive go to a cache folder of ours and touch nothing of the system's.
.PHONY: editors
editors:
	editors/nvim/get-nvim.sh
	cmd/nodwyn/testdata/aimock/install.sh
	go test -count=1 -timeout $(TESTTIME) -run TestNeovim ./cmd/nodwyn
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent check && npm test --silent

# The VS Code client in a real workbench, from the packaged extension, by itself for the same reason.
.PHONY: workbench
workbench: build
	editors/vscode/test/install-workbench.sh
	cd editors/vscode && npm ci --ignore-scripts --no-audit --no-fund && npm run --silent package
	cd editors/vscode && NODWYN_PROGRAM=$(CURDIR)/bin/nodwyn NODWYN_VSIX=nodwyn.vsix npm run --silent e2e

.PHONY: race
race: ## all Go tests with the race detector, but for Neovim's
	go test -race -timeout $(TESTTIME) -skip TestNeovim ./...

.PHONY: fuzz
fuzz: ## every fuzz target for FUZZTIME (5s)
	@grep -rno --include='*_test.go' '^func Fuzz[A-Za-z0-9_]*' $(OURS) | while IFS=: read -r file _ decl; do \
		go test -run '^$$' -fuzz "^$${decl#func }$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x "./$$(dirname "$$file")" || exit 1; \
	done

.PHONY: bench
bench: ## the figures that matter, as ratios to a baseline measured in the same run
	go run ./cmd/bench

.PHONY: gen
gen: ## write the generated reference pages anew
	go run ./cmd/gen

.PHONY: dist
dist: ## build for every supported system into dist/
	@rm -rf dist
	@for target in linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64; do \
		os=$${target%/*}; arch=$${target#*/}; suffix=; [[ $$os != windows ]] || suffix=.exe; \
		echo "dist/nodwyn-$$os-$$arch$$suffix"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags='-s -w -X main.release=$(VERSION)' -o "dist/nodwyn-$$os-$$arch$$suffix" ./cmd/nodwyn; \
	done

.PHONY: clean
clean: ## remove what build and dist made
	rm -rf bin dist

.PHONY: fmt
fmt:
	@unformatted=$$(gofmt -l $(OURS)); [[ -z $$unformatted ]] || { echo "not gofmt-ed: run gofmt -w on" $$unformatted >&2; exit 1; }

.PHONY: vet
vet:
	go vet ./...

.PHONY: staticcheck
staticcheck:
	go tool staticcheck ./...

.PHONY: generated
generated:
	go run ./cmd/gen -check

.PHONY: cross
cross:
	GOOS=darwin go build ./...
	GOOS=windows go build ./...

# The jsonrpc2 library reuses requests; under this tag it scribbles over one that was given back, so a late reader is caught.
.PHONY: poison
poison:
	go test -race -tags jsonrpc2poison -timeout $(TESTTIME) ./rpc/...
