package plain

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// literal returns what a word stands for, or why only a shell knows.
func literal(w *syntax.Word) (text, why string) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if why := unquoted(part.Value, len(w.Parts) == 1, &b); why != "" {
				return "", why
			}
		case *syntax.SglQuoted:
			if part.Dollar || strings.ContainsAny(part.Value, "\n\t") {
				return "", "holds quotes in which a shell sees more"
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			if part.Dollar {
				return "", "holds quotes in which a shell sees more"
			}
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return "", "holds what a shell replaces"
				}
				if why := quoted(lit.Value, &b); why != "" {
					return "", why
				}
			}
		default:
			return "", "holds what a shell replaces"
		}
	}
	return b.String(), ""
}

// harmless are the characters besides letters and digits that mean themselves wherever they stand outside of quotes.
const harmless = "_./:@%+,=-^"

// unquoted takes a piece outside of quotes. A bracket alone is the program of that name, and its end.
func unquoted(value string, alone bool, b *strings.Builder) string {
	if alone && (value == "[" || value == "]") {
		b.WriteString(value)
		return ""
	}
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '\\':
			if i++; i >= len(value) || !strings.ContainsRune(" !\"#$%&'()*+,-./:;<=>?@[]^_`{|}~\\", rune(value[i])) {
				return "holds a backslash that does not stand before a sign"
			}
			b.WriteByte(value[i])
		case c >= 0x80, c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', strings.IndexByte(harmless, c) >= 0:
			b.WriteByte(c)
		case c == '~' && isInside(b.String()):
			b.WriteByte(c)
		case strings.IndexByte("*?[]", c) >= 0:
			return "holds a pattern that stands for the names of files"
		default:
			return "holds a sign that means something to a shell"
		}
	}
	return ""
}

// isInside reports whether a tilde behind the text stands for itself, as in HEAD~1. At the beginning, and behind = and :, it may be a home folder.
func isInside(text string) bool {
	return text != "" && !strings.ContainsAny(text, "=:/") && strings.IndexByte(harmless, text[len(text)-1]) < 0
}

// quoted takes a piece in double quotes.
func quoted(value string, b *strings.Builder) string {
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == '\n' || c == '\t':
			return "holds quotes over more than a line"
		case c == '$' || c == '`':
			return "holds a sign that means something to a shell"
		case c == '\\' && i+1 < len(value) && strings.IndexByte("\\\"$`", value[i+1]) >= 0:
			i++
			b.WriteByte(value[i])
		default:
			b.WriteByte(c)
		}
	}
	return ""
}

// ofTheShell are words that a shell does not look for as a program, or whose program does another thing.
var ofTheShell = [...]string{
	"!", ".", ":", "[[", "]]", "alias", "bg", "bind", "break", "builtin", "caller", "case", "command", "compgen", "complete", "compopt", "continue", "coproc",
	"declare", "dirs", "disown", "do", "done", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "fc", "fg", "fi", "for", "function",
	"getopts", "hash", "help", "history", "if", "in", "jobs", "kill", "let", "local", "logout", "mapfile", "popd", "pushd", "read", "readarray", "readonly",
	"return", "select", "set", "shift", "shopt", "source", "suspend", "then", "time", "times", "trap", "type", "typeset", "ulimit", "umask", "unalias",
	"unset", "until", "wait", "while", "{", "}",
}

// asProgram refuses what a shell does itself, unless the program of that name does the same.
func asProgram(argv []string) string {
	name, args := argv[0], argv[1:]
	switch {
	case name == "":
		return "names no program"
	case slices.Contains(ofTheShell[:], name):
		return "is for the shell itself"
	case strings.Contains(name, "="):
		return "sets a variable"
	case name[0] == '-', name[0] == '%', strings.ContainsAny(name, " \t~"):
		return "names a program in an odd way"
	}
	switch name {
	case "echo":
		return asEcho(args)
	case "printf":
		if len(args) == 0 || args[0] == "" || args[0][0] == '-' || !plainFormat(args[0]) {
			return "prints in a way that differs from shell to shell"
		}
	case "true", "false", "pwd":
		if len(args) > 0 {
			return "takes arguments that differ from shell to shell"
		}
	case "test", "[":
		return asTest(name, args)
	}
	return ""
}

func asEcho(args []string) string {
	if len(args) > 0 && args[0] == "-n" {
		args = args[1:]
	}
	if len(args) > 0 && strings.HasPrefix(args[0], "-") || slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "\\") }) {
		return "prints in a way that differs from shell to shell"
	}
	return ""
}

// plainFormat reports whether a format of printf has only what all of them know.
func plainFormat(format string) bool {
	for i := 0; i < len(format); i++ {
		switch format[i] {
		case '%':
			if i++; i >= len(format) || strings.IndexByte("s%", format[i]) < 0 {
				return false
			}
		case '\\':
			if i++; i >= len(format) || strings.IndexByte("nt\\", format[i]) < 0 {
				return false
			}
		}
	}
	return true
}

// asTest accepts the questions of one operand or two, in which no two versions differ.
func asTest(name string, args []string) string {
	const odd = "asks in a way that differs from shell to shell"
	if name == "[" {
		if len(args) == 0 || args[len(args)-1] != "]" {
			return odd
		}
		args = args[:len(args)-1]
	}
	if len(args) > 1 && args[0] == "!" {
		args = args[1:]
	}
	switch len(args) {
	case 2:
		if !slices.Contains([]string{"-e", "-f", "-d", "-r", "-w", "-x", "-s", "-z", "-n", "-L"}, args[0]) {
			return odd
		}
	case 3:
		if !slices.Contains([]string{"=", "!=", "-ef"}, args[1]) {
			return odd
		}
	default:
		return odd
	}
	return ""
}
