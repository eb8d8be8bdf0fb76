import { pair } from "../cards";
import type { Prompt } from "../prompts";
import type { Card, CardOf, Mode, OptionID, QueuedPrompt } from "../protocol";
import { draw, drawBack, drawPrompt, drawTrail } from "./draw";
import { escape } from "./escape";
import { markdown } from "./markdown";
import type { Action, FromPage, Preview, Shown, ToPage } from "./messages";

declare function acquireVsCodeApi(): { postMessage(message: FromPage): void; getState(): { draft?: string } | undefined; setState(state: { draft: string }): void };

const host = acquireVsCodeApi();
const post = (message: FromPage): void => host.postMessage(message);

const element = (id: string): HTMLElement => document.getElementById(id) as HTMLElement;
const cards = element("cards");
const box = element("box") as HTMLTextAreaElement;
const sender = element("send") as HTMLButtonElement;
const mode = element("mode") as HTMLSelectElement;
const carried = element("carried") as HTMLInputElement;

// A button that has only just appeared may have come under a click that was meant for something else.
const settle = 400;

function show(shown: Shown): void {
  const { byCard, rest } = pair(shown.cards, shown.prompts);
  const asks = shown.cards.filter((card) => card.kind === "ask");
  const idle = shown.status !== "running" && shown.status !== "waiting";
  blocks = [...shown.cards.map((card) => cardBlock(card, byCard.get(card.id), idle ? asks.indexOf(card as CardOf<"ask">) : -1)), ...rest.map(promptBlock)];
  placeTrail(shown);
  refill();
  element("title").textContent = element("title").title = shown.session?.title ?? "New session";
  element("activity").textContent = shown.obstacle ?? shown.activity;
  element("activity").classList.toggle("whole", shown.obstacle !== undefined);
  element("notes").innerHTML = shown.notes.map(({ text, warning }) => `<li${warning ? ` class="warning"` : ""}>${escape(text)}</li>`).join("");
  element("attachments").innerHTML = shown.attachments.map(chip).join("");
  element("queue").innerHTML = shown.queue.map(waiting).join("");
  controls(shown);
}

/** placeTrail puts the trail behind the last answer, or while there is none in front of what waits. */
function placeTrail({ cards: all, steps, output }: Shown): void {
  if (steps.length === 0) {
    return;
  }
  const last = all.findLastIndex((card) => card.kind === "result" || card.kind === "ask");
  const open = blocks.findIndex((block) => block.kind.endsWith(" open"));
  const at = all[last]?.kind === "result" ? last + 1 : open < 0 ? blocks.length : open;
  blocks.splice(at, 0, { id: "trail", kind: "trail", html: drawTrail(steps, output) });
}

interface Block {
  id: string;
  kind: string;
  html: string;
}

const cardBlock = (card: Card, prompt: Prompt | undefined, nth: number): Block => ({ id: card.id, kind: prompt ? `${card.kind} open` : card.kind, html: draw(card, prompt) + (nth < 0 ? "" : drawBack(nth)) });
const promptBlock = (prompt: Prompt): Block => ({ id: `prompt ${prompt.key}`, kind: `${prompt.kind} open`, html: drawPrompt(prompt) });
const chip = (label: string, index: number): string => `<li>${escape(label)} <button type="button" data-detach="${index}" aria-label="Remove ${escape(label)}">×</button></li>`;

let blocks: Block[] = [];
let preview: Block | undefined;

const waiting = ({ id, text }: QueuedPrompt): string => `<li>${escape(text)} <button type="button" data-edit="${escape(id)}">Edit</button><button type="button" data-drop="${escape(id)}" aria-label="Drop ${escape(text)}">×</button></li>`;

/** refill shows the preview in front of what waits for an answer: it is what the model said about it. */
function refill(): void {
  const open = blocks.findIndex((block) => block.kind.endsWith(" open"));
  const at = open < 0 ? blocks.length : open;
  fill([...blocks.slice(0, at), ...(preview ? [preview] : []), ...blocks.slice(at)]);
}

const scroller = element("scroller");
let pinned = true;

/** follow keeps the end in sight for those who are there, whatever grows or shrinks, and leaves the others where they read. */
function follow(): void {
  let top = 0;
  scroller.addEventListener("scroll", () => {
    // The news of a scroll comes late, when more may have been added: only who went up has left the end.
    const atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < 40;
    pinned = atEnd || (pinned && scroller.scrollTop >= top);
    top = scroller.scrollTop;
  });
  const sized = new ResizeObserver(() => {
    if (pinned) {
      scroller.scrollTop = scroller.scrollHeight;
    }
  });
  sized.observe(scroller);
  sized.observe(cards);
}

/** fill brings the list to its new content, and touches only what changed: a person may be reading, or typing a reason. */
function fill(all: Block[]): void {
  const wanted = new Set(all.map((block) => block.id));
  for (const [id, old] of shownAs) {
    if (!wanted.has(id)) {
      old.remove();
      shownAs.delete(id);
    }
  }
  all.forEach((block, at) => {
    const article = shownAs.get(block.id) ?? fresh(block);
    update(article, block);
    if (cards.children[at] !== article) {
      cards.insertBefore(article, cards.children[at] ?? null);
    }
  });
}

const shownAs = new Map<string, HTMLElement>();

function fresh(block: Block): HTMLElement {
  const article = document.createElement("article");
  // A screen reader reads a reply when it is whole, not piece by piece.
  article.ariaLive = block === preview ? "off" : null;
  shownAs.set(block.id, article);
  return article;
}

const drawn = new WeakMap<Element, string>();

function update(article: HTMLElement, block: Block): void {
  if (drawn.get(article) === block.html) {
    return;
  }
  drawn.set(article, block.html);
  const unfolded = article.querySelector("details")?.open ?? false;
  article.className = block.kind;
  article.innerHTML = block.html;
  article.querySelector("details")?.toggleAttribute("open", unfolded);
  if (block.kind.endsWith(" open")) {
    arm(article);
  }
}

/** arm lets the buttons of a card be pressed once they have been there for a moment. */
function arm(article: HTMLElement): void {
  const buttons = article.querySelectorAll("button");
  buttons.forEach((button) => { button.disabled = true; });
  setTimeout(() => buttons.forEach((button) => { button.disabled = false; }), settle);
}

function controls(shown: Shown): void {
  const busy = shown.status === "running" || shown.status === "waiting";
  const last = shown.cards.findLast((card) => card.kind === "result" || card.kind === "ask");
  const cutOff = last !== undefined && (last.kind === "ask" || last.body.outcome !== undefined);
  // Until the server has said, what was written is taken to have something to land.
  const wrote = shown.cards.some((card) => card.kind === "proof" && card.body.wrote.length > 0);
  const work = shown.session?.worktree === true && (shown.toLand === undefined ? wrote : shown.toLand > 0);
  reveal("cancel", busy);
  reveal("continue", !busy && cutOff && !shown.obstacle);
  reveal("changes", !busy && work);
  reveal("land", !busy && work);
  reveal("unland", !busy && !work && shown.landed);
  reveal("doIt", !busy && shown.session !== undefined && shown.session.mode !== "edit");
  reveal("steer", busy);
  sender.textContent = busy ? "Send next" : "Send";
  reveal("spin", busy && shown.status === "running");
  mode.hidden = shown.session !== undefined;
  element("offer").textContent = shown.offer ?? "";
  offered = shown.session === undefined && shown.offer !== undefined;
  placeOffer();
  sender.disabled = shown.obstacle !== undefined;
}

let offered = false;

/** placeOffer shows the offer to whoever it can help: a session that only reads works in the folder itself, and sees everything there. */
function placeOffer(): void {
  reveal("carry", offered && mode.value === "edit");
}

function reveal(id: string, visible: boolean): void {
  element(id).hidden = !visible;
}

function drawPreview({ text, thinking }: Preview): Block | undefined {
  const thought = thinking && !text ? `<p class="thinking">${escape(thinking)}</p>` : "";
  return text || thinking ? { id: "preview", kind: "preview", html: `<h3>nodwyn</h3>${thought}${markdown(text)}` } : undefined;
}

/** send sends what stands in the box: as a request, or to the turn that runs. */
function send(steer = false): void {
  const text = box.value.trim();
  if (text === "" || sender.disabled) {
    return;
  }
  post(steer ? { type: "steer", text } : { type: "prompt", text, mode: mode.value as Mode, carry: offered && mode.value === "edit" && carried.checked });
  box.value = "";
  carried.checked = false;
  keepDraft();
}

function keepDraft(): void {
  host.setState({ draft: box.value });
  box.style.height = "auto";
  box.style.height = `${Math.min(box.scrollHeight + 2, 200)}px`;
}

function clicked(event: Event): void {
  const button = (event.target as Element).closest("button");
  if (!button) {
    return;
  }
  const { key, option, answer, detach, output, edit, drop, back } = button.dataset;
  if (back !== undefined) {
    post({ type: "back", nth: Number(back) });
  }
  if (output !== undefined) {
    post(output === "" ? { type: "output" } : { type: "output", call: output });
  }
  if (edit !== undefined) {
    post({ type: "edit", id: edit });
  }
  if (drop !== undefined) {
    post({ type: "drop", id: drop });
  }
  if (key !== undefined && option !== undefined) {
    post({ type: "choose", key, option: option as OptionID });
  }
  if (key !== undefined && answer !== undefined) {
    post({ type: "say", key, answer });
  }
  if (detach !== undefined) {
    post({ type: "detach", index: Number(detach) });
  }
}

/** replied sends what was typed into a card: an answer to a question, or the reason of a denial. */
function replied(event: SubmitEvent): void {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const text = form.querySelector("input")?.value.trim() ?? "";
  const key = form.dataset["key"] ?? "";
  if (form.closest("article")?.classList.contains("question") && text !== "") {
    post({ type: "say", key, answer: text });
  }
  if (form.closest("article")?.classList.contains("permission") && text !== "") {
    post({ type: "choose", key, option: "deny", note: text });
  }
}

function listen(): void {
  cards.addEventListener("click", clicked);
  cards.addEventListener("submit", replied);
  element("attachments").addEventListener("click", clicked);
  element("queue").addEventListener("click", clicked);
  element("steer").addEventListener("click", () => send(true));
  element("form").addEventListener("submit", (event) => { event.preventDefault(); send(); });
  box.addEventListener("input", keepDraft);
  mode.addEventListener("change", placeOffer);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      send();
    }
  });
  for (const action of ["cancel", "continue", "doIt", "changes", "land", "unland"] satisfies Action[]) {
    element(action).addEventListener("click", () => post({ type: "action", action }));
  }
  window.addEventListener("focus", () => post({ type: "focused", focused: true }));
  window.addEventListener("blur", () => post({ type: "focused", focused: false }));
  window.addEventListener("message", ({ data }: MessageEvent<ToPage>) => received(data));
}

function received(message: ToPage): void {
  switch (message.type) {
    case "show":
      preview = drawPreview(message.preview);
      return show(message.shown);
    case "preview":
      preview = drawPreview(message.preview);
      return refill();
    case "draft":
      box.value ||= message.text;
      return keepDraft();
    case "focus":
      return box.focus();
  }
}

box.value = host.getState()?.draft ?? "";
listen();
follow();
keepDraft();
post({ type: "ready" });
// A page that had the focus before it could listen is not told of it.
post({ type: "focused", focused: document.hasFocus() });
