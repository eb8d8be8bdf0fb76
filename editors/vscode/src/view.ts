import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import type { CarryOffer } from "./carry";
import type { Course } from "./course";
import type { Desk, Tree } from "./desk";
import { folder } from "./place";
import type { Prompt, Prompts } from "./prompts";
import type { Overlap, Summary } from "./protocol";
import type { Server } from "./server";
import type { Session } from "./session";
import type { Disposable } from "./signal";
import { count } from "./text";
import type { FromPage, Preview, Shown, ToPage } from "./webview/messages";
import { landedAt, meets, overlap } from "./words";
import type { Work } from "./work";

/** often is how long changes are gathered before the page is told, in milliseconds. */
const often = 30;

/** Sources are what the session view draws from. */
export interface Sources {
  server: Server;
  desk: Desk;
  prompts: Prompts;
  course: Course;
  work: Work;
  carry: CarryOffer;
}

/** SessionView is the view of the session in front: its cards, the reply that streams in, and the box for the next request. */
export class SessionView implements vscode.WebviewViewProvider, vscode.Disposable {
  private view: vscode.WebviewView | undefined;
  private ready = false;
  private timer: NodeJS.Timeout | undefined;
  private wantsFocus = false;
  private focused = false;
  private readonly parts: Disposable[];

  constructor(private readonly extension: vscode.Uri, private readonly from: Sources, private readonly received: (message: FromPage) => void) {
    const { server, desk, prompts, course, work, carry } = from;
    this.parts = [
      vscode.window.registerWebviewViewProvider("nodwyn.session", this),
      server.onPhase(() => this.later()),
      prompts.changed.on(() => this.later()),
      course.onChange(() => this.later()),
      work.onChange((session) => session === desk.selected && this.later()),
      carry.onChange(() => this.later()),
      desk.onChange(({ what, session }) => {
        if (what === "work" || (session !== undefined && session !== desk.selected)) {
          return;
        }
        if (what === "preview") {
          this.post({ type: "preview", preview: this.preview() });
          return;
        }
        this.later();
      }),
    ];
  }

  /** watched says that the person is in this view. */
  get watched(): boolean {
    return this.focused && this.view?.visible === true;
  }

  get visible(): boolean {
    return this.view?.visible === true;
  }

  /** focus puts the cursor into the box for the next request. */
  async focus(): Promise<void> {
    this.wantsFocus = true;
    await vscode.commands.executeCommand("nodwyn.session.focus");
    this.giveFocus();
  }

  /** giveBack puts a request that was not taken into the box again, unless another one stands there. */
  giveBack(text: string): void {
    this.post({ type: "draft", text });
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.view = view;
    this.ready = false;
    view.webview.options = { enableScripts: true, localResourceRoots: [vscode.Uri.joinPath(this.extension, "dist"), vscode.Uri.joinPath(this.extension, "media")] };
    view.webview.onDidReceiveMessage((message: FromPage) => this.take(message));
    view.onDidDispose(() => {
      this.view = undefined;
      this.focused = false;
    });
    view.onDidChangeVisibility(() => {
      this.later();
      this.from.carry.look();
    });
    view.webview.html = page(view.webview, this.extension);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.parts).dispose();
  }

  private take(message: FromPage): void {
    if (message.type === "focused") {
      this.focused = message.focused;
      this.from.carry.look();
      return;
    }
    if (message.type === "ready") {
      this.ready = true;
      this.show();
      this.giveFocus();
      return;
    }
    this.received(message);
  }

  private giveFocus(): void {
    if (this.wantsFocus && this.ready) {
      this.wantsFocus = false;
      this.post({ type: "focus" });
    }
  }

  private later(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.show();
    }, often);
  }

  private show(): void {
    this.post({ type: "show", shown: this.shown(), preview: this.preview() });
  }

  private preview(): Preview {
    const { desk } = this.from;
    return desk.selected === undefined ? { text: "", thinking: "" } : desk.session(desk.selected).preview;
  }

  private post(message: ToPage): void {
    if (this.ready) {
      void this.view?.webview.postMessage(message);
    }
  }

  private shown(): Shown {
    const { desk, course, prompts, work, carry } = this.from;
    const id = desk.selected;
    const obstacle = this.obstacle();
    const { steps, queue, output } = course;
    const common = { steps, queue, ...(output ? { output } : {}), attachments: desk.attachments.map((a) => a.label), offer: carry.label, ...(obstacle === undefined ? {} : { obstacle }) };
    // A question outside sessions has no other place than this one.
    const loose = prompts.all().filter((prompt) => prompt.params.session === undefined);
    if (id === undefined) {
      return { ...common, status: "idle", activity: "Ask for something in this folder.", cards: [], prompts: loose, toLand: undefined, landed: false, notes: [] };
    }
    const known = desk.session(id);
    const { cards, status } = known;
    const summary = desk.summary(id);
    const session = { id, title: summary?.title ?? "New session", mode: summary?.mode ?? "edit", worktree: desk.tree(id)?.repository !== undefined };
    const toLand = work.files(id)?.length;
    const waits = [...loose, ...prompts.of(id).map((prompt) => placed(prompt, desk.tree(id)))];
    return { ...common, session, status, activity: activity(known) || place(known, summary, toLand), cards, prompts: waits, toLand, landed: known.landed !== undefined, notes: notes(known, desk.overlaps(id)) };
  }

  private obstacle(): string | undefined {
    if (!vscode.workspace.isTrusted) {
      return "Nothing is started in Restricted Mode. Trust this workspace to use nodwyn.";
    }
    return {
      off: "Open a folder to use nodwyn.",
      starting: "The server is starting.",
      failed: "The server is not running. Use “nodwyn: Restart Server”.",
      running: undefined,
    }[this.from.server.phase];
  }
}

function activity({ status, step, ready }: Session): string {
  if (status === "waiting") {
    return "Waits for you";
  }
  if (!ready) {
    return "Checking out the files…";
  }
  return status === "running" ? (step > 1 ? `Working, step ${step}` : "Working") : "";
}

function place({ landed }: Session, summary: Summary | undefined, toLand: number | undefined): string {
  if (toLand) {
    return `${count(toLand, "file")} to land`;
  }
  if (landed) {
    return `Landed ${landedAt(landed)}`;
  }
  return summary?.branch ? `Idle, on branch ${summary.branch}` : "Idle, in the folder itself";
}

/** notes say what the cards do not: what the session started with, and whom it will meet. */
function notes({ carried }: Session, overlaps: Overlap[]): Shown["notes"] {
  const own = carried ? [{ text: "Your uncommitted work came along. It is not landed with the rest.", warning: false }] : [];
  return [...own, ...overlaps.filter(meets).map((o) => ({ text: overlap(o), warning: true }))];
}

/** placed names the folder of a command in words: the path of a worktree is long, and tells nobody anything. */
function placed(prompt: Prompt, tree: Tree | undefined): Prompt {
  if (prompt.kind === "question" || prompt.params.cwd === undefined) {
    return prompt;
  }
  return { ...prompt, params: { ...prompt.params, cwd: folder(prompt.params.cwd, tree) } };
}

function page(webview: vscode.Webview, extension: vscode.Uri): string {
  const nonce = randomBytes(16).toString("base64");
  const at = (...path: string[]): string => webview.asWebviewUri(vscode.Uri.joinPath(extension, ...path)).toString();
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'; form-action 'none'; base-uri 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${at("media", "session.css")}">
<title>nodwyn</title>
</head>
<body>
<header><h2 id="title"></h2><p role="status"><span id="spin" class="spin" hidden aria-hidden="true"></span><span id="activity"></span></p><ul id="notes" aria-label="Notes"></ul></header>
<div id="scroller" tabindex="-1">
<main id="cards" role="log" aria-live="polite" aria-label="Session"></main>
</div>
<nav aria-label="Session"><button type="button" id="continue" hidden>Continue</button><button type="button" id="doIt" hidden>Do it</button><button type="button" class="secondary" id="changes" hidden>Show changes</button><button type="button" id="land" hidden>Land…</button><button type="button" class="secondary" id="unland" hidden>Take landing back</button></nav>
<form id="form">
<ul id="queue" aria-label="Waiting requests"></ul>
<ul id="attachments" aria-label="Attachments"></ul>
<textarea id="box" rows="2" aria-label="Your request" placeholder="What should be done?"></textarea>
<label id="carry" hidden><input type="checkbox" id="carried"><span id="offer"></span></label>
<div class="row"><select id="mode" aria-label="Mode"><option value="edit">Edit in a worktree</option><option value="ask">Ask, read only</option><option value="plan">Plan, read only</option></select><span class="grow"></span><button type="button" class="secondary" id="cancel" hidden>Cancel</button><button type="button" class="secondary" id="steer" hidden>Steer</button><button id="send">Send</button></div>
</form>
<script nonce="${nonce}" src="${at("dist", "page.js")}"></script>
</body>
</html>`;
}
