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
