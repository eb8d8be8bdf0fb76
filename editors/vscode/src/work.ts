import * as vscode from "vscode";
import type { Desk } from "./desk";
import type { FileDiff } from "./protocol";
import { message, type Server } from "./server";
import type { Disposable } from "./signal";

/** soon gathers what touches files before the server is asked, in milliseconds. */
const soon = 300;

/** Work knows the files that sessions changed and have not landed. The server is asked for those that somebody looks at. */
export class Work implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<string>();
  readonly onChange = this.changed.event;
  private readonly known = new Map<string, FileDiff[]>();
  private readonly wanted = new Set<string>();
  private readonly stale = new Set<string>();
  private asked = 0;
  private readonly shown = new Map<string, number>();
  private timer: NodeJS.Timeout | undefined;
  private readonly parts: Disposable[];

  constructor(private readonly server: Server, private readonly desk: Desk) {
    this.parts = [
      this.changed,
      desk.onChange(({ what, session }) => {
        if (what === "work" && session !== undefined) {
          this.touch(session);
        }
        if (what === "selected" && desk.selected !== undefined && !this.wanted.has(desk.selected)) {
          this.want(desk.selected);
        }
      }),
      // Another server may know of what happened while this one was away.
      server.onPhase((phase) => phase === "running" && [...this.wanted].forEach((session) => this.touch(session))),
    ];
  }

  /** files are what a session has to land; undefined while nobody knows. */
  files(session: string): FileDiff[] | undefined {
    return this.known.get(session);
  }

  /** want has the files of a session looked after from now on. */
  want(session: string): void {
    this.wanted.add(session);
    this.touch(session);
  }

  /** touch says that the files of a session may be others now. */
  touch(session: string): void {
    if (!this.wanted.has(session)) {
      return;
    }
    this.stale.add(session);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      const now = [...this.stale];
      this.stale.clear();
      now.forEach((one) => void this.ask(one));
    }, soon);
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.parts).dispose();
  }

  private async ask(session: string): Promise<void> {
    if (this.server.phase !== "running") {
      return;
    }
    const nth = ++this.asked;
    const files = await this.look(session);
    // A slow answer may come after that of a later question.
    if (nth < (this.shown.get(session) ?? 0)) {
      return;
    }
    this.shown.set(session, nth);
    const before = this.known.get(session);
    this.known.set(session, files);
    if (JSON.stringify(files) !== JSON.stringify(before)) {
      this.changed.fire(session);
    }
  }

  /** look asks for the files. A session without a worktree of its own has nothing to land, and one whose worktree is gone says why when it is used. */
  private async look(session: string): Promise<FileDiff[]> {
    if (this.desk.tree(session)?.repository === undefined) {
      return [];
    }
    try {
      return (await this.server.request("session/diff", { session })).files;
    } catch (err) {
      this.server.log.debug(message(err));
      return this.known.get(session) ?? [];
    }
  }
}
