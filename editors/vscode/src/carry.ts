import * as vscode from "vscode";
import { repositories, type Desk } from "./desk";
import { message, type Server } from "./server";
import type { Disposable } from "./signal";
import { offer, type Lacking } from "./words";

const soon = 200;

/** CarryOffer knows what of the person's own work a new session would not see. It looks while somebody is about to start one, and at no other time. */
export class CarryOffer implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onChange = this.changed.event;
  /** label words the offer; undefined when there is nothing to take along. */
  label: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private readonly parts: Disposable[];

  constructor(private readonly server: Server, private readonly desk: Desk) {
    this.parts = [
      this.changed,
      server.onPhase(() => this.look()),
      desk.onChange(({ what }) => {
        if (what === "selected") {
          this.look();
        }
      }),
      vscode.workspace.onDidSaveTextDocument(() => this.look()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.look()),
    ];
  }

  /** look asks anew, since people go on working while they think about what to ask for. */
  look(): void {
    if (this.desk.selected !== undefined || this.server.phase !== "running") {
      this.say(undefined);
      return;
    }
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      void this.ask();
    }, soon);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.parts).dispose();
  }

  private async ask(): Promise<void> {
    const all = await Promise.all(repositories().map((repo) => this.lacking(repo)));
    const sum = all.reduce((a, b) => ({ uncommitted: a.uncommitted + b.uncommitted, untracked: a.untracked + b.untracked }), { uncommitted: 0, untracked: 0 });
    this.say(this.desk.selected === undefined ? offer(sum) : undefined);
  }

  /** lacking previews a session. A folder that can have no worktree lacks nothing: its sessions work in it. */
  private async lacking(repo: vscode.Uri): Promise<Lacking> {
    try {
      const { worktree } = await this.server.request("session/new", { repo: repo.fsPath, preview: true });
      return { uncommitted: worktree?.uncommitted ?? 0, untracked: worktree?.untracked ?? 0 };
    } catch (err) {
      this.server.log.debug(message(err));
      return { uncommitted: 0, untracked: 0 };
    }
  }

  private say(label: string | undefined): void {
    if (this.label !== label) {
      this.label = label;
      this.changed.fire(undefined);
    }
  }
}
