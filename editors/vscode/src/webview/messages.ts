import type { Prompt } from "../prompts";
import type { Card, Mode, OptionID, QueuedPrompt, Status, TrailStep } from "../protocol";

/** Preview is the part of a reply that is not on record yet. It goes along with the cards, so that a reply is never there twice or not at all. */
export interface Preview {
  text: string;
  thinking: string;
}

/** Shown is the whole of what the session view shows, but for the preview of a reply. */
export interface Shown {
  /** session is absent before the first prompt of a new session. */
  session?: { id: string; title: string; mode: Mode; worktree: boolean };
  /** toLand counts the files that have not landed; undefined while nobody knows. */
  toLand: number | undefined;
  /** landed says that there is a landing to take back. */
  landed: boolean;
  /** offer words the box that takes the person's own work along. */
  offer: string | undefined;
  /** notes say what else there is to know about the session. */
  notes: { text: string; warning: boolean }[];
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
  | { type: "show"; shown: Shown; preview: Preview }
  | { type: "preview"; preview: Preview }
  | { type: "draft"; text: string }
  | { type: "focus" };

/** Action is something that the page offers as a button, and the extension as a command. */
export type Action = "cancel" | "continue" | "doIt" | "changes" | "land" | "unland";

/** FromPage is a message from the page of the session view. */
export type FromPage =
  | { type: "ready" }
  | { type: "prompt"; text: string; mode: Mode; carry: boolean }
  | { type: "choose"; key: string; option: OptionID; note?: string }
  | { type: "say"; key: string; answer: string }
  | { type: "detach"; index: number }
  | { type: "steer"; text: string }
  | { type: "edit" | "drop"; id: string }
  | { type: "output"; call?: string }
  | { type: "back"; nth: number }
  | { type: "focused"; focused: boolean }
  | { type: "action"; action: Action };
