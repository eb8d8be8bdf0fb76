import * as vscode from "vscode";
import type { Desk } from "./desk";
import type { Prompts } from "./prompts";
import type { Status, Summary } from "./protocol";
import type { Disposable } from "./signal";
import { count } from "./text";

/** More is the row that asks for the next page. */
const more = Symbol("more");
export type Row = Summary | typeof more;

/** SessionsTree lists the sessions of the workspace, the latest first. */
export class SessionsTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly parts: Disposable[];

  constructor(private readonly desk: Desk, private readonly prompts: Prompts) {
    this.view = vscode.window.createTreeView("nodwyn.sessions", { treeDataProvider: this });
    this.parts = [
      this.view, this.changed,
      desk.onChange(({ what }) => {
        if (what !== "preview") {
          this.changed.fire(undefined);
        }
      }),
      prompts.changed.on(() => this.badge()),
    ];
  }

  getChildren(): Row[] {
    return this.desk.more ? [...this.desk.summaries, more] : [...this.desk.summaries];
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row === more) {
      const item = new vscode.TreeItem("More sessions…");
      item.command = { command: "nodwyn.loadMore", title: "More Sessions" };
      return item;
    }
    return this.item(row);
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private item(row: Summary): vscode.TreeItem {
    const status = this.status(row);
    const waits = this.prompts.of(row.session).length;
    const title = row.title || "New session";
    const state = waits > 0 ? `${waits} waiting` : words(row, status);
    const item = new vscode.TreeItem(title);
    item.id = row.session;
    item.description = state;
    item.iconPath = icon(row, status, waits);
    item.tooltip = [title, row.branch ? `On branch ${row.branch}` : "In the folder itself", row.repository ?? row.repo, `${count(row.turns, "turn")}, ${row.model}`].join("\n");
    item.contextValue = ["session", row.repository ? "worktree" : "folder", row.mode, status].join(" ");
    item.command = { command: "nodwyn.openSession", title: "Open Session", arguments: [row] };
    item.accessibilityInformation = { label: `${title}, ${state || "idle"}${row.session === this.desk.selected ? ", in front" : ""}` };
    return item;
  }

  /** status is what the server told last. The list is only as new as the last time it was asked for. */
  private status(row: Summary): Status {
    const told = this.desk.session(row.session).status;
    return told === "closed" ? row.status : told;
  }

  private badge(): void {
    const n = this.prompts.all().length;
    this.view.badge = n > 0 ? { value: n, tooltip: `${count(n, "request")} of nodwyn's ${n === 1 ? "waits" : "wait"} for you` } : undefined;
    this.changed.fire(undefined);
  }
}

function words(row: Summary, status: Status): string {
  if (status === "running" || status === "waiting" || status === "damaged") {
    return status;
  }
  if (row.openElsewhere) {
    return "open elsewhere";
  }
  return row.unfinished ? "interrupted" : "";
}

function icon(row: Summary, status: Status, waits: number): vscode.ThemeIcon {
  if (waits > 0) {
    return new vscode.ThemeIcon("bell-dot", new vscode.ThemeColor("list.warningForeground"));
  }
  if (status === "damaged") {
    return new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground"));
  }
  if (status === "running" || status === "waiting") {
    return new vscode.ThemeIcon("sync~spin");
  }
  return new vscode.ThemeIcon(row.unfinished ? "debug-pause" : row.mode === "ask" ? "comment" : "git-branch");
}
