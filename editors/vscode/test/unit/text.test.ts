import assert from "node:assert/strict";
import { test } from "node:test";
import { command, count, fence, visible } from "../../src/text";

test("a command is quoted where a shell would take it apart", () => {
  assert.equal(command(["go", "test", "./...", "it's", "a b", "", "$HOME"]), "go test ./... 'it'\\''s' 'a b' '' '$HOME'");
});

test("nothing in a text ends its code block", () => {
  assert.equal(fence("a\n```\nb\n````\n", "diff"), "`````diff\na\n```\nb\n````\n`````");
});

test("what cannot be seen is spelt out, and lines and tabs stay", () => {
  assert.equal(visible("a\tb\r\nc\u001b[31m\u2066d\rE"), "a\tb\nc\\u{1b}[31m\\u{2066}d\\u{d}E");
});

test("numbers carry their noun", () => {
  assert.deepEqual([count(0, "file"), count(1, "file"), count(2, "file")], ["0 files", "1 file", "2 files"]);
});
