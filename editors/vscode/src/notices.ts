import * as vscode from "vscode";
import type { Desk } from "./desk";
import type { TurnResult } from "./protocol";
import { title, type Prompts } from "./prompts";
import type { Disposable } from "./signal";
import type { SessionView } from "./view";

/**
 * Notices calls for those who look elsewhere: when something waits for them and when a turn has ended. A notice answers nothing by itself, since it cannot be taken back; its button leads to the place that can.
 */
export class Notices implements vscode.Disposable {
  private readonly known = new Set<string>();
  private readonly parts: Disposable[];

  constructor(private readonly desk: Desk, private readonly prompts: Prompts, private readonly view: SessionView) {
    this.parts = [prompts.changed.on(() => this.waits()), desk.onEnd(({ session, result }) => void this.ended(session, result))];
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private waits(): void {
    const now = this.prompts.all();
    const fresh = now.filter((prompt) => !this.known.has(prompt.key));
    this.known.clear();
    now.forEach((prompt) => this.known.add(prompt.key));
    for (const prompt of fresh) {
      if (!this.seen(prompt.params.session)) {
        void this.ping(prompt.key, `nodwyn asks: ${title(prompt)}`);
      }
    }
  }

  private async ping(key: string, text: string): Promise<void> {
    const choice = await vscode.window.showInformationMessage(text, "Show");
    const prompt = this.prompts.find(key);
    if (choice && prompt) {
      await vscode.commands.executeCommand("nodwyn.showPrompt", prompt);
    }
  }

  private async ended(session: string, { outcome }: TurnResult): Promise<void> {
    if (this.seen(session)) {
      return;
    }
    const summary = this.desk.summary(session);
    const how = outcome === "completed" ? "is done" : outcome === "failed" ? "has failed" : "was cancelled";
    const choice = await vscode.window.showInformationMessage(`nodwyn ${how}: ${summary?.title ?? session}`, "Show");
    if (choice && summary) {
      await vscode.commands.executeCommand("nodwyn.openSession", summary);
    }
  }

  /** seen says that the session is before the person's eyes. */
  private seen(session: string | undefined): boolean {
    return vscode.window.state.focused && this.view.visible && (session === undefined || session === this.desk.selected);
  }
}
