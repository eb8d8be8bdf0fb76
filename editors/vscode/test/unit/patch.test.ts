import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { unpatch } from "../../src/patch";
import type { Hunk } from "../../src/protocol";

/** hunksOf asks git, whose form of a diff is the one that the server sends. */
function hunksOf(before: string, after: string, context: number): Hunk[] {
  const folder = mkdtempSync(join(tmpdir(), "nodwyn-patch-"));
  try {
    writeFileSync(join(folder, "before"), before);
    writeFileSync(join(folder, "after"), after);
    execFileSync("git", ["diff", "--no-index", "--no-color", `-U${context}`, "before", "after"], { cwd: folder, stdio: "pipe" });
    return [];
  } catch (err) {
    const out = (err as { stdout: Buffer }).stdout.toString();
    return out.split(/^(?=@@ )/m).slice(1).map((text) => ({ id: "", header: text.split("\n", 1)[0] ?? "", text: text.slice(text.indexOf("\n") + 1) }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const long = Array.from({ length: 40 }, (_, i) => `line ${i}`).join("\n") + "\n";
const cases: [name: string, before: string, after: string][] = [
  ["no change", "a\n", "a\n"],
  ["one line changed", "a\nb\nc\n", "a\nB\nc\n"],
  ["lines added at both ends", "m\n", "a\nm\nz\n"],
  ["lines removed at both ends", "a\nm\nz\n", "m\n"],
  ["two places", long, long.replace("line 3\n", "three\n").replace("line 30\n", "")],
  ["everything removed", "a\nb\n", ""],
  ["everything new", "", "a\nb\n"],
  ["the last line loses its end", "a\nb\n", "a\nb"],
  ["the last line gains its end", "a\nb", "a\nb\n"],
  ["no end before and after", "a\nb", "a\nc"],
  ["no end, and the change is elsewhere", "a\nb\nc", "A\nb\nc"],
  ["everything removed that had no end", "a", ""],
  ["everything new without an end", "", "a"],
  ["carriage returns", "a\r\nb\r\n", "a\r\nc\r\n"],
  ["lines that look like marks", "--- a\n+++ b\n\\ c\n", "--- a\n+++ B\n\\ c\n"],
];

for (const [name, before, after] of cases) {
  for (const context of [0, 3]) {
    test(`${name}, with ${context} lines around`, () => assert.equal(unpatch(after, hunksOf(before, after, context)), before));
  }
}

test("a text that has changed since is refused", () => {
  assert.throws(() => unpatch("a\nX\nc\n", hunksOf("a\nb\nc\n", "a\nB\nc\n", 3)), /line 2 is not what the diff says/);
});

test("a header that is none is refused", () => {
  assert.throws(() => unpatch("a\n", [{ id: "", header: "@@ nonsense", text: "" }]), /is none of a hunk/);
});
