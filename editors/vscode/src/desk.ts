import { sep } from "node:path";
import * as vscode from "vscode";
import type { Attachment, CardParams, DeltaParams, EventParams, Mode, Overlap, State, StatusParams, Summary, TurnResult } from "./protocol";
import { Session, type Happening } from "./session";
import type { Server } from "./server";
import { everything } from "./words";

/** Tree is where a session works, and which repository of the person's that stands for. */
export interface Tree {
  /** path is the folder that the session writes in. */
  path: string;
  /** repository is the person's own; absent when the session works in it directly. */
  repository?: string;
}

/** Told is a change that the surfaces redraw for; "work" says that the files of a session may have changed, which nobody has looked at yet. */
export type Told = "sessions" | "selected" | "preview" | "work";

/** Desk holds the sessions that this window shows, and which of them is in front. */
export class Desk {
  private readonly changed = new vscode.EventEmitter<{ what: Told; session?: string }>();
  readonly onChange = this.changed.event;
  private readonly ended = new vscode.EventEmitter<{ session: string; result: TurnResult }>();
  readonly onEnd = this.ended.event;
  private readonly sessions = new Map<string, Session>();
  private readonly trees = new Map<string, Tree>();
  private list: Summary[] = [];
  private cursor: string | undefined;
  attachments: { label: string; attachment: Attachment }[] = [];
  private front: string | undefined;

  constructor(private readonly server: Server, private readonly memory: vscode.Memento) {
    this.front = memory.get<string>("session");
    server.onResume((state) => this.found(state));
  }

  get selected(): string | undefined {
    return this.front;
  }

  get summaries(): readonly Summary[] {
    return this.list;
  }

  get more(): boolean {
    return this.cursor !== undefined;
  }

  session(id: string): Session {
    const known = this.sessions.get(id) ?? new Session(id);
    this.sessions.set(id, known);
    return known;
  }

  summary(id: string): Summary | undefined {
    return this.list.find((summary) => summary.session === id);
  }

  tree(id: string): Tree | undefined {
    return this.trees.get(id);
  }

  /** working counts the sessions in which a turn runs here. */
  get working(): number {
    return [...this.sessions.values()].filter((s) => s.status === "running").length;
  }

  /** owner finds the session in whose worktree a file lies. */
  owner(file: string): { session: string; tree: Tree } | undefined {
    const found = [...this.trees].find(([, tree]) => tree.repository !== undefined && file.startsWith(tree.path + sep));
    return found && { session: found[0], tree: found[1] };
  }

  /** overlaps are the files that a session and another one both change. Those of a session that is not open here are in the list. */
  overlaps(id: string): Overlap[] {
    const known = this.session(id);
    return known.status === "closed" ? this.summary(id)?.overlaps ?? [] : known.overlaps;
  }

  /** refresh asks for the sessions of every folder anew. */
  async refresh(): Promise<void> {
    this.cursor = undefined;
    const answers = await Promise.all(repositories().map((repo) => this.server.request("session/list", { repo: repo.fsPath, limit: page })));
    this.cursor = answers.length === 1 ? answers[0]?.cursor : undefined;
    this.list = answers.flatMap((answer) => answer.sessions);
    this.note(this.list);
  }

  async loadMore(): Promise<void> {
    const repo = repositories()[0];
    if (!repo || this.cursor === undefined) {
      return;
    }
    const answer = await this.server.request("session/list", { repo: repo.fsPath, limit: page, cursor: this.cursor });
    this.cursor = answer.cursor;
    this.list = [...this.list, ...answer.sessions];
    this.note(answer.sessions);
  }

  /** select brings a session to the front; undefined makes room for a new one. */
  async select(id: string | undefined): Promise<void> {
    this.front = id;
    await this.memory.update("session", id);
    this.changed.fire({ what: "selected" });
    if (id !== undefined && this.server.phase === "running") {
      this.session(id).view(await this.server.request("session/view", { session: id }));
      this.changed.fire({ what: "selected" });
    }
  }

  /** prompt starts a turn in the session in front, or in a new one, and comes back when the turn has ended. While another one runs it waits behind it. */
  async prompt(text: string, mode: Mode, repo: vscode.Uri, carry: boolean): Promise<void> {
    const attached = this.attachments;
    const attachments = attached.map((a) => a.attachment);
    const session = this.front ?? (await this.begin(mode, repo, carry));
    const when = this.when(session);
    this.attachments = [];
    this.changed.fire({ what: "selected" });
    const turn = this.server.inSession(session, () => this.server.request("session/prompt", { session, text, attachments, when }));
    await this.follow(session, turn).catch((err: unknown) => {
      this.attachments = [...attached, ...this.attachments];
      throw err;
    });
  }

  /** resume takes up a turn that was cut off. */
  async resume(session: string): Promise<void> {
    await this.follow(session, this.server.inSession(session, () => this.server.request("session/continue", { session })));
  }

  /** change moves a session between modes. One that starts to edit gets a worktree. */
  async change(session: string, mode: Mode): Promise<void> {
    const state = await this.server.inSession(session, () => this.server.request("session/mode", { session, mode }));
    this.found(state);
    await this.refresh();
    this.changed.fire({ what: "selected" });
  }

  /** carryOut lets a session that only read do what was talked about. */
  async carryOut(session: string): Promise<void> {
    await this.change(session, "edit");
    await this.request(session, "Do it.");
  }

  /** request starts a turn with a text that is not the person's own. */
  async request(session: string, text: string): Promise<void> {
    await this.follow(session, this.server.inSession(session, () => this.server.request("session/prompt", { session, text, when: this.when(session) })));
  }

  /** lost forgets what the sessions were doing: the server that did it is gone. */
  lost(): void {
    for (const session of this.sessions.values()) {
      session.state({ session: session.id, status: "closed" });
    }
    this.changed.fire({ what: "selected" });
  }

  card(params: CardParams): void {
    this.session(params.session).card(params);
    if (params.card.kind === "ask") {
      // The first request names a session in the list.
      void this.refresh().catch(() => undefined);
    }
    this.changed.fire({ what: "selected", session: params.session });
  }

  delta(params: DeltaParams): void {
    this.session(params.session).delta(params);
    this.changed.fire({ what: "preview", session: params.session });
  }

  status(params: StatusParams): void {
    this.session(params.session).state(params);
    this.changed.fire({ what: "sessions", session: params.session });
  }

  /** event hears what else is put on record: names, and what becomes of the files. */
  event({ session, event }: EventParams): void {
    const happening = event as Happening;
    this.session(session).happened(happening);
    if (happening.kind === "session.title") {
      void this.refresh().catch(() => undefined);
    }
    if (touching.test(happening.kind)) {
      this.changed.fire({ what: "work", session });
    }
  }

  attach(label: string, attachment: Attachment): void {
    this.attachments = [...this.attachments, { label, attachment }];
    this.changed.fire({ what: "selected" });
  }

  detach(index: number): void {
    this.attachments = this.attachments.filter((_, at) => at !== index);
    this.changed.fire({ what: "selected" });
  }

  private async begin(mode: Mode, repo: vscode.Uri, carry: boolean): Promise<string> {
    const state = await this.server.request("session/new", { repo: repo.fsPath, mode, ...(carry ? { carry: everything } : {}) });
    this.session(state.session).state({ session: state.session, status: "idle" });
    this.found(state);
    await Promise.all([this.refresh(), this.select(state.session)]);
    return state.session;
  }

  private when(session: string): "now" | "next" {
    return this.session(session).busy ? "next" : "now";
  }

  /** found takes what a session is, from the answer to whatever made it so. */
  private found(state: State): void {
    this.trees.set(state.session, treeOf(state.repo, state.worktree?.repository));
    this.session(state.session).tree(state.worktree);
    this.changed.fire({ what: "sessions", session: state.session });
  }

  private async follow(session: string, turn: Promise<TurnResult>): Promise<void> {
    const result = await turn.finally(() => this.refresh().catch(() => undefined));
    this.ended.fire({ session, result });
  }

  private note(summaries: Summary[]): void {
    for (const summary of summaries) {
      this.trees.set(summary.session, treeOf(summary.repo, summary.repository));
    }
    this.changed.fire({ what: "sessions" });
  }
}

const page = 50;

/** Kinds of events after which the files of a session may be others. */
const touching = /^(worktree\.|session\.revert$|session\.mode$|tool\.result$|turn\.end$)/;

function treeOf(path: string, repository: string | undefined): Tree {
  return repository === undefined ? { path } : { path, repository };
}

/** repositories are the folders of the workspace that the server can work in. */
export function repositories(): vscode.Uri[] {
  return (vscode.workspace.workspaceFolders ?? []).map((f) => f.uri).filter((uri) => uri.scheme === "file");
}
