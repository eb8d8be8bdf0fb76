package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"strings"
)

// help lists the commands.
func help(w io.Writer) {
	fmt.Fprint(w, "nodwyn is a coding agent for your editor and your terminal.\n\nusage: nodwyn COMMAND [flags] [arguments]\n\nCommands:\n")
	for _, cmd := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", cmd.name, cmd.about)
	}
	fmt.Fprint(w, "\n`nodwyn help COMMAND` says more about one. To begin: `nodwyn demo`, then `nodwyn doctor`.\n")
}

// helpWith answers `nodwyn help [COMMAND]`.
func helpWith(c *console, args []string) int {
	if len(args) == 0 {
		help(c.out)
		return exitDone
	}
	return dispatch([]string{args[0], "--help"}, c)
}

// usage is how the command is written, one line for each form.
func (cmd command) usage() string {
	if len(cmd.forms) == 0 {
		return "usage: nodwyn " + cmd.name + "\n"
	}
	var b strings.Builder
	lead := "usage:"
	for _, form := range cmd.forms {
		fmt.Fprintf(&b, "%s nodwyn %s %s\n", lead, cmd.name, form)
		lead = "      "
	}
	return b.String()
}

// explain prints everything about one command.
func (cmd command) explain(w io.Writer, set *flag.FlagSet) {
	fmt.Fprintf(w, "%s\n%s.\n", cmd.usage(), capital(cmd.about))
	for _, line := range cmd.detail {
		fmt.Fprintln(w, line)
	}
	var words, flags [][2]string
	for _, word := range cmd.words {
		words = append(words, [2]string{word.name, word.means})
	}
	set.VisitAll(func(f *flag.Flag) { flags = append(flags, describe(f)) })
	section(w, "Arguments", words)
	section(w, "Flags", flags)
	if len(cmd.examples) > 0 {
		fmt.Fprintf(w, "\nExamples:\n  %s\n", strings.Join(cmd.examples, "\n  "))
	}
}

// describe is a flag with its value, and its meaning.
func describe(f *flag.Flag) [2]string {
	value, means := flag.UnquoteUsage(f)
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
		means += fmt.Sprintf(" (default %s)", f.DefValue)
	}
	return [2]string{strings.TrimSpace("--" + f.Name + " " + value), means}
}

func section(w io.Writer, title string, rows [][2]string) {
	if len(rows) == 0 {
		return
	}
	width := 0
	for _, row := range rows {
		width = max(width, len(row[0]))
	}
	fmt.Fprintf(w, "\n%s:\n", title)
	for _, row := range rows {
		fmt.Fprintf(w, "  %-*s  %s\n", width, row[0], row[1])
	}
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// whyNoCommand says what may have been meant.
func whyNoCommand(name string) string {
	if strings.HasPrefix(name, "-") {
		return fmt.Sprintf("flags stand behind the command, as in `nodwyn run %s …`; `nodwyn help` lists the commands", name)
	}
	var names []string
	for _, cmd := range commands() {
		names = append(names, cmd.name)
	}
	return fmt.Sprintf("there is no command %q%s `nodwyn help` lists them", name, cmp.Or(suggestion("", name, names), ";"))
}

// suggestion asks for the nearest of the known words, with mark before it, if one is near.
func suggestion(mark, wrong string, known []string) string {
	best, least := "", 3
	for _, k := range known {
		if d := distance(wrong, k); d < least && d < len(k) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean %s%s?", mark, best)
}
