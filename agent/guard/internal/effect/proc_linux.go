package effect

import (
	"bytes"
	"os"
	"strconv"
)

// descendants returns the processes below pid, from one pass over /proc. One that is born meanwhile is found by the next pass.
func descendants(pid int) []int {
	below := childrenByParent()
	var found []int
	for todo := below[pid]; len(todo) > 0; {
		next := todo[0]
		found = append(found, next)
		todo = append(todo[1:], below[next]...)
	}
	return found
}

func childrenByParent() map[int][]int {
	below := make(map[int][]int)
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return below
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if parent, ok := parentOf(e.Name()); ok {
			below[parent] = append(below[parent], pid)
		}
	}
	return below
}

// parentOf reads the field after the state in /proc/PID/stat. The program's name before it may hold anything, so the fields count from the last parenthesis.
func parentOf(pid string) (int, bool) {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0, false
	}
	parent, err := strconv.Atoi(string(fields[1]))
	return parent, err == nil
}
