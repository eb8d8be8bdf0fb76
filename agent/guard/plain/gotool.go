package plain

import (
	"fmt"
	"strings"
)

// goCommands are the commands of go that neither build nor fetch. Vet builds what it looks at, and with it the project's C code; list does so with -export, -compiled and -toolexec.
var goCommands = [...]struct {
	name  string
	flags spec
	words bool
}{
	{name: "version", flags: "-m -v"},
	{name: "env", flags: "-json -changed", words: true},
	{name: "help", words: true},
	{name: "doc", flags: "-all -c -cmd -short -src -u"},
	{name: "list", flags: "-m -json? -f: -e -find -test -deps"},
}

// goEnv keeps go from fetching modules or another version of itself, and from asking the repository's git for a revision.
const goEnv = "GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-buildvcs=false"

func goTool(args []string) (Safe, error) {
	if len(args) == 0 {
		return Safe{Argv: []string{"go"}}, nil
	}
	for _, c := range goCommands {
		if c.name != args[0] {
			continue
		}
		r, err := c.flags.parseLong(args[1:])
		if err != nil {
			return Safe{}, err
		}
		safe := Safe{Argv: append([]string{"go"}, args...), Env: strings.Fields(goEnv), Reads: r.operands}
		if c.words {
			safe.Env, safe.Reads = safe.Env[:1], nil // it says what is set, so nothing but the version is
		}
		return safe, nil
	}
	return Safe{}, Reason(fmt.Sprintf("\"go %s\" may run what the project says", args[0]))
}
