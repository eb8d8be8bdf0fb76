package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/nodwyn/nodwyn/worktree"
)

// creations is how many worktrees each side makes: a tree of the large repository takes seconds and the better part of a gigabyte.
const creations = 3

// edits is how many files change between two checkpoints, and lie uncommitted in the person's checkout.
const edits = 20

// worktrees measures what sessions do with the worktrees of a large repository, against the git commands that a person would use.
func (b bench) worktrees() ([]row, error) {
	if b.files == 0 {
		return nil, nil
	}
	l, err := b.large()
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, measure := range []func(bench) ([]row, error){l.creation, l.statuses, l.checkpoint, l.answers} {
		found, err := measure(b)
		if err != nil {
			return nil, err
		}
		rows = append(rows, found...)
	}
	return rows, nil
}

// begin plans and begins a session, which is what its answer waits for.
func (l *large) begin(carry worktree.CarrySpec) (worktree.Identity, worktree.StartSpec, worktree.Begun, error) {
	l.made++
	session := fmt.Sprintf("s%d", l.made)
	spec := worktree.StartSpec{Session: session, Carry: carry}
	id, err := l.r.Plan(context.Background(), worktree.PlanSpec{Session: session, Root: l.root})
	if err != nil {
		return id, spec, worktree.Begun{}, err
	}
	begun, err := l.r.Begin(context.Background(), id, spec)
	return id, spec, begun, err
}

// start makes a whole worktree.
func (l *large) start() (id worktree.Identity, spare bool, err error) {
	id, spec, begun, err := l.begin(worktree.CarrySpec{})
	if err == nil {
		_, err = l.r.Complete(context.Background(), id, spec, begun)
	}
	return id, begun.Spare, err
}

// add is the person's way to a worktree.
func (l *large) add() (string, error) {
	l.made++
	path := filepath.Join(l.dir, fmt.Sprintf("tree%d", l.made))
	return path, l.git("worktree", "add", "-q", "-b", filepath.Base(path), path)
}

// creation compares whole worktrees, and those that take the spare when the base has moved a little since it was made.
func (l *large) creation(b bench) ([]row, error) {
	var ours, spares, peer []time.Duration
	for range creations {
		add, err := timed(func() error { _, err := l.add(); return err })
		if err != nil {
			return nil, err
		}
		start, err := timed(func() error { _, _, err := l.start(); return err })
		if err != nil {
			return nil, err
		}
		spare, err := l.fromSpare(b.files)
		if err != nil {
			return nil, err
		}
		ours, spares, peer = append(ours, start), append(spares, spare), append(peer, add)
	}
	add := median(peer)
	return []row{
		{"worktree complete / git worktree add", median(ours), add, "≤ 0.95x"},
		{"the same with a spare", median(spares), add, "≤ 0.15x"},
	}, nil
}

func (l *large) fromSpare(files int) (time.Duration, error) {
	if err := l.r.EnsureSpare(context.Background(), l.root, ""); err != nil {
		return 0, err
	}
	if err := l.edit(l.repo, files, edits/2); err != nil {
		return 0, err
	}
	if err := l.git("commit", "-q", "-a", "-m", "moved"); err != nil {
		return 0, err
	}
	return timed(func() error {
		_, spare, err := l.start()
		if err == nil && !spare {
			err = fmt.Errorf("start a session: the spare was not taken")
		}
		return err
	})
}

// statuses compares the count of uncommitted files, and the tree by which a session's edits are noticed.
func (l *large) statuses(b bench) ([]row, error) {
	id, _, err := l.start()
	if err != nil {
		return nil, err
	}
	if err := l.edit(id.Path, b.files, edits); err != nil {
		return nil, err
	}
	status := func(dir string) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			return timed(func() error { return l.git("-C", dir, "status", "--porcelain", "-uall") })
		}
	}
	count := row{name: "count uncommitted / git status", bar: "≤ 1.1x"}
	count.ours, count.peer, err = inTurn(b.rounds/4, func() (time.Duration, error) {
		return timed(func() error { _, err := l.r.UncommittedAt(context.Background(), id.Path); return err })
	}, status(id.Path))
	if err != nil {
		return nil, err
	}
	tree := row{name: "a session's tree / git status", bar: "≤ 1.1x"}
	tree.ours, tree.peer, err = inTurn(b.rounds/4, func() (time.Duration, error) {
		return timed(func() error { _, err := l.r.Tree(context.Background(), id); return err })
	}, status(id.Path))
	return []row{count, tree}, err
}

// checkpoint compares the snapshot at the end of a turn with a commit of the same files.
func (l *large) checkpoint(b bench) ([]row, error) {
	id, _, err := l.start()
	if err != nil {
		return nil, err
	}
	path, err := l.add()
	if err != nil {
		return nil, err
	}
	turn, previous := 0, id.BaseCommit
	r := row{name: "checkpoint of 20 files / add + commit", bar: "≤ 1.2x"}
	r.ours, r.peer, err = inTurn(b.rounds/4, func() (time.Duration, error) {
		if err := l.edit(id.Path, b.files, edits); err != nil {
			return 0, err
		}
		turn++
		return timed(func() error {
			point, err := l.r.Checkpoint(context.Background(), id, worktree.CheckpointSpec{Session: filepath.Base(id.Path), Turn: turn, Previous: previous, Subject: "bench"})
			if err == nil {
				previous = point.Commit
			}
			return err
		})
	}, func() (time.Duration, error) {
		if err := l.edit(path, b.files, edits); err != nil {
			return 0, err
		}
		return timed(func() error {
			if err := l.git("-C", path, "add", "-A"); err != nil {
				return err
			}
			return l.git("-C", path, "commit", "-q", "-m", "bench")
		})
	})
	return []row{r}, err
}

// answers compares the answer to a new session with a status of the checkout that it is asked from, clean and with something to carry.
func (l *large) answers(b bench) ([]row, error) {
	status := func() (time.Duration, error) {
		return timed(func() error { return l.git("status", "--porcelain") })
	}
	var rows []row
	for _, carry := range []worktree.CarrySpec{{}, {Uncommitted: true, Untracked: true}} {
		r := row{name: "answer of a start / git status", bar: "≤ peer + 100 ms"}
		if carry.Uncommitted {
			r.name = "the same, carrying 20 files"
			if err := l.edit(l.repo, b.files, edits); err != nil {
				return nil, err
			}
		}
		var err error
		r.ours, r.peer, err = inTurn(b.rounds/4, func() (time.Duration, error) {
			return timed(func() error {
				if !carry.Uncommitted { // carrying counts by itself
					if _, err := l.r.UncommittedAt(context.Background(), l.repo); err != nil {
						return err
					}
				}
				_, _, _, err := l.begin(carry)
				return err
			})
		}, status)
		if err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, nil
}
