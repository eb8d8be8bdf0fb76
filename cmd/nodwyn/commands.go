package main

import "context"

// command is one word of the command line.
type command struct {
	name string
	// forms are the ways to write what follows the name.
	forms []string
	// about is its line in the list of commands.
	about string
	// detail is what its own help says beyond that, one line each.
	detail []string
	// words are the arguments that stand there by themselves, in order.
	words    []word
	examples []string
	run      func(ctx context.Context, c *console, args []string) error
}

// word is an argument and what it means.
type word struct{ name, means string }

// aSession is the argument of all commands about one session.
func aSession() word {
	return word{"SESSION", "an id from `nodwyn sessions`, the beginning or the end of one, or `last`"}
}

// find returns the command of that name.
func find(name string) (command, bool) {
	for _, cmd := range commands() {
		if cmd.name == name {
			return cmd, true
		}
	}
	return command{}, false
}

// commands lists every command once, in the order of the help.
func commands() []command {
	return []command{
		{
			name: "run", forms: []string{"[flags] TASK", "[flags] --continue SESSION [TASK]"}, run: runTask,
			about: "do one task, asking on the terminal before anything is written or run",
			detail: []string{
				"In a git repository the work is done in a worktree of its own; `nodwyn land` brings it into your branch.",
				"Stdout is the transcript, everything else goes to stderr. Without a terminal --yes says what may happen unasked.",
				"Exit codes: 0 completed, 1 failed, 2 not understood, 3 cancelled or denied and stopped.",
			},
			words:    []word{{"TASK", "what is to be done, in quotes"}},
			examples: []string{`nodwyn run "add a line about testing to README.md"`, `nodwyn run --yes edits --repo ~/src/site "fix the broken links"`, `nodwyn run --continue last`, `nodwyn run --continue last "now add a test"`},
		},
		{
			name: "sessions", forms: []string{"[flags]"}, run: listSessions,
			about:    "list the sessions and where their work is",
			examples: []string{"nodwyn sessions", "nodwyn sessions --repo ."},
		},
		{
			name: "view", forms: []string{"SESSION"}, run: viewSession,
			about: "show a session as an editor does, card by card",
			words: []word{aSession()}, examples: []string{"nodwyn view last"},
		},
		{
			name: "diff", forms: []string{"[flags] SESSION [PATH]"}, run: diffSession,
			about: "show what a session changed and did not land yet",
			words: []word{aSession(), {"PATH", "one file or folder of it"}}, examples: []string{"nodwyn diff last", "nodwyn diff last --turn 2 README.md"},
		},
		{
			name: "land", forms: []string{"[flags] SESSION"}, run: landSession,
			about:    "bring a session's work into a branch of yours",
			detail:   []string{"The message is --message, else one that the [side] model proposes as it lands, else one made of what was asked.", "What you did not commit stays as it is, or nothing lands. Once everything has landed, the session's branch and worktree are removed."},
			words:    []word{aSession()},
			examples: []string{"nodwyn land --preview last", "nodwyn land last", "nodwyn land --strategy merge --into main last"},
		},
		{
			name: "close", forms: []string{"[--discard] SESSION"}, run: closeSession,
			about:    "end a session, and throw its work away with --discard",
			detail:   []string{"Branch and worktree go when all of the work has landed or --discard says so. The log stays."},
			words:    []word{aSession()},
			examples: []string{"nodwyn close last", "nodwyn close --discard last"},
		},
		{
			name: "worktrees", forms: []string{"[flags]", "prune [--dry-run] [--repo DIR]"}, run: worktrees,
			about: "list the worktrees of all sessions, and remove those whose work has landed with prune",
			detail: []string{
				"Landed is what your branch has, however it came there. What did not land, is open or cannot be read is never removed.",
				"Removed ones stay in a trash folder for seven days, less when all worktrees together take more than the quota.",
			},
			words:    []word{{"prune", "remove what nobody needs any more, and old trash"}},
			examples: []string{"nodwyn worktrees", "nodwyn worktrees prune --dry-run", "nodwyn worktrees prune"},
		},
		{
			name: "approvals", forms: []string{"[flags]", "revoke NUMBER|all [--repo DIR]"}, run: approvals,
			about: "list what you allowed for good, by repository, and take it back with revoke",
			detail: []string{
				"What is allowed for a session ends with it, and rules of the configuration are changed there.",
			},
			words:    []word{{"revoke", "take one back by its number in the list, or all that are listed"}},
			examples: []string{"nodwyn approvals", "nodwyn approvals --repo .", "nodwyn approvals revoke 2"},
		},
		{
			name: "egress", forms: []string{"[flags] SESSION"}, run: egress,
			about: "show what a session sent to which hosts, from its log",
			words: []word{aSession()}, examples: []string{"nodwyn egress last", "nodwyn egress --turn 2 last"},
		},
		{
			name: "replay", forms: []string{"SESSION", "--request [SEQ] SESSION", "--tokens SESSION"}, run: replaySession,
			about:    "print a session's transcript, or what was sent to the model and came back",
			words:    []word{aSession()},
			examples: []string{"nodwyn replay last", "nodwyn replay --request last", "nodwyn replay --request 7 last"},
		},
		{
			name: "verify", forms: []string{"[SESSION…]"}, run: verifyLogs,
			about: "read logs strictly, all of them if none is named, and say what is wrong",
			words: []word{aSession()}, examples: []string{"nodwyn verify", "nodwyn verify last"},
		},
		{
			name: "serve", run: serve,
			about:  "speak JSON-RPC on stdin and stdout, for an editor",
			detail: []string{"An editor starts it as it starts a language server."},
		},
		{
			name: "setup", forms: []string{"[flags]"}, run: setup,
			about:    "configure a model: asks on a terminal, or takes flags",
			examples: []string{"nodwyn setup", "nodwyn setup --server ollama"},
		},
		{
			name: "cred", forms: []string{"list", "register CLASS", "remove CLASS"}, run: credentials,
			about:    "list, store and remove the keys of servers",
			detail:   []string{"A key is read from a hidden prompt, or from stdin when that is no terminal. It is never shown."},
			words:    []word{{"list, register or remove", "what to do"}, {"CLASS", "the name of the key, which a server's `credential` names"}},
			examples: []string{"nodwyn cred list", "nodwyn cred register anthropic"},
		},
		{
			name: "doctor", run: doctor,
			about: "say what works here, what does not, and what to do",
		},
		{
			name: "demo", forms: []string{"[--clean]"}, run: demo,
			about:  "play a whole session in a repository of its own, without a network or a key",
			detail: []string{"The folder is kept, so that you can look at it; the last lines say how to delete it."},
		},
		{
			name: "version", run: printVersion,
			about: "print the version",
		},
	}
}
