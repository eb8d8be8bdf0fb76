package guard

import (
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Until commands are parsed, a denial or question must not be evaded by how a command is written. So a command that can start others is read as a heap of words: where they come from, whether they are quoted and what they are for does not matter, and what only the shell knows may be anything. A harmless command that mentions a denied one is refused with it; a program that a file or a computed text names is not seen.

// word is a piece of a command.
type word struct {
	text string
	// starts says that a command may begin here.
	starts bool
}

// shells take a text or file to run as their first argument that is no flag.
var shells = [...]string{"sh", "bash", "dash", "ksh", "zsh", "fish", "busybox", "eval", "source", ".", "su"}

// wrappers start the command that follows their flags.
var wrappers = [...]string{
	"command", "doas", "env", "exec", "flock", "ionice", "nice", "nohup", "parallel", "setsid", "stdbuf", "strace", "sudo", "taskset", "time", "timeout", "unshare", "watch", "xargs",
}

// quiet start nothing that their arguments name, but for flags and settings that say so.
var quiet = [...]string{"cargo", "git", "go"}

// keywords stand before a command of a shell.
var keywords = [...]string{"!", "if", "then", "elif", "else", "while", "until", "do", "coproc"}

// mayRun reports whether the command is one whose first words are prefix, or could start such a one.
func mayRun(argv, prefix []string) bool {
	plain := make([]word, len(argv))
	for i, text := range argv {
		plain[i] = word{text, false}
	}
	if beginsWith(plain, prefix) {
		return true
	}
	if !startsOthers(argv) {
		return false
	}
	var want []string
	for _, text := range prefix {
		for _, w := range wordsOf(text) {
			want = append(want, w.text)
		}
	}
	var words []word
	for _, text := range argv {
		words = append(words, wordsOf(text)...)
	}
	for i, w := range words {
		if w.starts && isOpen(w.text) || beginsWith(words[i:], want) {
			return true
		}
	}
	return false
}

// startsOthers reports whether a command can start one that its arguments name.
func startsOthers(argv []string) bool {
	name := baseName(argv[0])
	if slices.ContainsFunc(argv[1:], startsProgram) {
		return true
	}
	if slices.Contains(quiet[:], name) {
		return slices.ContainsFunc(argv[1:], func(w string) bool {
			return strings.HasPrefix(w, "-c") || strings.HasPrefix(w, "--config") || strings.Contains(w, "!")
		})
	}
	return slices.Contains(runners[:], name) || slices.Contains(shells[:], name) || slices.Contains(wrappers[:], name)
}

// beginsWith reports whether the words could be prefix. The program may be named by a path and in any case; one word that only the shell knows may stand for all that follow.
func beginsWith(words []word, prefix []string) bool {
	for i, want := range prefix {
		if i >= len(words) {
			return false
		}
		text := words[i].text
		if i > 0 && isOpen(text) {
			return true
		}
		if text == want || baseName(text) == want || i == 0 && strings.EqualFold(baseName(text), baseName(want)) {
			continue
		}
		return false
	}
	return true
}

func baseName(text string) string { return path.Base(filepath.ToSlash(text)) }

// isOpen reports whether a word holds what a shell replaces by something else.
func isOpen(text string) bool {
	return text != "[" && text != "[[" && strings.ContainsAny(text, "$*?[,")
}

// wordsOf parts a text at white space and at what a shell gives a meaning to.
func wordsOf(text string) []word {
	r := reader{starts: true}
	text = strings.NewReplacer("\\\n", "", "\\\r\n", "").Replace(text)
	for i, c := range text {
		switch {
		case c == '\'' || c == '"' || c == '\\':
			// Quotes hide nothing.
		case c == '>' || c == '<':
			r.endWord()
			r.redirect = true
		case c == '&' && i > 0 && (text[i-1] == '>' || text[i-1] == '<'):
			// It belongs to the redirection.
		case c == '`':
			r.current.WriteByte('$')
			r.endCommand()
		case strings.ContainsRune(";&|(){}\n", c):
			r.endCommand()
		case strings.ContainsRune(" \t\r\f\v\u0085\u00a0", c):
			r.endWord()
		default:
			r.current.WriteRune(c)
		}
	}
	r.endWord()
	return r.words
}

// reader collects the words of a text.
type reader struct {
	words    []word
	current  strings.Builder
	starts   bool // a command may begin with the next word
	wrapped  bool // and with a later one, if only flags come first
	flagged  bool // the word before was a flag, and this may be its value
	redirect bool // the next word is a file
}

func (r *reader) endCommand() {
	r.endWord()
	r.starts, r.wrapped, r.flagged, r.redirect = true, false, false, false
}

func (r *reader) endWord() {
	text := r.current.String()
	r.current.Reset()
	if text == "" {
		return
	}
	parts := strings.Split(text, "=")
	for i, part := range parts {
		if len(part) > 1 { // git's mark for a command that is none of its own
			part = strings.TrimPrefix(part, "!")
		}
		r.words = append(r.words, word{part, i == 0 && r.starts && !r.redirect})
	}
	if r.redirect {
		r.redirect = false
		return
	}
	if r.starts {
		r.next(text, len(parts) > 1)
	}
}

// next finds out whether a command may begin with the word after text.
func (r *reader) next(text string, assigned bool) {
	name := baseName(text)
	switch {
	case slices.Contains(keywords[:], text), assigned:
	case slices.Contains(shells[:], name), slices.Contains(wrappers[:], name):
		r.wrapped = true
	case !r.wrapped:
		r.starts = false
	case text[0] == '-':
		r.flagged = true
		return
	case !r.flagged && (text[0] < '0' || text[0] > '9'):
		r.starts, r.wrapped = false, false
	}
	r.flagged = false
}
