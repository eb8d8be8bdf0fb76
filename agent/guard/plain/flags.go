package plain

import (
	"fmt"
	"slices"
	"strings"
)

// spec is the list of flags that a program may be given, parted by spaces. A mark behind a flag says what it takes: nothing without one, ":" a value, "@" a value that names a file to read, ">" one that names a file to write, "?" a value only if it is attached. "-#" stands for a number such as -20. What is not listed is not known, and no flag may be shortened.
//
// A value in a word of its own never begins with a dash. So if another version of a program takes a value where this list knows of none, or the other way around, no flag gets by unread.
type spec string

// The marks of a flag.
const (
	alone    = ' '
	value    = ':'
	fromFile = '@'
	toFile   = '>'
	attached = '?'
	unlisted = 0
)

// mark returns what a flag takes.
func (s spec) mark(flag string) byte {
	for known := range strings.FieldsSeq(string(s)) {
		name := strings.TrimRight(known, ":@>?")
		if name != flag {
			continue
		}
		if name == known {
			return alone
		}
		return known[len(known)-1]
	}
	return unlisted
}

// reading is what the words behind a program's name say.
type reading struct {
	// operands are the words that are no flag and no flag's value; late says that a flag stands behind one.
	operands []string
	late     bool
	// flags are those that were given, as the list names them.
	flags []string
	// reads, writes and values are the values of flags: files to read, files to write, and others.
	reads, writes, values []string
}

func (r *reading) has(names ...string) bool {
	return slices.ContainsFunc(r.flags, func(f string) bool { return slices.Contains(names, f) })
}

func (r *reading) take(name string, mark byte, text string) {
	r.flags = append(r.flags, name)
	switch {
	case mark == fromFile:
		r.reads = append(r.reads, text)
	case mark == toFile:
		r.writes = append(r.writes, text)
	case mark != alone && text != "":
		r.values = append(r.values, text)
	}
}

// flagReader is at one of the words.
type flagReader struct {
	spec  spec
	words []string
	at    int
	reading
}

// parse reads words as getopt_long does. The error is a Reason.
func (s spec) parse(words []string) (reading, error) { return s.read(words, (*flagReader).getopt) }

// parseLong reads words of programs that have flags of any length behind one dash or two, as go has.
func (s spec) parseLong(words []string) (reading, error) { return s.read(words, (*flagReader).oneDash) }

func (s spec) read(words []string, flag func(*flagReader, string) bool) (reading, error) {
	f := flagReader{spec: s, words: words}
	for ; f.at < len(words); f.at++ {
		w := words[f.at]
		if w == "--" {
			f.operands = append(f.operands, words[f.at+1:]...)
			break
		}
		if w == "-" || w == "" || w[0] != '-' {
			f.operands = append(f.operands, w)
			continue
		}
		f.late = f.late || len(f.operands) > 0
		if isNumber(w[1:]) && s.mark("-#") == alone {
			continue
		}
		if !flag(&f, w) {
			return reading{}, Reason(fmt.Sprintf("it is not known what %q does there", w))
		}
	}
	return f.reading, nil
}

func (f *flagReader) getopt(w string) bool {
	if strings.HasPrefix(w, "--") {
		return f.long(w)
	}
	return f.bundle(w)
}

// oneDash reads -flag, -flag=value and -flag value.
func (f *flagReader) oneDash(w string) bool {
	if strings.HasPrefix(w, "--") {
		w = w[1:]
	}
	name, text, given := strings.Cut(w, "=")
	if given && f.spec.mark(name) == alone { // a switch may be told which way
		f.take(name, alone, text)
		return text == "true" || text == "false"
	}
	return f.long(w)
}

// long reads a flag by its whole name.
func (f *flagReader) long(w string) bool {
	name, text, given := strings.Cut(w, "=")
	switch mark := f.spec.mark(name); {
	case mark == unlisted, mark == alone && given:
		return false
	case mark == alone, mark == attached, given:
		f.take(name, mark, text)
		return true
	default:
		return f.next(name, mark)
	}
}

// next takes the next word as the value of a flag.
func (f *flagReader) next(name string, mark byte) bool {
	f.at++
	if f.at >= len(f.words) {
		return false
	}
	text := f.words[f.at]
	if strings.HasPrefix(text, "-") && text != "-" && !isNumber(text[1:]) {
		return false
	}
	f.take(name, mark, text)
	return true
}

// bundle reads flags of one letter each; the first that takes a value has the rest.
func (f *flagReader) bundle(w string) bool {
	for at := 1; at < len(w); at++ {
		name, rest := "-"+w[at:at+1], w[at+1:]
		switch mark := f.spec.mark(name); {
		case mark == unlisted || name == "-#":
			return false
		case mark == alone:
			f.take(name, mark, "")
		case mark == attached || rest != "":
			f.take(name, mark, rest)
			return true
		default:
			return f.next(name, mark)
		}
	}
	return true
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
