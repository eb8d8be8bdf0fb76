package main

import "github.com/nodwyn/nodwyn/agent"

// farewell says what the person should know, where the work is, and how to go on.
func (j *job) farewell(a *agent.Agent, s *agent.Session, closed agent.Closed, r agent.TurnResult, h heard) {
	sc, id := j.screen, s.ID()
	if h.alone > 0 && r.Outcome == "completed" {
		sc.say("%s denied, since nobody could be asked: run it on a terminal, or with a wider --yes (reads, edits, all)\n", was(h.alone, "request"))
	}
	if h.untrusted {
		sc.say("the project's checks were skipped: .nodwyn/closeout.toml is not trusted yet, and --yes does not give trust; run once on a terminal and answer \"trust\"\n")
	}
	sc.say("session %s\nlog     %s\n", id, a.LogPath(id))
	if len(closed.Unlanded) == 0 {
		return
	}
	sc.say("branch  %s holds %s\nlook    nodwyn diff %s\nland    nodwyn land %s\nmore    nodwyn run --continue %s \"…\"\n",
		s.State().Config.Worktree.Branch, count(len(closed.Unlanded), "changed file"), short(id), short(id), short(id))
}

// was says a number of things in the past.
func was(n int, noun string) string {
	if n == 1 {
		return count(n, noun) + " was"
	}
	return count(n, noun) + " were"
}
