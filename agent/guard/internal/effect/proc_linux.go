package effect

import (
	"bytes"
	"os"
	"slices"
	"strconv"
)

// process is what /proc says of one.
type process struct {
	pid, parent, session int
	name                 string // empty when it is dead and only waits for its parent
}

// descendants returns the processes below pid, from one pass over /proc. One that is born meanwhile is found by the next pass.
func descendants(pid int) []process { return below(processes(), pid) }

func below(byParent map[int][]process, pid int) []process {
	var found []process
	for todo := byParent[pid]; len(todo) > 0; {
		next := todo[0]
		found = append(found, next)
		todo = append(todo[1:len(todo):len(todo)], byParent[next.pid]...)
	}
	return found
}

// processes returns all there are, by their parents.
func processes() map[int][]process {
	byParent := make(map[int][]process)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return byParent
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if p, ok := readProcess(pid); ok {
			byParent[p.parent] = append(byParent[p.parent], p)
		}
	}
	return byParent
}

// readProcess reads the fields after the state in /proc/PID/stat: parent, group, session. The program's name before them may hold anything, so the fields count from the last parenthesis.
func readProcess(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	_, stat, _ = bytes.Cut(stat, []byte("("))
	closing := bytes.LastIndexByte(stat, ')')
	fields := bytes.Fields(stat[closing+1:])
	if closing < 0 || len(fields) < 4 {
		return process{}, false
	}
	name := string(stat[:closing])
	if fields[0][0] == 'Z' || fields[0][0] == 'X' {
		name = ""
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return process{}, false
	}
	session, err := strconv.Atoi(string(fields[3]))
	return process{pid, parent, session, name}, err == nil
}

// holdsNamespace reports whether a child of p lives in a process namespace below that of p, as in a sandbox.
func holdsNamespace(p process, all []process) bool {
	return slices.ContainsFunc(all, func(c process) bool { return c.parent == p.pid && depth(c.pid) > depth(p.pid) })
}

// depth counts the process namespaces that a process is in, from the one of /proc; 0 when it is gone.
func depth(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, rest, _ := bytes.Cut(status, []byte("\nNSpid:"))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return len(bytes.Fields(line))
}
