import * as vscode from "vscode";
import type { Desk } from "./desk";
import type { Prompts } from "./prompts";
import type { Server } from "./server";
import type { Disposable } from "./signal";
import { count } from "./text";
import { meets, overlap } from "./words";

/** StatusItem is the one item in the status bar: what needs the person first, else what goes on. */
export class StatusItem implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("nodwyn", vscode.StatusBarAlignment.Left, 10);
  private readonly parts: Disposable[];

  constructor(private readonly server: Server, private readonly desk: Desk, private readonly prompts: Prompts) {
    this.item.name = "nodwyn";
    this.parts = [
      this.item,
      server.onPhase(() => this.draw()),
      prompts.changed.on(() => this.draw()),
      desk.onChange(({ what }) => {
        if (what !== "preview" && what !== "work") {
          this.draw();
        }
      }),
    ];
    this.draw();
    this.item.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private draw(): void {
    const { text, tooltip, command, background } = this.say();
    this.item.text = text;
    this.item.tooltip = tooltip;
    this.item.command = command;
    this.item.backgroundColor = background ? new vscode.ThemeColor(background) : undefined;
    this.item.accessibilityInformation = { label: `nodwyn: ${tooltip}`, role: "button" };
  }

  private say(): { text: string; tooltip: string; command: string; background?: string } {
    const waits = this.prompts.all().length;
    if (this.server.phase === "failed") {
      return { text: "$(error) nodwyn", tooltip: "The server is not running. Show its log.", command: "nodwyn.showLog", background: "statusBarItem.errorBackground" };
    }
    if (waits > 0) {
      return { text: `$(bell-dot) nodwyn: ${waits} waiting`, tooltip: "Answer what waits for you.", command: "nodwyn.answer", background: "statusBarItem.warningBackground" };
    }
    if (this.server.phase === "starting") {
      return { text: "$(sync~spin) nodwyn", tooltip: "The server is starting.", command: "nodwyn.showLog" };
    }
    if (this.server.phase === "off") {
      return { text: "$(circle-slash) nodwyn", tooltip: vscode.workspace.isTrusted ? "Open a folder to use nodwyn." : "Nothing is started in Restricted Mode.", command: "nodwyn.focus" };
    }
    if (this.desk.working > 0) {
      return { text: "$(sync~spin) nodwyn: working", tooltip: "A session is at work.", command: "nodwyn.focus" };
    }
    return this.overlapping() ?? { text: "$(check) nodwyn", tooltip: "Ask for something.", command: "nodwyn.focus" };
  }

  /** overlapping says which sessions will meet, while there is time to do something about it. A pair says so from both sides, and counts once. */
  private overlapping(): { text: string; tooltip: string; command: string } | undefined {
    const pairs = new Map<string, string>();
    for (const { session, title } of this.desk.summaries) {
      for (const o of this.desk.overlaps(session).filter(meets)) {
        const pair = [[session, o.session].sort().join(" "), o.path].join(" ");
        pairs.set(pair, pairs.get(pair) ?? `${title || "New session"}: ${overlap(o)}`);
      }
    }
    return pairs.size === 0 ? undefined : { text: `$(warning) nodwyn: ${count(pairs.size, "overlap")}`, tooltip: [...pairs.values()].join("\n"), command: "nodwyn.sessions.focus" };
  }
}
