import type { Card, CardParams, DeltaParams, Status, StatusParams, ViewResult } from "./protocol";

/** Preview is the part of a reply that has streamed in and is not on record yet. */
export interface Preview {
  text: string;
  thinking: string;
}

const nothing: Preview = { text: "", thinking: "" };

/** Session is what the server has said of one session. It holds nothing that session/view could not bring again. */
export class Session {
  status: Status = "closed";
  step = 0;
  preview: Preview = nothing;
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

  /** view takes the answer of session/view. Cards that were told meanwhile are newer, and stay. */
  view(result: ViewResult): void {
    this.status = result.status;
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
