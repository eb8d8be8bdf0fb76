import assert from "node:assert/strict";
import { test } from "node:test";
import { chosen, excerpt, hunkAt, isChosen, partsOf } from "../../src/hunks";
import type { FileDiff, Hunk } from "../../src/protocol";

const changes: Hunk = { id: "h1", header: "@@ -2,4 +2,5 @@", text: " b\n-c\n+C\n+CC\n d\n e\n" };
const removes: Hunk = { id: "h2", header: "@@ -20,3 +21,2 @@ in f", text: " t\n-u\n v\n" };
const empties: Hunk = { id: "h3", header: "@@ -1,2 +0,0 @@", text: "-a\n-b\n" };

test("the hunk at the cursor is the one whose changed lines it is on", () => {
  const at = (line: number, side: "before" | "after") => hunkAt([changes, removes], line, side)?.id;
  const after = [2, 3, 4, 5].map((line) => at(line, "after"));
  assert.deepEqual(after, [undefined, "h1", "h1", undefined]);
  assert.deepEqual([2, 3, 4].map((line) => at(line, "before")), [undefined, "h1", undefined]);
});

test("where lines are gone, both lines beside the gap stand for them", () => {
  const lines = [20, 21, 22, 23].map((line) => hunkAt([changes, removes], line, "after")?.id);
  assert.deepEqual(lines, [undefined, "h2", "h2", undefined]);
  assert.equal(hunkAt([removes], 21, "before")?.id, "h2");
});

test("a file that is empty now has its hunk on its only line", () => {
  assert.equal(hunkAt([empties], 1, "after")?.id, "h3");
  assert.equal(hunkAt([empties], 2, "before")?.id, "h3");
});

test("a header that is none finds nothing", () => {
  assert.equal(hunkAt([{ id: "h", header: "@@ nonsense", text: "+a\n" }], 1, "after"), undefined);
});

const file = (path: string, ...hunks: Hunk[]): FileDiff => ({ path, status: "M", insertions: 1, deletions: 1, binary: false, hunks });
const two = file("two", changes, removes);
const one = file("one", empties);
const all = partsOf([two, one]);

test("only a file with several hunks is taken apart", () => {
  assert.deepEqual(all.map(({ file: f, hunk }) => [f.path, hunk?.id]), [["two", "h1"], ["two", "h2"], ["one", undefined]]);
  assert.deepEqual(partsOf([{ ...two, status: "R" }]).map(({ hunk }) => hunk), [undefined], "a renamed file lands whole");
});

test("what is ticked is told as files where it can be", () => {
  const pick = (...at: number[]) => chosen(all, all.filter((_, i) => at.includes(i)));
  assert.deepEqual(pick(0, 1, 2), {});
  assert.deepEqual(pick(0, 1), { paths: ["two"] });
  assert.deepEqual(pick(1), { hunks: ["h2"] });
  assert.deepEqual(pick(0, 2), { paths: ["one"], hunks: ["h1"] });
});

test("a choice ticks its own parts when it is looked at again", () => {
  const ticked = (choice: Parameters<typeof isChosen>[1]) => all.map((part) => isChosen(part, choice));
  assert.deepEqual(ticked({}), [true, true, true]);
  assert.deepEqual(ticked({ paths: ["two"] }), [true, true, false]);
  assert.deepEqual(ticked({ paths: ["one"], hunks: ["h1"] }), [true, false, true]);
});

test("a hunk is shown by its first line that says something", () => {
  assert.equal(excerpt(changes), "+ C");
  assert.equal(excerpt(removes), "- u");
  assert.equal(excerpt({ ...changes, text: "+\n+  x\n" }), "+ x");
});
