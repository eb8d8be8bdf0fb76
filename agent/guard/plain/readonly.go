package plain

import (
	"fmt"
	"slices"
	"strings"
)

// Safe is how a command that only reads has to be run: with these words, and with these variables over those of its environment, so that it runs no program that a repository or a variable names. The name of the program is looked up where nobody but the person puts programs.
type Safe struct {
	Argv []string
	Env  []string
	// Reads are the words that may name files or folders, for whoever says which of them may be read. Where there is none, the command reads the folder that it runs in, or what is piped into it.
	Reads []string
	// Deep says that it prints what is in files that its words do not name, such as those below a folder or those of a commit.
	Deep bool
}

// Reason is a clause that says why a command is not known to only read.
type Reason string

func (r Reason) Error() string { return string(r) }

// ReadOnly returns how a command runs so that it only reads files and prints. The error, a Reason, says what speaks against it.
func ReadOnly(argv []string) (Safe, error) {
	if len(argv) == 0 {
		return Safe{}, Reason("there is no command")
	}
	name, args := argv[0], argv[1:]
	switch {
	case name == "git":
		return git(args)
	case name == "go":
		return goTool(args)
	case name == "find":
		return find(args)
	case name == "echo" || name == "printf":
		return Safe{Argv: argv}, nil
	case name == "test" || name == "[":
		return Safe{Argv: argv, Reads: args}, nil
	case len(args) == 1 && args[0] == "--version" && slices.Contains(versioned[:], name):
		return Safe{Argv: argv}, nil
	}
	for _, p := range programs {
		if slices.Contains(strings.Fields(p.names), name) {
			return p.safe(argv)
		}
	}
	return Safe{}, Reason(fmt.Sprintf("it is not known what %q does", name))
}

// versioned are programs that say which they are and do nothing else. Those that let the folder say which version of them runs (cargo, npm, yarn) are not among them.
var versioned = [...]string{"bash", "clang", "cmake", "curl", "docker", "gcc", "jq", "make", "node", "perl", "python", "python3", "rg", "ruby", "tar"}

// operandKind says what the words are that are no flags.
type operandKind int

const (
	paths   operandKind = iota // files, perhaps
	words                      // text
	none                       // a mistake
	one                        // one file at most, since a second one would be written
	pattern                    // a text, unless a flag gave it, and then files
)

// program is a row of the table of programs that only read.
type program struct {
	names string // parted by spaces
	flags spec
	// long says that a flag is a word of its own, never in a bundle.
	long     bool
	operands operandKind
	// given are the flags of a pattern that stand for the first operand.
	given []string
	// check looks at the rest, with the pattern in front of the values.
	check func(reading) error
	// env are variables to set, parted by spaces.
	env string
	// deep are the flags with which it looks below folders; "" says that it always does.
	deep []string
}

func (p program) safe(argv []string) (Safe, error) {
	parse := p.flags.parse
	if p.long {
		parse = p.flags.parseLong
	}
	r, err := parse(argv[1:])
	if err != nil {
		return Safe{}, err
	}
	reads := slices.Concat(r.reads, r.operands)
	switch {
	case p.operands == none && len(r.operands) > 0:
		return Safe{}, Reason(fmt.Sprintf("%q is more than a question there", r.operands[0]))
	case p.operands == one && (len(r.operands) > 1 || r.late):
		return Safe{}, Reason("it may write to its second file")
	case p.operands == words:
		reads = r.reads
	case p.operands == pattern && !r.has(p.given...):
		if len(r.operands) == 0 {
			return Safe{}, Reason("it lacks what to look for")
		}
		r.values = append(r.values, r.operands[0])
		reads = slices.Concat(r.reads, r.operands[1:])
	}
	if p.check != nil {
		if err := p.check(r); err != nil {
			return Safe{}, err
		}
	}
	deep := slices.Contains(p.deep, "") || r.has(p.deep...)
	return Safe{Argv: argv, Env: strings.Fields(p.env), Reads: reads, Deep: deep}, nil
}
