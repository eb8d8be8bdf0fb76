package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
)

// parse reads a command's flags, before and between its words, and returns the words: at least least and, unless most is negative, at most most. Asked for help it prints it and returns flag.ErrHelp.
func parse(c *console, set *flag.FlagSet, args []string, least, most int) ([]string, error) {
	cmd, _ := find(set.Name())
	set.SetOutput(io.Discard) // what is wrong is said once, below
	set.Usage = func() {}
	words, err := wordsOf(set, args)
	if errors.Is(err, flag.ErrHelp) {
		cmd.explain(c.out, set)
		return nil, err
	}
	if err != nil {
		return nil, misuse{flagError(set, err)}
	}
	switch n := len(words); {
	case n < least && n < len(cmd.words):
		return nil, misuse{cmd.words[n].name + " is missing: " + cmd.words[n].means}
	case n < least:
		return nil, misuse{"an argument is missing"}
	case most >= 0 && n > most:
		return nil, misuse{fmt.Sprintf("%q is one argument too many", words[most])}
	}
	return words, nil
}

// wordsOf parses flags wherever they stand; behind "--" there are none.
func wordsOf(set *flag.FlagSet, args []string) ([]string, error) {
	var words []string
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		rest := set.Args()
		if taken := len(args) - len(rest); taken > 0 && args[taken-1] == "--" {
			return append(words, rest...), nil
		}
		if len(rest) == 0 {
			return words, nil
		}
		words, args = append(words, rest[0]), rest[1:]
	}
}

// flagError puts the words of package flag, which are stable, into ours.
func flagError(set *flag.FlagSet, err error) string {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		var known []string
		set.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
		name = strings.TrimPrefix(name, "-")
		return fmt.Sprintf("there is no flag --%s%s", name, suggestion("--", name, known))
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Sprintf("--%s needs a value", name)
	}
	value, rest, ok := strings.Cut(strings.TrimPrefix(text, "invalid value "), " for flag -")
	if !ok {
		value, rest, ok = strings.Cut(strings.TrimPrefix(text, "invalid boolean value "), " for -")
	}
	if name, why, named := strings.Cut(rest, ": "); ok && named {
		return fmt.Sprintf("--%s: %s: %s", name, value, strings.ReplaceAll(why, "parse error", "it takes a number"))
	}
	return text
}

// count says a number with its noun in the right form.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
