import assert from "node:assert/strict";
import { test } from "node:test";
import type { PermissionParams } from "../../src/protocol";
import { Prompts } from "../../src/prompts";

const permission = (promptId: string): PermissionParams => ({ session: "s1", promptId, turn: 1, action: `Replace ${promptId}`, op: "write", options: [] });

test("the first answer wins and the second is refused", async () => {
  const prompts = new Prompts();
  const reply = prompts.permission(permission("p1"));
  assert.equal(prompts.choose("s1/p1", "deny", "not now"), true);
  assert.equal(prompts.choose("s1/p1", "allow_once"), false);
  assert.deepEqual(await reply, { option: "deny", note: "not now" });
});

test("prompts are listed oldest first, and by their session", () => {
  const prompts = new Prompts();
  void prompts.permission(permission("p2"));
  void prompts.question({ promptId: "p1", text: "Trust it?", choices: ["trust", "skip"], freeText: false });
  assert.deepEqual(prompts.all().map((p) => p.key), ["s1/p2", "/p1"]);
  assert.deepEqual(prompts.of("s1").map((p) => p.key), ["s1/p2"]);
});

test("a prompt that is withdrawn is answered with nothing and leaves every surface", async () => {
  const prompts = new Prompts();
  const seen: number[] = [];
  prompts.changed.on(() => seen.push(prompts.all().length));
  const reply = prompts.permission(permission("p1"));
  assert.equal(prompts.withdraw({ session: "s1", promptId: "p1" }), true);
  assert.equal(await reply, null);
  assert.deepEqual(seen, [1, 0]);
  assert.equal(prompts.withdraw({ session: "s1", promptId: "p1" }), false);
});

test("a prompt of another session with the same id stays", () => {
  const prompts = new Prompts();
  void prompts.permission(permission("p1"));
  assert.equal(prompts.withdraw({ session: "s2", promptId: "p1" }), false);
  assert.equal(prompts.all().length, 1);
});

test("a server that is gone takes all its prompts with it", async () => {
  const prompts = new Prompts();
  const replies = [prompts.permission(permission("p1")), prompts.permission(permission("p2"))];
  prompts.clear();
  assert.deepEqual(await Promise.all(replies), [null, null]);
  assert.deepEqual(prompts.all(), []);
});

test("a question is answered in words", async () => {
  const prompts = new Prompts();
  const reply = prompts.question({ session: "s1", promptId: "p1", text: "Which?", choices: [], freeText: true });
  prompts.say("s1/p1", "the left one");
  assert.deepEqual(await reply, { answer: "the left one" });
});
