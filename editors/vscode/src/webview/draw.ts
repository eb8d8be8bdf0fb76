import type { Prompt } from "../prompts";
import { deniedFirst } from "../options";
import type { AskBody, Card, Option, PermissionBody, ProofBody, QuestionBody, ResultBody, TrailStep } from "../protocol";
import { command, count, hunks } from "../text";
import { escape } from "./escape";
import { markdown } from "./markdown";

/** draw returns the HTML of a card. The prompt, if one waits for it here, gives it buttons. */
export function draw(card: Card, prompt?: Prompt): string {
  switch (card.kind) {
    case "ask":
      return ask(card.body);
    case "question":
      return question(card.body, prompt);
    case "permission":
      return permission(card.body, prompt);
    case "result":
      return result(card.body);
    case "proof":
      return proof(card.body);
  }
}

/** drawPrompt returns the HTML of a prompt that has no card. */
export function drawPrompt(prompt: Prompt): string {
  if (prompt.kind === "question") {
    return question({ text: prompt.params.text, choices: prompt.params.choices }, prompt);
  }
  return permission({ ...prompt.params, timeoutSec: prompt.params.timeoutSec ?? null }, prompt);
}

function ask(body: AskBody): string {
  return `<h3>You</h3><p class="text">${escape(body.text)}</p>`;
}

/** drawBack returns the button that goes back to before the nth request. */
export function drawBack(nth: number): string {
  return `<button type="button" class="back" data-back="${nth}" title="Go back to before this request…" aria-label="Go back to before this request">↶</button>`;
}

function result(body: ResultBody): string {
  const mark = body.outcome ? `<p class="outcome ${body.outcome}">${body.outcome === "cancelled" ? "Cancelled" : "Failed"}</p>` : "";
  return `<h3>nodwyn</h3>${mark}${markdown(body.text)}`;
}

function question(body: QuestionBody, prompt: Prompt | undefined): string {
  const text = `<h3>Question</h3><p class="text">${escape(body.text)}</p>`;
  if (body.answer !== undefined) {
    return `${text}<p class="answer">${escape(body.answer)}</p>`;
  }
  if (prompt?.kind !== "question") {
    return text + elsewhere;
  }
  const choices = body.choices.map((choice) => button(prompt.key, "answer", choice, choice)).join("");
  return `${text}<div class="buttons">${choices}</div>${prompt.params.freeText ? reply(prompt.key, "Your answer", "Answer") : ""}`;
}

function permission(body: PermissionBody, prompt: Prompt | undefined): string {
  if (body.decision !== undefined) {
    return `<p class="decision">${escape(body.decision)}</p>`;
  }
  const shown = [body.argv ? `<pre class="command"><code>${escape(command(body.argv))}</code></pre>` : "", body.diff ? diff(body.diff) : ""].join("");
  const head = `<h3>Permission</h3><p class="action">${escape(body.action)}</p>`;
  if (prompt?.kind !== "permission") {
    return head + shown + elsewhere;
  }
  const { why, cwd, truncated, options } = prompt.params;
  const facts = [why, cwd && body.argv ? `In ${cwd}` : "", truncated ? "The change is too large to be shown whole." : "", deadline(body.timeoutSec)].filter(Boolean);
  const notes = facts.map((fact) => `<p class="fact">${escape(fact ?? "")}</p>`).join("");
  return `${head}${notes}${shown}${answers(prompt.key, options)}`;
}

/** answers shows the two plain answers, and folds away those that reach further. */
function answers(key: string, options: Option[]): string {
  const plain = (o: Option): boolean => o.id === "deny" || o.id === "allow_once";
  const buttons = (some: Option[]): string => `<div class="buttons">${some.map((o) => button(key, "option", o.id, o.label)).join("")}</div>`;
  const sorted = deniedFirst(options);
  return `${buttons(sorted.filter(plain))}<details><summary>More answers</summary>${buttons(sorted.filter((o) => !plain(o)))}${reply(key, "Deny, and say why", "Deny")}</details>`;
}

const elsewhere = `<p class="fact">Waits for an answer in another window.</p>`;

function deadline(seconds: number | null): string {
  return seconds ? `Is denied without an answer within ${count(seconds, "second")}.` : "";
}

function button(key: string, what: "option" | "answer", value: string, label: string): string {
  const kind = value.startsWith("allow_once") ? "primary" : "secondary";
  return `<button type="button" class="${kind}" data-key="${escape(key)}" data-${what}="${escape(value)}">${escape(label)}</button>`;
}

function reply(key: string, label: string, verb: string): string {
  return `<form class="reply" data-key="${escape(key)}"><input type="text" aria-label="${label}" placeholder="${label}"><button class="secondary">${verb}</button></form>`;
}

/** diff colours a change in unified form by the first character of each line. Its file is named beside it already. */
export function diff(text: string): string {
  const lines = hunks(text).replace(/\n$/, "").split("\n").map((line) => `<span class="${lineClass(line)}">${escape(line) || " "}</span>`);
  return `<pre class="diff" tabindex="0" aria-label="The change"><code>${lines.join("")}</code></pre>`;
}

function lineClass(line: string): string {
  return { "+": "added", "-": "removed", "@": "hunk" }[line.charAt(0)] ?? "same";
}

function proof(body: ProofBody): string {
  const files = body.diffstat.map((f) => `<li><span class="status">${escape(f.status)}</span> ${escape(f.path)} <span class="added">+${f.insertions}</span> <span class="removed">−${f.deletions}</span></li>`);
  const items = body.items.map((item) => `<li class="${escape(item.outcome)}"><span class="status">${marks[item.outcome] ?? "–"}</span> ${escape(item.name)} <span class="fact">${escape(item.outcome)}</span></li>`);
  const wrote = body.wrote.length === 0 ? "Nothing written" : `Wrote ${count(body.wrote.length, "file")}`;
  const checks = body.items.length === 0 ? "no checks ran" : `${count(body.items.length, "check")} ran${body.failed.length > 0 ? `, ${body.failed.length} not passed` : ""}`;
  return `<h3>Proof</h3><p>${wrote}, ${checks}.</p><ul class="plain">${files.join("")}${items.join("")}</ul>`;
}

/** drawTrail returns the HTML of what a turn did: folded to its last step, with the output of one of them on demand. */
export function drawTrail(steps: TrailStep[], output: { call: string; text: string } | undefined): string {
  const rows = steps.map((step) => {
    const call = step.calls.at(-1);
    const opened = output !== undefined && step.calls.includes(output.call);
    const toggle = call === undefined ? "" : ` <button type="button" class="link" data-output="${opened ? "" : escape(call)}">${opened ? "Hide output" : "Output"}</button>`;
    return `<li class="${escape(step.state)}">${escape(step.text)}${toggle}${opened ? `<pre tabindex="0"><code>${escape(output.text) || "Nothing so far."}</code></pre>` : ""}</li>`;
  });
  const last = steps.at(-1);
  return `<details><summary>${escape(last?.state === "running" ? last.text : count(steps.length, "step"))}</summary><ol>${rows.join("")}</ol></details>`;
}

const marks: Record<string, string> = { passed: "✓", failed: "✗", timeout: "✗" };
