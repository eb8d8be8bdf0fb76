package tool

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// edit replaces one stretch of a file. Line ends in it may be LF whatever the file's are.
type edit struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all,omitzero"`
}

// change is what an edit does to the bytes of a text.
type change struct {
	// from and to bound what goes.
	from, to int
	// with is what comes, in the line ends of its place.
	with string
	// edit counts from 1.
	edit int
	// how says what had to be overlooked to find the place; empty for an exact match.
	how string
}

// editError says why no edit was made.
type editError struct {
	// word is the word for Result.Error.
	word string
	text string
}

func (e *editError) Error() string { return e.text }

// planEdits finds where each edit applies. Every one is looked up in the text as it is, so their order does not matter; one that does not fit exactly one place, or two that meet, fail them all.
func planEdits(text string, edits []edit) ([]change, error) {
	var changes []change
	for i, e := range edits {
		e.Old, e.New = toLF(e.Old), toLF(e.New)
		found, err := planEdit(text, e)
		if err != nil {
			err.text = fmt.Sprintf("edit %d of %d: %s", i+1, len(edits), err.text)
			return nil, err
		}
		for _, c := range found {
			c.edit = i + 1
			changes = append(changes, c)
		}
	}
	slices.SortStableFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	return changes, checkApart(text, changes)
}

// applyChanges returns the text after changes that are in order and apart.
func applyChanges(text string, changes []change) string {
	var out strings.Builder
	done := 0
	for _, c := range changes {
		out.WriteString(text[done:c.from])
		out.WriteString(c.with)
		done = c.to
	}
	out.WriteString(text[done:])
	return out.String()
}

// checkApart refuses changes that meet: neither order of them could be told right.
func checkApart(text string, changes []change) error {
	for i := 1; i < len(changes); i++ {
		a, b := changes[i-1], changes[i]
		if b.from < a.to || b.from == a.from {
			return &editError{wordOverlap, fmt.Sprintf("edits %d and %d both change line %d; make one edit of them", min(a.edit, b.edit), max(a.edit, b.edit), lineAt(text, b.from))}
		}
	}
	return nil
}

func planEdit(text string, e edit) ([]change, *editError) {
	if e.Old == "" {
		return nil, &editError{wordInvalid, `"old" is empty; give the text to replace, or use file-write for a whole file`}
	}
	if e.Old == e.New {
		return nil, &editError{wordInvalid, `"old" and "new" are the same, so there is nothing to change`}
	}
	for _, s := range stages() {
		places := s.find(text, e)
		if len(places) == 1 || len(places) > 1 && e.All && s.how == "" {
			for i := range places {
				places[i].how = s.how
			}
			return places, nil
		}
		if len(places) > 1 {
			return nil, ambiguous(text, s, places)
		}
	}
	return nil, &editError{wordNoMatch, `"old" is not in the file` + madeBefore(text, e.New) + ". " + nearest(text, e.Old)}
}

// minTelling is how long a new text must be to say something by being there.
const minTelling = 8

// madeBefore says where the new text stands already, since a model that repeats an edit would else look for the old one.
func madeBefore(text, with string) string {
	at := strings.Index(toLF(text), with)
	if at < 0 || len(strings.TrimSpace(with)) < minTelling {
		return ""
	}
	return fmt.Sprintf(`, but "new" stands at line %d already, so perhaps the edit was made before`, lineAt(toLF(text), at))
}

// maxListed bounds the line numbers that an error lists.
const maxListed = 10

func ambiguous(text string, s stage, places []change) *editError {
	var lines []string
	for _, p := range places[:min(len(places), maxListed)] {
		lines = append(lines, fmt.Sprint(lineAt(text, p.from)))
	}
	if len(places) > maxListed {
		lines = append(lines, "…")
	}
	advice := `add lines around it to "old" until it is unique, or set "all" to change every place`
	if s.how != "" {
		advice = "it is not there exactly; " + s.how + `, it fits several places; copy "old" from the file as it is`
	}
	return &editError{wordAmbiguous, fmt.Sprintf(`"old" stands %d times in the file, at lines %s: %s`, len(places), strings.Join(lines, ", "), advice)}
}

// lineAt returns the number of the line that the byte at lies in.
func lineAt(text string, at int) int { return strings.Count(text[:at], "\n") + 1 }

func toLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
