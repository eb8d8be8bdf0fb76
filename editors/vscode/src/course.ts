import * as vscode from "vscode";
import type { Desk } from "./desk";
import type { QueuedPrompt, TrailStep } from "./protocol";
import { message, type Server } from "./server";
import type { Disposable } from "./signal";

/** soon gathers changes before the server is asked, and often is how it is asked again while a turn runs, in milliseconds. */
const soon = 200;
const often = 1000;

/** Course is what the last turn of the session in front did and is doing, and what waits behind it. The server is asked for both: nothing tells of them by itself. */
export class Course implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onChange = this.changed.event;
  steps: TrailStep[] = [];
  queue: QueuedPrompt[] = [];
  /** output is what the step that the person opened has printed so far. */
  output: { call: string; text: string } | undefined;
  private call: string | undefined;
  private of: string | undefined;
  private timer: NodeJS.Timeout | undefined;
  private outside = 0;
  private readonly parts: Disposable[];

  constructor(private readonly server: Server, private readonly desk: Desk) {
    this.parts = [
      this.changed,
      desk.onChange(({ what, session }) => {
        if (what !== "preview" && (session === undefined || session === desk.selected)) {
          this.later(soon);
        }
      }),
    ];
  }

  /** open asks for the output of a call; undefined closes it. */
  open(call: string | undefined): void {
    this.call = call;
    this.output = undefined;
    this.later(0);
  }

  /** drop takes a request out of the queue. */
  async drop(id: string): Promise<void> {
    await this.change({ drop: [id] });
  }

  /** edit gives a request in the queue another text. */
  async edit(id: string): Promise<void> {
    const text = await vscode.window.showInputBox({ title: "Edit the Request", value: this.queue.find((q) => q.id === id)?.text ?? "" });
    if (text) {
      await this.change({ edit: [{ id, text }] });
    }
  }

  /** steer adds to the turn that runs. */
  async steer(text: string): Promise<void> {
    const session = this.desk.selected ?? "";
    const { turn } = await this.server.request("session/trail", { session });
    await this.server.request("session/steer", { session, turn, text });
  }

  /** during keeps the trail current while checks run outside of a turn. */
  async during<T>(run: Promise<T>): Promise<T> {
    this.outside++;
    this.later(soon);
    try {
      return await run;
    } finally {
      this.outside--;
      this.later(soon);
    }
  }

  dispose(): void {
    clearTimeout(this.timer);
    vscode.Disposable.from(...this.parts).dispose();
  }

  private async change(what: { drop: string[] } | { edit: QueuedPrompt[] }): Promise<void> {
    this.queue = (await this.server.request("session/queue", { session: this.desk.selected ?? "", ...what })).queue;
    this.changed.fire(undefined);
  }

  private later(wait: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.ask().catch((err: unknown) => this.server.log.debug(message(err))), wait);
  }

  private async ask(): Promise<void> {
    const session = this.desk.selected;
    if (session !== this.of) {
      this.of = session;
      this.show([], [], undefined);
    }
    if (session === undefined || this.server.phase !== "running") {
      return;
    }
    const busy = this.desk.session(session).busy;
    const call = this.call;
    const trail = await this.server.request("session/trail", call === undefined ? { session } : { session, call });
    const queue = busy ? (await this.server.request("session/queue", { session })).queue : [];
    if (session !== this.desk.selected || call !== this.call) {
      return;
    }
    this.show(trail.steps, queue, call === undefined ? undefined : { call, text: trail.output ?? "" });
    if (busy || this.outside > 0) {
      this.later(often);
    }
  }

  private show(steps: TrailStep[], queue: QueuedPrompt[], output: { call: string; text: string } | undefined): void {
    const before = JSON.stringify([this.steps, this.queue, this.output]);
    Object.assign(this, { steps, queue, output });
    if (JSON.stringify([steps, queue, output]) !== before) {
      this.changed.fire(undefined);
    }
  }
}
