import * as vscode from "vscode";
import type { Desk } from "./desk";
import { scheme } from "./documents";
import type { Prompts } from "./prompts";
import type { FileDiff, Overlap, Status, Summary } from "./protocol";
import type { Disposable } from "./signal";
import { count } from "./text";
import { changed, landedAt, meets, overlap } from "./words";
import type { Work } from "./work";

/** More is the row that asks for the next page. */
const more = Symbol("more");

/** FileRow is a file that a session changed and has not landed. */
export interface FileRow {
  session: string;
  file: FileDiff;
}

export type Row = Summary | FileRow | typeof more;

/** isFile tells the rows of files from those of sessions. */
export function isFile(row: unknown): row is FileRow {
  return typeof row === "object" && row !== null && "file" in row;
}

/** SessionsTree lists the sessions of the workspace, the latest first, and beneath each the files that it has to land. */
export class SessionsTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  private readonly told = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.told.event;
  private readonly view: vscode.TreeView<Row>;
  private readonly parts: Disposable[];

  constructor(private readonly desk: Desk, private readonly prompts: Prompts, private readonly work: Work) {
    this.view = vscode.window.createTreeView("nodwyn.sessions", { treeDataProvider: this });
    this.parts = [
      this.view, this.told,
      desk.onChange(({ what }) => {
        if (what !== "preview" && what !== "work") {
          this.told.fire(undefined);
        }
      }),
      work.onChange(() => this.told.fire(undefined)),
      this.view.onDidExpandElement(({ element }) => {
        if (element !== more && !isFile(element)) {
          work.want(element.session);
        }
      }),
      prompts.changed.on(() => this.badge()),
    ];
  }

  getChildren(row?: Row): Row[] {
    if (row === undefined) {
      return this.desk.more ? [...this.desk.summaries, more] : [...this.desk.summaries];
    }
    return row === more || isFile(row) ? [] : (this.work.files(row.session) ?? []).map((file) => ({ session: row.session, file }));
  }

  getTreeItem(row: Row): vscode.TreeItem {
    if (row === more) {
      const item = new vscode.TreeItem("More sessions…");
      item.command = { command: "nodwyn.loadMore", title: "More Sessions" };
      return item;
    }
    return isFile(row) ? this.fileItem(row) : this.item(row);
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private item(row: Summary): vscode.TreeItem {
    const status = this.status(row);
    const waits = this.prompts.of(row.session).length;
    const overlaps = this.desk.overlaps(row.session);
    const title = row.title || "New session";
    const files = this.work.files(row.session);
    const state = this.words(row, status, waits, overlaps, files);
    const item = new vscode.TreeItem(title, row.repository && files?.length !== 0 ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    item.id = row.session;
    item.description = state;
    item.iconPath = icon(row, status, waits, overlaps);
    item.tooltip = [title, place(row), ...(this.desk.session(row.session).carried ? ["With your uncommitted work in it"] : []), ...overlaps.map(overlap), `${count(row.turns, "turn")}, ${row.model}`].join("\n");
    item.contextValue = ["session", row.repository ? "worktree" : "folder", row.mode, status, files?.length === 0 ? "clean" : "work"].join(" ");
    item.command = { command: "nodwyn.openSession", title: "Open Session", arguments: [row] };
    item.accessibilityInformation = { label: `${title}, ${state || "idle"}${row.session === this.desk.selected ? ", in front" : ""}` };
    return item;
  }

  private words(row: Summary, status: Status, waits: number, overlaps: Overlap[], files: FileDiff[] | undefined): string {
    if (waits > 0) {
      return `${waits} waiting`;
    }
    if (status !== "damaged" && !this.desk.session(row.session).ready) {
      return "checking out…";
    }
    const landed = this.desk.session(row.session).landed;
    const rest = overlaps.some(meets) ? "overlaps" : files?.length ? `${count(files.length, "file")} to land` : landed ? `landed ${landedAt(landed)}` : "";
    return doing(row, status) || rest;
  }

  private fileItem({ session, file }: FileRow): vscode.TreeItem {
    const others = this.desk.overlaps(session).filter((o) => o.path === file.path);
    // An address of ours has the icon of its name, and nobody else's mark on it.
    const item = new vscode.TreeItem(vscode.Uri.from({ scheme, path: `/${session}/${file.path}` }));
    item.id = `${session}/${file.path}`;
    item.label = file.path;
    item.description = [`${file.status} ${changed(file)}`, ...(others.length > 0 ? ["overlaps"] : [])].join("  ");
    item.tooltip = [file.path, ...others.map(overlap)].join("\n");
    item.iconPath = others.some(meets) ? new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground")) : vscode.ThemeIcon.File;
    item.contextValue = "file";
    item.command = { command: "nodwyn.openChange", title: "Show Change", arguments: [{ session, file }] };
    item.accessibilityInformation = { label: [file.path, item.description, ...others.map(overlap)].join(", ") };
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
    this.told.fire(undefined);
  }
}

function place(row: Summary): string {
  return row.branch ? `On branch ${row.branch} of ${row.repository ?? row.repo}` : `In the folder ${row.repo} itself`;
}

function doing(row: Summary, status: Status): string {
  if (status === "running" || status === "waiting" || status === "damaged") {
    return status;
  }
  if (row.openElsewhere) {
    return "open elsewhere";
  }
  return row.unfinished ? "interrupted" : "";
}

function icon(row: Summary, status: Status, waits: number, overlaps: Overlap[]): vscode.ThemeIcon {
  if (waits > 0) {
    return new vscode.ThemeIcon("bell-dot", new vscode.ThemeColor("list.warningForeground"));
  }
  if (status === "damaged") {
    return new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground"));
  }
  if (status === "running" || status === "waiting") {
    return new vscode.ThemeIcon("sync~spin");
  }
  if (overlaps.some(meets)) {
    return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  }
  return new vscode.ThemeIcon(row.unfinished ? "debug-pause" : row.mode === "ask" ? "comment" : "git-branch");
}
