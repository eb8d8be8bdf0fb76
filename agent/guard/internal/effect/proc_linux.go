package effect

import (
	"bytes"
	"os"
	"strconv"
)

// process is what /proc says of one.
type process struct {
	pid, parent, session int
}

// descendants returns the processes below pid, from one pass over /proc. One that is born meanwhile is found by the next pass.
func descendants(pid int) []int { return below(processes(), pid) }

func below(byParent map[int][]process, pid int) []int {
	var found []int
	for todo := byParent[pid]; len(todo) > 0; {
		next := todo[0].pid
		found = append(found, next)
		todo = append(todo[1:len(todo):len(todo)], byParent[next]...)
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
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 4 {
		return process{}, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return process{}, false
	}
	session, err := strconv.Atoi(string(fields[3]))
	return process{pid, parent, session}, err == nil
}
