package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// Inside returns the argv by which this program, called by self, restricts itself and then becomes the command.
func (r *Restrictions) Inside(self, argv []string) ([]string, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write restrictions: %w", err)
	}
	return append(append(append([]string(nil), self...), string(text)), argv...), nil
}

// forwardWord in the place of restrictions makes the program forward connections instead.
const forwardWord = "forward"

// exitNotStarted is what a shell exits with when it cannot start a program.
const exitNotStarted = 127

// Enter restricts this process as the first word says and becomes the command that the others are. It returns only when that fails, with the code to exit with.
func Enter(args []string) int {
	if len(args) == 2 && args[0] == forwardWord {
		return forward(args[1])
	}
	if len(args) < 2 {
		fmt.Fprintln(os.Stderr, "nodwyn: this is started by nodwyn itself")
		return 2
	}
	var r Restrictions
	if err := json.Unmarshal([]byte(args[0]), &r, json.RejectUnknownMembers(true)); err != nil {
		fmt.Fprintln(os.Stderr, "nodwyn: read restrictions:", err)
		return 2
	}
	if err := become(&r, os.Args[:len(os.Args)-len(args)], args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cannot start:", err)
	}
	return exitNotStarted
}

// environment is the command's, with no name in it twice: programs do not agree on which of two counts.
func (r *Restrictions) environment(outer []string) []string {
	own := slices.Clone(r.Env)
	if r.Temp != "" {
		own = append(own, "TMPDIR="+r.Temp)
	}
	env := slices.DeleteFunc(slices.Clone(outer), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.ContainsFunc(own, func(o string) bool { return strings.HasPrefix(o, name+"=") })
	})
	return append(env, own...)
}

// look finds a program as a shell does: by its path, or in the folders of path.
func look(name, path string) (string, error) {
	if filepath.Base(name) != name {
		return name, nil
	}
	var found error
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			continue // the folder of the command decides nothing
		}
		file := filepath.Join(dir, name)
		stat, err := os.Stat(file)
		if err == nil && stat.Mode().IsRegular() && stat.Mode()&0o111 != 0 {
			return file, nil
		}
		if err == nil || errors.Is(err, fs.ErrPermission) {
			found = fs.ErrPermission
		}
	}
	if found == nil {
		found = errors.New("executable file not found in $PATH")
	}
	return "", fmt.Errorf("%q: %w", name, found)
}
