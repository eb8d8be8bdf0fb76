import assert from "node:assert/strict";
import { test } from "node:test";
import { requests } from "../../src/turns";

const log = [
  { kind: "session.start", payload: {} },
  { kind: "user.msg", payload: { turn: 1, text: "one" } },
  { kind: "user.msg", payload: { turn: 1, text: "steered" } },
  { kind: "user.msg", payload: { turn: 2, text: "", continues: 1 } },
  { kind: "turn.end", payload: { turn: 2 } },
  { kind: "user.msg", payload: { turn: 3, text: "three" } },
];

/** paged answers session/events two events at a time. */
const paged = {
  request: (_method: string, { fromSeq }: { fromSeq: number }) =>
    Promise.resolve({ events: log.slice(fromSeq - 1, fromSeq + 1), ...(fromSeq + 1 < log.length ? { next: fromSeq + 2 } : {}) }),
};

test("the requests of a session come from all pages of its log, each with its turn, as their cards do", async () => {
  const got = await requests(paged as unknown as Parameters<typeof requests>[0], "s1");
  assert.deepEqual(got, [{ turn: 1, text: "one" }, { turn: 1, text: "steered" }, { turn: 3, text: "three" }]);
});
