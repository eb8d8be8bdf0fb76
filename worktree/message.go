package worktree

import (
	"slices"
	"strings"
)

// messageOf returns the message of a landing: the given one, the only turn's subject, or a summary of several.
func messageOf(spec LandSpec) string {
	if message := strings.TrimSpace(spec.Message); message != "" {
		return message
	}
	var subjects []string
	for _, turn := range spec.Turns {
		if subject := subjectOf(turn); !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	switch len(subjects) {
	case 0:
		return "Land the work of a session"
	case 1:
		return subjects[0]
	default:
		return subjects[0] + "\n\n- " + strings.Join(subjects, "\n- ")
	}
}

// subjectOf returns one line, whatever the turn was given as.
func subjectOf(turn TurnCommit) string {
	line, _, _ := strings.Cut(strings.TrimSpace(turn.Subject), "\n")
	if line == "" {
		return "Work of a session"
	}
	return strings.TrimSpace(line)
}
