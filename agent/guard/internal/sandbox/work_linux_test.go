package sandbox

import (
	"testing"
)

func TestWorkSucceeds(t *testing.T) {
	boxes(t, func(t *testing.T, y *yard, b Box) {
		for _, c := range []struct {
			name, text, want string
			view             bool // needs a view of its own
		}{
			{"write in the tree", "echo x > new && mkdir d && echo y > d/e && cat new d/e", "x\ny\n", true},
			{"change a file of the tree", "echo b >> a.txt && cat a.txt", "a\nb\n", false},
			{"list the home", "ls $HOME", "notes\n", false},
			{"read a hidden file as an empty one", "cat $HOME/.npmrc", "", true},
			{"read the home", "cat $HOME/notes", "notes", false},
			{"write to a cache", "echo c > $HOME/.cache/c && cat $HOME/.cache/c", "c\n", false},
			{"keep a temporary file", "echo t > $TMPDIR/t-$(basename $D)", "", false},
			{"find it again", "cat $TMPDIR/t-*", "t\n", false},
			{"see the state of the tree", "git status --porcelain", " M a.txt\n?? d/\n?? new\n", true},
			{"commit", "git add -A && git commit -q -m two && git log --format=%s -1", "two\n", true},
			{"commit again", "echo z >> new && git commit -q -a -m three && git show --stat --format= HEAD | tail -1", " 1 file changed, 1 insertion(+)\n", true},
			{"a pipe and a null device", "echo a | tr a b > /dev/null && echo fine 2>/dev/null", "fine\n", false},
			{"processes of its own", "sh -c 'sleep 0 & wait; kill -0 $$ && echo fine'", "fine\n", false},
			{"a program that is not there", "exec no-such-program", "", false},
		} {
			if c.view && b.Backend != Bubblewrap {
				continue
			}
			out, code := y.run(t, b, c.text)
			if c.name == "a program that is not there" {
				if code != 127 {
					t.Errorf("%s: got code %d, want 127", c.name, code)
				}
				continue
			}
			if out != c.want || code != 0 {
				t.Errorf("%s: got %q and code %d, want %q", c.name, out, code, c.want)
			}
		}
		if b.Backend == Bubblewrap {
			if out := y.git(t, y.repo, "log", "--format=%s", "nodwyn/mine"); out != "three\ntwo\none\n" {
				t.Errorf("got commits %q", out)
			}
			y.git(t, y.repo, "fsck", "--strict")
		}
	})
}
