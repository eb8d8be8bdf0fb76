package view

import (
	"fmt"
	"strings"
)

// Render draws cards as text for a terminal: a heading per card, its lines behind a bar.
func Render(cards []Card) string {
	var b strings.Builder
	for i, c := range cards {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "▎ %s\n", strings.ToUpper(c.Kind))
		for _, l := range c.Lines() {
			b.WriteString("│ " + Visible(l) + "\n")
		}
	}
	return b.String()
}

// Lines returns the content of the card as plain lines.
func (c Card) Lines() []string {
	switch b := c.Body.(type) {
	case Ask:
		return split(b.Text)
	case Question:
		return questionLines(b)
	case Permission:
		return permissionLines(b)
	case Result:
		return resultLines(b)
	case ProofBody:
		return ProofLines(b)
	}
	return nil
}

// Line sums the card up in one line: its kind, padded, and what it says first.
func (c Card) Line() string {
	text := ""
	if p, ok := c.Body.(ProofBody); ok {
		text = proofSummary(p)
	} else if lines := c.Lines(); len(lines) > 0 {
		text = lines[0]
	}
	return strings.TrimRight(fmt.Sprintf("%-12s%s", c.Kind, text), " ")
}

func questionLines(q Question) []string {
	lines := split(q.Text)
	for _, choice := range q.Choices {
		lines = append(lines, "- "+choice)
	}
	if q.Answer != nil {
		lines = append(lines, "answered: "+*q.Answer)
	}
	return lines
}

func permissionLines(p Permission) []string {
	if p.Decision != "" {
		return []string{p.Decision}
	}
	lines := []string{p.Action}
	if len(p.Argv) > 0 {
		lines = append(lines, "$ "+strings.Join(p.Argv, " "))
	}
	if p.Diff != "" {
		lines = append(lines, split(p.Diff)...)
	}
	return lines
}

func resultLines(r Result) []string {
	if r.Outcome == "" {
		return split(r.Text)
	}
	if r.Text == "" {
		return []string{r.Outcome}
	}
	return append([]string{r.Outcome + ": " + firstLine(r.Text)}, split(r.Text)[1:]...)
}

// ProofLines returns a proof as lines: what was written, the diffstat, each item with its outcome.
func ProofLines(p ProofBody) []string {
	var lines []string
	if len(p.Wrote) > 0 {
		lines = append(lines, "Wrote "+strings.Join(p.Wrote, ", "))
	}
	for _, d := range p.DiffStat {
		lines = append(lines, fmt.Sprintf("%s %s | %s", d.Status, d.Path, changes(d)))
	}
	for _, it := range p.Items {
		lines = append(lines, fmt.Sprintf("%s %s  %s  %s", mark(it.Outcome), it.Name, it.Kind, it.Outcome))
	}
	if len(lines) == 0 {
		return []string{"nothing written, no checks"}
	}
	return lines
}

func proofSummary(p ProofBody) string {
	wrote := "nothing written"
	if len(p.Wrote) > 0 {
		wrote = "wrote " + strings.Join(p.Wrote, ", ")
	}
	if len(p.Items) == 0 {
		return wrote + ", no checks"
	}
	for _, it := range p.Items {
		wrote += fmt.Sprintf(", %s %s", it.Name, it.Outcome)
	}
	return wrote
}

func changes(d DiffStat) string {
	var parts []string
	if d.Insertions > 0 {
		parts = append(parts, fmt.Sprintf("%d +", d.Insertions))
	}
	if d.Deletions > 0 {
		parts = append(parts, fmt.Sprintf("%d -", d.Deletions))
	}
	if len(parts) == 0 {
		return "0"
	}
	return strings.Join(parts, " ")
}

func mark(outcome string) string {
	switch outcome {
	case "passed":
		return "✓"
	case "skipped":
		return "-"
	}
	return "✗"
}

func split(text string) []string { return strings.Split(strings.TrimRight(text, "\n"), "\n") }
