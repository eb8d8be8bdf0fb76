import type { AskParams, AskResult, OptionID, PermissionParams, PermissionResult, PromptResolved } from "./protocol";
import { Signal } from "./signal";

/** Prompt is something that the server waits for, in the form in which it asked. */
export type Prompt = { key: string } & (
  | { kind: "permission"; params: PermissionParams }
  | { kind: "question"; params: AskParams }
);

/** Reply is what goes back over the wire. null is what a prompt gets that nobody has to answer any more. */
export type Reply = PermissionResult | AskResult | null;

/**
 * Prompts is the list of what waits for the person, and the only truth about it: every surface draws from it and answers through it.
 *
 * The first answer wins. Closing a surface is no answer, so that nothing is allowed or denied by accident.
 */
export class Prompts {
  readonly changed = new Signal<undefined>();
  private readonly open = new Map<string, { prompt: Prompt; reply: (reply: Reply) => void }>();

  /** all returns the prompts, the oldest first. */
  all(): Prompt[] {
    return [...this.open.values()].map((entry) => entry.prompt);
  }

  of(session: string): Prompt[] {
    return this.all().filter((prompt) => prompt.params.session === session);
  }

  find(key: string): Prompt | undefined {
    return this.open.get(key)?.prompt;
  }

  permission(params: PermissionParams): Promise<PermissionResult | null> {
    return this.add({ key: keyOf(params), kind: "permission", params }) as Promise<PermissionResult | null>;
  }

  question(params: AskParams): Promise<AskResult | null> {
    return this.add({ key: keyOf(params), kind: "question", params }) as Promise<AskResult | null>;
  }

  /** choose answers a permission, and reports false when it was answered or withdrawn before. */
  choose(key: string, option: OptionID, note?: string): boolean {
    return this.close(key, note ? { option, note } : { option });
  }

  /** say answers a question, and reports false when it was answered or withdrawn before. */
  say(key: string, answer: string): boolean {
    return this.close(key, { answer });
  }

  /** withdraw takes a prompt back that the server no longer waits for. */
  withdraw(of: Pick<PromptResolved, "promptId"> & { session?: string }): boolean {
    return this.close(keyOf(of), null);
  }

  /** clear takes everything back: the server that asked is gone. */
  clear(): void {
    for (const key of [...this.open.keys()]) {
      this.close(key, null);
    }
  }

  private add(prompt: Prompt): Promise<Reply> {
    // The server counts its prompts anew after a restart; one that still stands under the same name is of the time before.
    this.open.get(prompt.key)?.reply(null);
    return new Promise((reply) => {
      this.open.set(prompt.key, { prompt, reply });
      this.changed.fire(undefined);
    });
  }

  private close(key: string, reply: Reply): boolean {
    const entry = this.open.get(key);
    if (!entry) {
      return false;
    }
    this.open.delete(key);
    entry.reply(reply);
    this.changed.fire(undefined);
    return true;
  }
}

function keyOf(of: { session?: string; promptId: string }): string {
  return `${of.session ?? ""}/${of.promptId}`;
}

/** title says what a prompt is about, in one line. */
export function title(prompt: Prompt): string {
  const text = prompt.kind === "permission" ? prompt.params.action : prompt.params.text;
  return text.split("\n", 1)[0] ?? "";
}
