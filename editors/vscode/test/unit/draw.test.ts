import assert from "node:assert/strict";
import { test } from "node:test";
import type { Prompt } from "../../src/prompts";
import type { Card, Option } from "../../src/protocol";
import { draw, drawBack, drawPrompt, drawTrail } from "../../src/webview/draw";

const evil = `<img src=x onerror="alert('1')">`;
const tame = "&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;";
const at = "2026-01-02T03:04:05Z";
const options: Option[] = [
  { id: "allow_once", label: "Allow once", scope: "once" },
  { id: "allow_session", label: "Allow for this session", scope: "session" },
  { id: "deny", label: "Deny", scope: "once" },
  { id: "deny_stop", label: "Deny and stop", scope: "once" },
];

const cards: Record<string, Card> = {
  "an ask": { id: "c1", kind: "ask", at, body: { text: evil } },
  "a question": { id: "c1", kind: "question", at, body: { text: evil, choices: [evil], answer: evil } },
  "an open permission": { id: "c1", kind: "permission", at, body: { action: evil, path: evil, diff: `+${evil}`, argv: [evil], timeoutSec: null } },
  "a decision": { id: "c1", kind: "permission", at, body: { action: "x", timeoutSec: null, decision: evil } },
  "a result": { id: "c1", kind: "result", at, body: { text: `${evil}\n\`${evil}\`\n- ${evil}\n# ${evil}\n\`\`\`\n${evil}\n\`\`\`` } },
  "a proof": { id: "c1", kind: "proof", at, body: { wrote: [evil], diffstat: [{ path: evil, status: evil, insertions: 1, deletions: 0 }], items: [{ name: evil, kind: "command", outcome: evil }], failed: [] } },
};

for (const [name, card] of Object.entries(cards)) {
  test(`${name} lets no markup through`, () => {
    const html = draw(card);
    assert.ok(!html.includes("<img"), html);
    assert.ok(html.includes(tame) || html.includes(tame.replaceAll("&#39;", "&#39;\\&#39;&#39;")), html);
  });
}

test("prompts and their labels let no markup through", () => {
  const params = { session: evil, promptId: evil, turn: 1, action: evil, op: "exec", argv: [evil], cwd: evil, why: evil, options: [{ id: "deny", label: evil, scope: "once" }] } as const;
  const html = drawPrompt({ key: evil, kind: "permission", params: { ...params, argv: [evil], options: [...params.options] } })
    + drawPrompt({ key: evil, kind: "question", params: { promptId: evil, text: evil, choices: [evil], freeText: true } });
  assert.ok(!html.includes("<img"), html);
});

const prompt: Prompt = { key: "s1/p1", kind: "permission", params: { session: "s1", promptId: "p1", turn: 1, action: "Run make", op: "exec", argv: ["make"], options } };

test("a permission offers every answer, the denials first and the plain ones before the others", () => {
  const html = drawPrompt(prompt);
  const offered = [...html.matchAll(/data-option="(\w+)"/g)].map((m) => m[1]);
  assert.deepEqual(offered, ["deny", "allow_once", "deny_stop", "allow_session"]);
});

test("an answered permission offers nothing", () => {
  const html = draw({ id: "c1", kind: "permission", at, body: { action: "Run make", timeoutSec: null, decision: "Denied run of make" } }, prompt);
  assert.equal(html, `<p class="decision">Denied run of make</p>`);
});

test("a permission that waits elsewhere offers nothing, and says so", () => {
  const html = draw({ id: "c1", kind: "permission", at, body: { action: "Run make", argv: ["make"], timeoutSec: null } });
  assert.ok(!html.includes("<button"), html);
  assert.ok(html.includes("another window"), html);
});

test("a command shows what a reader would not see", () => {
  const html = draw({ id: "c1", kind: "permission", at, body: { action: "Run", argv: ["echo", "a\u202eb\u200bc"], timeoutSec: null } });
  assert.ok(html.includes("a\\u{202e}b\\u{200b}c"), html);
});

test("a trail is folded to what runs, and shows the output of the one step that was opened", () => {
  const steps = [{ text: "read 2 files", state: "done", calls: ["a", "b"] }, { text: `running ${evil}`, state: "running", calls: ["c"] }] as const;
  const html = drawTrail(steps.map((step) => ({ ...step, calls: [...step.calls] })), { call: "a", text: evil });
  assert.ok(html.startsWith(`<details><summary>running ${tame}</summary>`), html);
  assert.deepEqual([...html.matchAll(/data-output="(\w*)">(\w+)/g)].map((m) => [m[1], m[2]]), [["", "Hide"], ["c", "Output"]]);
  assert.ok(html.includes(`<pre tabindex="0"><code>${tame}</code></pre>`), html);
});

test("a proof counts what was written and what ran", () => {
  const body = { wrote: ["a", "b"], diffstat: [], items: [{ name: "test", kind: "command", outcome: "failed" }], failed: ["test"] };
  assert.ok(draw({ id: "c1", kind: "proof", at, body }).includes("<p>Wrote 2 files, 1 check ran, 1 not passed.</p>"));
  assert.ok(draw({ id: "c1", kind: "proof", at, body: { wrote: [], diffstat: [], items: [], failed: [] } }).includes("<p>Nothing written, no checks ran.</p>"));
});

test("a request can be gone back to by its number, with a name for those who hear it", () => {
  assert.match(drawBack(2), /data-back="2".*aria-label="Go back to before this request"/);
});
