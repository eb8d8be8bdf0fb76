import type { Card, CardParams, DeltaParams, Overlap, Status, StatusParams, ViewResult, Worktree } from "./protocol";
import type { Preview } from "./webview/messages";

const nothing: Preview = { text: "", thinking: "" };

/** Happening is the part of a logged event that is looked at here. The log's own reference page has the whole of it. */
export interface Happening {
  kind: string;
  payload: { carried?: string; ok?: boolean; undo?: boolean; into: string; commit?: string; strategy?: string };
}

/** Landed is the last landing of a session that was not taken back. A patch has no commit. */
export interface Landed {
  into: string;
  commit?: string;
}

/** Session is what the server has said of one session. It holds nothing that session/view could not bring again. */
export class Session {
  status: Status = "closed";
  step = 0;
  preview: Preview = nothing;
  /** ready says that the files of its worktree are there. */
  ready = true;
  /** carried says that the person's own uncommitted work came along. */
  carried = false;
  overlaps: Overlap[] = [];
  landed: Landed | undefined;
  private toldReady = false;
  private attempt = 1;
  private readonly byID = new Map<string, { card: Card; revision: number }>();

  constructor(readonly id: string) {}

  get cards(): Card[] {
    return [...this.byID.values()].map((entry) => entry.card).sort((a, b) => number(a) - number(b));
  }

  /** busy says that a turn is under way. */
  get busy(): boolean {
    return this.status === "running" || this.status === "waiting";
  }

  /** view takes the whole answer of session/view. Cards that were told meanwhile are newer, and stay; those that it no longer has are gone. */
  view(result: ViewResult): void {
    this.status = result.status;
    const there = new Set(result.cards.map((card) => card.id));
    for (const [id, { revision }] of this.byID) {
      if (!there.has(id) && revision <= result.revision) {
        this.byID.delete(id);
      }
    }
    for (const card of result.cards) {
      this.put(card, result.revision);
    }
  }

  card(params: CardParams): void {
    const card = params.card;
    this.put(card, params.revision);
    if (card.kind === "result") {
      this.preview = nothing;
    }
  }

  /** delta adds to the preview. A further attempt of the same reply voids what the one before it said. */
  delta(params: DeltaParams): void {
    const attempt = params.attempt ?? 1;
    const base = attempt > this.attempt ? nothing : this.preview;
    this.attempt = attempt;
    this.preview = { text: base.text + (params.text ?? ""), thinking: base.thinking + (params.thinking ?? "") };
  }

  /** state takes a session/status. A new step means a new reply: what came before it drew its card, or draws none. */
  state(params: StatusParams): void {
    const step = params.step ?? 0;
    if (step !== this.step) {
      this.preview = nothing;
      this.attempt = 1;
    }
    this.step = step;
    this.status = params.status;
    this.overlaps = params.overlaps ?? [];
    // Where nothing runs any more nothing is checked out either.
    this.ready ||= params.ready === true || params.status === "closed";
    this.toldReady = params.status !== "closed" && (this.toldReady || params.ready === true);
  }

  /** tree takes what a session is told of its worktree when it is started, resumed or begins to edit. */
  tree(worktree: Worktree | undefined): void {
    // The news that the files are there may overtake the answer that says they are not.
    this.ready = worktree?.ready !== false || this.toldReady;
    this.carried ||= worktree?.carried !== undefined;
  }

  /** happened takes an event that says what became of the session's work. */
  happened({ kind, payload }: Happening): void {
    // A worktree that was not ready when the session was answered says only here what came along.
    this.carried ||= kind === "worktree.create" && payload.carried !== undefined;
    if (kind === "worktree.land" && payload.ok === true) {
      this.landed = payload.undo ? undefined : { into: payload.into, ...(payload.commit && payload.strategy !== "patch" ? { commit: payload.commit } : {}) };
    }
  }

  private put(card: Card, revision: number): void {
    const known = this.byID.get(card.id);
    if (!known || known.revision <= revision) {
      this.byID.set(card.id, { card, revision });
    }
  }
}

function number(card: Card): number {
  return Number(card.id.slice(1));
}
