import type { Prompt } from "../prompts";
import type { Card, Mode, OptionID, QueuedPrompt, Status, TrailStep } from "../protocol";

/** Shown is the whole of what the session view shows, but for the preview of a reply. */
export interface Shown {
  /** session is absent before the first prompt of a new session. */
  session?: { id: string; title: string; mode: Mode; worktree: boolean };
  status: Status;
  /** activity says in words what goes on. */
  activity: string;
  cards: Card[];
  prompts: Prompt[];
  attachments: string[];
  /** steps are what the last turn did, and output what one of them printed. */
  steps: TrailStep[];
  output?: { call: string; text: string };
  queue: QueuedPrompt[];
  /** obstacle says why nothing can be asked now. */
  obstacle?: string;
}

/** ToPage is a message to the page of the session view. */
export type ToPage =
  | { type: "show"; shown: Shown }
  | { type: "preview"; text: string; thinking: string }
  | { type: "draft"; text: string }
  | { type: "focus" };

/** Action is something that the page offers as a button, and the extension as a command. */
export type Action = "cancel" | "continue" | "doIt" | "changes" | "land";

/** FromPage is a message from the page of the session view. */
export type FromPage =
  | { type: "ready" }
  | { type: "prompt"; text: string; mode: Mode }
  | { type: "choose"; key: string; option: OptionID; note?: string }
  | { type: "say"; key: string; answer: string }
  | { type: "detach"; index: number }
  | { type: "steer"; text: string }
  | { type: "edit" | "drop"; id: string }
  | { type: "output"; call?: string }
  | { type: "focused"; focused: boolean }
  | { type: "action"; action: Action };
