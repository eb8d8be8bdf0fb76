import assert from "node:assert/strict";
import { test } from "node:test";
import type { FileConflict, LineRun, Overlap } from "../../src/protocol";
import { changed, headline, landedAt, meets, names, obstacle, offer, overlap, remedies, reverted, span, stat } from "../../src/words";

test("work is offered to be taken along when there is some, and counted", () => {
  const cases: [uncommitted: number, untracked: number, want: string | undefined][] = [
    [0, 0, undefined],
    [1, 0, "Take along 1 changed file"],
    [0, 2, "Take along 2 new files"],
    [3, 1, "Take along 3 changed and 1 new file"],
  ];
  for (const [uncommitted, untracked, want] of cases) {
    assert.equal(offer({ uncommitted, untracked }), want);
  }
});

test("runs of lines are named as a person would", () => {
  const run = (first: number, lines: number): LineRun => ({ first, count: lines });
  const cases: [LineRun[], string][] = [
    [[run(3, 1)], "line 3"], [[run(3, 4)], "lines 3–6"], [[run(7, 0)], "behind line 7"], [[run(0, 0)], "the start"],
    [[run(2, 1), run(5, 2), run(9, 0)], "lines 2, 5–6, behind 9"],
  ];
  for (const [runs, want] of cases) {
    assert.equal(span(runs), want);
  }
});

test("an obstacle names the file, its places and what is wrong, and an unknown kind in git's own word", () => {
  const lines = [{ first: 1, count: 1 }, { first: 5, count: 2 }];
  assert.equal(obstacle({ path: "a.go", kind: "contents", lines }), "a.go, lines 1, 5–6: was changed on the branch too");
  assert.equal(obstacle({ path: "a.go", kind: "untracked" }), "a.go: is in your checkout already, and git does not know it");
  assert.equal(obstacle({ path: "a.go", kind: "modify/delete" }), "a.go: modify/delete");
});

test("what is offered against a conflict is what helps against its kind", () => {
  const all = (kinds: string[]) => kinds.map((kind): FileConflict => ({ path: "a", kind }));
  const of = (...kinds: string[]) => remedies(all(kinds));
  const said = (...kinds: string[]) => headline(all(kinds));
  assert.equal(said("contents", "uncommitted"), "The branch and this session changed the same places.");
  assert.equal(said("uncommitted", "untracked"), "Files of your checkout are in the way: commit, stash or move them, then try again.");
  assert.equal(said("edited"), "Files of the worktree were edited since, and are kept as they are.");
  assert.deepEqual(of("contents"), ["Let the Agent Resolve", "Sync", "Open Files"]);
  assert.deepEqual(of("contents", "modify/delete"), ["Let the Agent Resolve", "Sync", "Open Files"]);
  assert.deepEqual(of("uncommitted"), ["Open Files"], "the branch has nothing that the worktree lacks");
  assert.deepEqual(of("untracked", "ignored"), ["Open Files"]);
  assert.deepEqual(of("moved"), ["Land Again"]);
  assert.deepEqual(of("unresolved"), ["Let the Agent Resolve", "Open Files"], "a second sync does not take markers away");
});

test("an overlap says how near two sessions come", () => {
  const o: Overlap = { session: "s2", title: "Other", path: "a.go" };
  const near = { ...o, lines: [{ first: 2, count: 2 }] };
  const whole = { ...o, whole: true };
  assert.deepEqual([o, near, whole].map(meets), [false, true, true]);
  assert.deepEqual([o, near, whole].map(overlap), ["“Other” also changes a.go in other places", "“Other” also changes a.go, lines 2–3", "“Other” also changes a.go as a whole"]);
});

const file = (path: string) => ({ path, status: "M", insertions: 2, deletions: 1, binary: false });

test("files are listed shortly", () => {
  assert.equal(names(["a", "b", "c", "d", "e"].map(file)), "a, b, c, 2 more");
  assert.equal(stat({ ...file("b"), status: "R", oldPath: "a" }), "R a → b");
  assert.equal(changed({ ...file("b"), binary: true }), "binary");
});

test("a revert says what goes", () => {
  assert.equal(reverted({ files: [file("a")], turns: [2, 3] }), "a; 2 requests and what was answered");
  assert.equal(reverted({ files: [], turns: [] }), "nothing");
});

test("a landing says where the work is", () => {
  assert.equal(landedAt({ into: "main", commit: "0123456789abcdef" }), "in main as 01234567");
  assert.equal(landedAt({ into: "main" }), "in your checkout, uncommitted");
});
