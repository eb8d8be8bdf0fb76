package agent

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// TestBelongings: the model is told what of the person's own it sees and what it does not, whatever came along.
func TestBelongings(t *testing.T) {
	const (
		clean   = "the person's checkout had no uncommitted work when this tree was made"
		carried = "uncommitted work of the person's came along and lies in the files as they left it; it is theirs and does not land with yours"
	)
	lacks := func(uncommitted, untracked int) string {
		return fmt.Sprintf("not here: %d uncommitted and %d untracked files of the person's checkout; ask when you need what they hold", uncommitted, untracked)
	}
	var many []string
	for n := range maxNamed + 3 {
		many = append(many, fmt.Sprint("f", n))
	}
	for _, c := range []struct {
		name   string
		create event.WorktreeCreate
		want   []string
	}{
		{"a clean checkout", event.WorktreeCreate{}, []string{clean}},
		{"nothing came along", event.WorktreeCreate{Uncommitted: 2, Untracked: 1}, []string{lacks(2, 1)}},
		{"all came along", event.WorktreeCreate{Carried: "c"}, []string{carried}},
		{"some came along", event.WorktreeCreate{Carried: "c", Untracked: 3}, []string{carried, lacks(0, 3)}},
		{"copies", event.WorktreeCreate{IgnoredCopied: []string{".env", "local/key"}}, []string{clean, "copied from the person's checkout though git ignores it: .env, local/key; it does not land"}},
		{"many copies", event.WorktreeCreate{IgnoredCopied: many}, []string{
			clean, "copied from the person's checkout though git ignores it: " + strings.Join(many[:maxNamed], ", ") + " and 3 more; it does not land",
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var st view.State
			st.Apply(event.Event{Seq: 1, Payload: c.create})
			if got, want := strings.Join(belongings(st), "\n"), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}
