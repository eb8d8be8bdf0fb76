import assert from "node:assert/strict";
import { test } from "node:test";
import { added, folder, isNew, lines, mirrored } from "../../src/place";
import type { PermissionParams, Range } from "../../src/protocol";

const tree = { path: "/state/worktrees/s1", repository: "/home/me/project" };
const files: [name: string, file: string, in_: { path: string; repository?: string } | undefined, want: string][] = [
  ["a file of the worktree", "/state/worktrees/s1/src/a.go", tree, "/home/me/project/src/a.go"],
  ["a file beside it", "/state/worktrees/s10/a.go", tree, "/state/worktrees/s10/a.go"],
  ["a session in the folder", "/home/me/project/a.go", { path: "/home/me/project" }, "/home/me/project/a.go"],
  ["a session that nobody knows", "/x/a.go", undefined, "/x/a.go"],
];
for (const [name, file, of, want] of files) {
  test(`${name} is mirrored`, () => assert.equal(mirrored(file, of), want));
}

const folders: [name: string, cwd: string, in_: { path: string; repository?: string } | undefined, want: string][] = [
  ["the worktree itself", "/state/worktrees/s1", tree, "the session's worktree"],
  ["a folder of it", "/state/worktrees/s1/web", tree, "web in the session's worktree"],
  ["a folder beside it", "/state/worktrees/s2", tree, "/state/worktrees/s2"],
  ["the person's own folder", "/home/me/project", { path: "/home/me/project" }, "/home/me/project"],
];
for (const [name, cwd, of, want] of folders) {
  test(`${name} has words`, () => assert.equal(folder(cwd, of), want));
}

const range = (first: number, last: number): Range => ({ start: { line: first, character: 0 }, end: { line: last, character: 0 } });
const ranges: [name: string, range: Range | undefined, count: number, want: [number, number]][] = [
  ["a range of the file", range(2, 4), 10, [2, 3]],
  ["a range that ends within a line", { ...range(2, 4), end: { line: 4, character: 1 } }, 10, [2, 4]],
  ["an empty range", range(2, 2), 10, [2, 2]],
  ["a range past the end of a shorter file", range(20, 24), 10, [9, 9]],
  ["no range", undefined, 10, [0, 0]],
  ["an empty file", range(3, 3), 0, [0, 0]],
];
for (const [name, of, count, want] of ranges) {
  test(`${name} has lines`, () => assert.deepEqual(lines(of, count), want));
}

const permission = (diff?: string): PermissionParams => ({ session: "s1", promptId: "p1", turn: 1, action: "Create a", op: "write", options: [], ...(diff === undefined ? {} : { diff }) });

test("a new file is told by its diff, and has the added lines", () => {
  const diff = "--- /dev/null\n+++ b/a\n@@ -0,0 +1,3 @@\n+one\n+\n+++two\n";
  assert.equal(isNew(permission(diff)), true);
  assert.equal(added(diff), "one\n\n++two");
});

test("a removed line that looks like the head of a new file does not make one", () => {
  assert.equal(isNew(permission("--- a/a\n+++ b/a\n@@ -1 +0,0 @@\n--- /dev/null\n")), false);
  assert.equal(isNew(permission()), false);
});
