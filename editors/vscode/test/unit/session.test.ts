import assert from "node:assert/strict";
import { test } from "node:test";
import { pair } from "../../src/cards";
import type { Prompt } from "../../src/prompts";
import type { Card } from "../../src/protocol";
import { Session } from "../../src/session";

const ask = (id: string, text: string): Card => ({ id, kind: "ask", at: "", body: { text } });
const texts = (session: Session) => session.cards.map((card) => card.kind === "ask" ? card.body.text : card.kind);

test("cards stand in the order of their numbers, and a newer one replaces an older", () => {
  const session = new Session("s1");
  session.card({ session: "s1", card: ask("c10", "ten"), revision: 9 });
  session.card({ session: "s1", card: ask("c2", "two"), revision: 3 });
  session.card({ session: "s1", card: ask("c2", "two again"), revision: 4 });
  assert.deepEqual(texts(session), ["two again", "ten"]);
});

test("a view that was asked for before a card came does not take the card back", () => {
  const session = new Session("s1");
  session.card({ session: "s1", card: ask("c1", "new"), revision: 8 });
  session.view({ status: "idle", cards: [ask("c1", "old"), ask("c2", "other")], revision: 5 });
  assert.deepEqual(texts(session), ["new", "other"]);
});

test("a retried reply starts its preview anew", () => {
  const session = new Session("s1");
  session.delta({ session: "s1", turn: 1, text: "half" });
  session.delta({ session: "s1", turn: 1, attempt: 2, text: "who" });
  session.delta({ session: "s1", turn: 1, attempt: 2, text: "le" });
  assert.deepEqual(session.preview, { text: "whole", thinking: "" });
});

test("the preview goes with the step, and with the result", () => {
  const session = new Session("s1");
  session.state({ session: "s1", status: "running", step: 1 });
  session.delta({ session: "s1", turn: 1, attempt: 2, text: "I will look.", thinking: "hm" });
  session.state({ session: "s1", status: "running", step: 2 });
  assert.deepEqual(session.preview, { text: "", thinking: "" });
  session.delta({ session: "s1", turn: 1, text: "Done." });
  assert.deepEqual(session.preview, { text: "Done.", thinking: "" });
  session.card({ session: "s1", card: { id: "c2", kind: "result", at: "", body: { text: "Done." } }, revision: 9 });
  assert.deepEqual(session.preview, { text: "", thinking: "" });
});

const write = (id: string, path: string, decision?: string): Card => ({ id, kind: "permission", at: "", body: { action: "Replace a", path, timeoutSec: null, ...(decision === undefined ? {} : { decision }) } });
const prompt = (key: string, path: string): Prompt => ({ key, kind: "permission", params: { session: "s1", promptId: key, turn: 1, action: "Replace a", op: "write", path, options: [] } });

test("each open card finds its own prompt, answered ones find none, and the rest is left over", () => {
  const cards = [write("c1", "/x/a", "Allowed replace of a"), write("c2", "/y/a"), write("c3", "/x/a")];
  const trust: Prompt = { key: "t", kind: "question", params: { session: "s1", promptId: "t", text: "Trust?", choices: [], freeText: false } };
  const { byCard, rest } = pair(cards, [prompt("p1", "/x/a"), trust, prompt("p2", "/y/a")]);
  assert.deepEqual([...byCard].map(([card, p]) => [card, p.key]), [["c2", "p2"], ["c3", "p1"]]);
  assert.deepEqual(rest, [trust]);
});

test("two cards that say the same take two prompts that say the same", () => {
  const { byCard } = pair([write("c1", "/a"), write("c2", "/a")], [prompt("p1", "/a"), prompt("p2", "/a")]);
  assert.deepEqual([...byCard.values()].map((p) => p.key), ["p1", "p2"]);
});

test("cards that a whole view no longer has are gone, but for those that came after it", () => {
  const session = new Session("s1");
  session.view({ status: "idle", cards: [ask("c1", "one"), ask("c2", "two")], revision: 5 });
  session.card({ session: "s1", card: ask("c3", "three"), revision: 9 });
  session.view({ status: "idle", cards: [ask("c1", "one")], revision: 7 });
  assert.deepEqual(texts(session), ["one", "three"]);
});

const worktree = { repository: "/r", path: "/t", branch: "b", base: "main", baseCommit: "c", uncommitted: 0, untracked: 0, ready: false };

test("a worktree is checked out until its status says that it is ready, or the session is closed", () => {
  const session = new Session("s1");
  session.tree(worktree);
  session.state({ session: "s1", status: "running" });
  assert.equal(session.ready, false);
  session.state({ session: "s1", status: "running", ready: true });
  session.state({ session: "s1", status: "running" });
  assert.equal(session.ready, true);
  const failed = new Session("s2");
  failed.tree(worktree);
  failed.state({ session: "s2", status: "closed" });
  assert.equal(failed.ready, true);
});

test("the news that the files are there may come before the answer that says they are not", () => {
  const session = new Session("s1");
  session.state({ session: "s1", status: "idle", ready: true });
  session.tree(worktree);
  assert.equal(session.ready, true);
});

test("a session knows what it carried and where it landed, until that is taken back", () => {
  const session = new Session("s1");
  session.tree({ ...worktree, carried: "abc" });
  assert.equal(session.carried, true);
  const late = new Session("s2");
  late.tree(worktree);
  assert.equal(late.carried, false);
  late.happened({ kind: "worktree.create", payload: { into: "", carried: "abc" } });
  late.tree({ ...worktree, ready: true });
  assert.equal(late.carried, true, "its files came after the answer");
  const land = (payload: object) => session.happened({ kind: "worktree.land", payload: { into: "main", strategy: "squash", commit: "c1", ...payload } });
  land({});
  assert.equal(session.landed, undefined, "it has only begun");
  land({ ok: false });
  assert.equal(session.landed, undefined);
  land({ ok: true });
  assert.deepEqual(session.landed, { into: "main", commit: "c1" });
  land({ ok: true, undo: true });
  assert.equal(session.landed, undefined);
  land({ ok: true, strategy: "patch" });
  assert.deepEqual(session.landed, { into: "main" }, "a patch has no commit of the person's");
});
