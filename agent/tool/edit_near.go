package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// How much of a file the answer to a missing old text shows.
const (
	nearPlaces  = 3
	nearLines   = 8
	nearMinimum = 0.6
)

// nearest describes the places of a text that look most like an old text. They are for the model to look at, never for a write.
func nearest(text, old string) string {
	lines, oldLines := strings.Split(text, "\n"), strings.Split(strings.Trim(old, "\n"), "\n")
	places := nearestPlaces(lines, oldLines)
	if len(places) == 0 {
		return "Nothing in the file looks like it; read the file again."
	}
	var out strings.Builder
	out.WriteString("The nearest text is below; copy \"old\" from the file as it is, without the line numbers.\n")
	for i, at := range places {
		if i > 0 {
			out.WriteString("   ...\n")
		}
		for n := at; n < min(len(lines), at+len(oldLines), at+nearLines); n++ {
			fmt.Fprintln(&out, numbered(n+1, lines[n]))
		}
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// nearestPlaces returns the first lines of the likeliest places, in order. The longest line of old says the most, so it alone is compared.
func nearestPlaces(lines, old []string) []int {
	anchor := 0
	for i, l := range old {
		if len(strings.TrimSpace(l)) > len(strings.TrimSpace(old[anchor])) {
			anchor = i
		}
	}
	type place struct {
		line     int
		likeness float64
	}
	var near []place
	want := newPairs(old[anchor])
	for i, l := range lines {
		if s := want.likeness(l); s >= nearMinimum {
			near = append(near, place{max(0, i-anchor), s})
		}
	}
	slices.SortStableFunc(near, func(a, b place) int { return cmp.Compare(b.likeness, a.likeness) })
	var first []int
	for _, p := range near[:min(len(near), nearPlaces)] {
		first = append(first, p.line)
	}
	slices.Sort(first)
	return slices.Compact(first)
}

// pairs counts the pairs of neighbouring bytes in a line, white space at its ends left out.
type pairs struct {
	line   string
	counts map[string]int
}

func newPairs(line string) pairs {
	p := pairs{line: strings.TrimSpace(line), counts: map[string]int{}}
	for i := 0; i+2 <= len(p.line); i++ {
		p.counts[p.line[i:i+2]]++
	}
	return p
}

// likeness is the share of pairs that two lines have in common, from 0 to 1.
func (p pairs) likeness(line string) float64 {
	line = strings.TrimSpace(line)
	if line == p.line {
		return 1
	}
	short, long := min(len(line), len(p.line))-1, max(len(line), len(p.line))-1
	if short < 1 || float64(2*short)/float64(short+long) < nearMinimum {
		return 0
	}
	common := 0
	for pair, n := range newPairs(line).counts {
		common += min(n, p.counts[pair])
	}
	return float64(2*common) / float64(short+long)
}
