import * as vscode from "vscode";
import type { Desk } from "./desk";
import { scheme, type Documents } from "./documents";
import { added, isNew, lines, mirrored } from "./place";
import type { Prompt, Prompts } from "./prompts";
import type { PermissionParams } from "./protocol";
import type { Disposable } from "./signal";
import { fence, hunks, visible } from "./text";

/** Threads shows each write that waits for permission as a comment thread, at the line of the change in the person's own file. */
export class Threads implements vscode.Disposable {
  private readonly controller = vscode.comments.createCommentController("nodwyn", "nodwyn");
  private readonly shown = new Map<string, Promise<vscode.CommentThread>>();
  private readonly parts: Disposable[];

  /** watched says whether the person is looking at the session view, so that opening a file takes nothing from under their hands. */
  constructor(private readonly desk: Desk, private readonly documents: Documents, private readonly prompts: Prompts, private readonly watched: () => boolean) {
    this.controller.options = { prompt: "Why not? The model reads it.", placeHolder: "Reason" };
    this.parts = [this.controller, prompts.changed.on(() => this.draw())];
  }

  /** keyOf finds the prompt that a thread stands for. */
  async keyOf(thread: vscode.CommentThread): Promise<string | undefined> {
    for (const [key, shown] of this.shown) {
      if ((await shown) === thread) {
        return key;
      }
    }
    return undefined;
  }

  /** reveal opens the file of a prompt at its thread, and reports false when the prompt has none. */
  async reveal(key: string, preserveFocus: boolean): Promise<boolean> {
    const thread = await this.shown.get(key);
    if (!thread) {
      return false;
    }
    const selection = thread.range ?? new vscode.Range(0, 0, 0, 0);
    await vscode.window.showTextDocument(thread.uri, { selection: new vscode.Range(selection.start, selection.start), preserveFocus, preview: true });
    return true;
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private draw(): void {
    for (const [key, thread] of this.shown) {
      if (!this.prompts.find(key)) {
        this.shown.delete(key);
        void thread.then(retire);
      }
    }
    for (const prompt of this.prompts.all()) {
      if (prompt.kind === "permission" && prompt.params.op === "write" && !this.shown.has(prompt.key)) {
        this.shown.set(prompt.key, this.make(prompt.params));
        void this.offer(prompt);
      }
    }
  }

  /** offer brings the file into sight only of those who look at the session anyway: nobody's typing is interrupted. */
  private async offer(prompt: Prompt): Promise<void> {
    await this.shown.get(prompt.key);
    if (this.watched() && this.desk.selected === prompt.params.session) {
      await this.reveal(prompt.key, true);
    }
  }

  private async make(params: PermissionParams): Promise<vscode.CommentThread> {
    const doc = await this.open(params);
    const [first, last] = lines(params.range, doc.lineCount);
    const comment = { author: { name: "nodwyn" }, body: describe(params), mode: vscode.CommentMode.Preview };
    const thread = this.controller.createCommentThread(doc.uri, new vscode.Range(first, 0, last, 0), [comment]);
    thread.label = visible(params.action);
    thread.contextValue = "write";
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    return thread;
  }

  /** open opens the person's file. A new one is shown as it would become; of one that is not there, or no text, the change is shown. */
  private async open(params: PermissionParams): Promise<vscode.TextDocument> {
    const file = mirrored(params.path ?? "", this.desk.tree(params.session));
    const name = file.split(/[\\/]/).pop() ?? "change";
    const put = (as: string, text: string): Thenable<vscode.TextDocument> => vscode.workspace.openTextDocument(this.documents.put(params.session, params.promptId, as, text));
    if (isNew(params)) {
      return put(name, added(params.diff ?? ""));
    }
    try {
      return await vscode.workspace.openTextDocument(vscode.Uri.file(file));
    } catch {
      return put(`${name}.diff`, params.diff ?? "");
    }
  }
}

/** retire takes a thread away, and with it the document that was there for its sake alone. */
async function retire(thread: vscode.CommentThread): Promise<void> {
  thread.dispose();
  if (thread.uri.scheme !== scheme) {
    return;
  }
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const shown = tabs.filter((tab) => tab.input instanceof vscode.TabInputText && tab.input.uri.toString() === thread.uri.toString());
  await vscode.window.tabGroups.close(shown, true);
}

function describe(params: PermissionParams): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText([params.action, params.why, params.truncated ? "The change is too large to be shown whole." : ""].filter(Boolean).map((line) => visible(line ?? "")).join("\n\n"));
  if (params.diff) {
    text.appendMarkdown(`\n\n${fence(hunks(params.diff), "diff")}`);
  }
  return text;
}
