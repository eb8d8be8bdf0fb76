import type { Carry, FileConflict, FileDiff, LineRun, Overlap, RevertResult, Strategy, Worktree } from "./protocol";
import type { Landed } from "./session";
import { count } from "./text";

/** Lacking is how much of the person's own work a new session would not see. */
export type Lacking = Pick<Worktree, "uncommitted" | "untracked">;

/** everything is what a person means who takes their work along. */
export const everything: Carry = { uncommitted: true, untracked: true };

/** offer words the box that takes the person's own work along; undefined when there is none to take. */
export function offer({ uncommitted, untracked }: Lacking): string | undefined {
  if (uncommitted > 0 && untracked > 0) {
    return `Take along ${uncommitted} changed and ${count(untracked, "new file")}`;
  }
  if (uncommitted > 0) {
    return `Take along ${count(uncommitted, "changed file")}`;
  }
  return untracked > 0 ? `Take along ${count(untracked, "new file")}` : undefined;
}

/** span words runs of lines: "line 3", "lines 2, 5–6". A run without lines lies behind one. */
export function span(runs: LineRun[]): string {
  const [only] = runs;
  if (runs.length === 1 && only && only.count < 2) {
    return only.count === 0 ? (only.first === 0 ? "the start" : `behind line ${only.first}`) : `line ${only.first}`;
  }
  return `lines ${runs.map(({ first, count: n }) => (n === 0 ? `behind ${first}` : n === 1 ? String(first) : `${first}–${first + n - 1}`)).join(", ")}`;
}

/** placed words a file with the places in it that are meant. */
export function placed(path: string, lines: LineRun[] | undefined): string {
  return lines?.length ? `${path}, ${span(lines)}` : path;
}

/** own are the kinds that the checkout of the person has in the way: bringing the branch into the worktree changes nothing about them. */
const own: Record<string, string> = {
  uncommitted: "has changes in your checkout that are not committed",
  untracked: "is in your checkout already, and git does not know it",
  ignored: "is in your checkout already, and git ignores it",
};

const others: Record<string, string> = {
  moved: "has new commits since the preview",
  edited: "was edited in the worktree since",
  unresolved: "still holds conflict markers",
  contents: "was changed on the branch too",
};

/** obstacle says what is in the way of a landing, a revert or a sync, and where. */
export function obstacle(c: FileConflict): string {
  return `${placed(c.path, c.lines)}: ${own[c.kind] ?? others[c.kind] ?? c.kind}`;
}

/** headline says in one sentence why something cannot happen as things are. Nothing was changed then. */
export function headline(conflicts: FileConflict[]): string {
  const kinds = new Set(conflicts.map((c) => c.kind));
  if (kinds.has("moved")) {
    return "The branch went on meanwhile.";
  }
  if (kinds.has("unresolved")) {
    return "Conflict markers of a sync are left in the worktree.";
  }
  if ([...kinds].every((kind) => kind === "edited")) {
    return "Files of the worktree were edited since, and are kept as they are.";
  }
  return [...kinds].every((kind) => kind in own) ? "Files of your checkout are in the way: commit, stash or move them, then try again." : "The branch and this session changed the same places.";
}

/** Remedy is what can be done about a conflict. */
export type Remedy = "Sync" | "Let the Agent Resolve" | "Land Again" | "Open Files";

/** remedies offers what helps against the conflicts of a landing, the most likely first. */
export function remedies(conflicts: FileConflict[]): Remedy[] {
  const kinds = new Set(conflicts.map((c) => c.kind));
  if (kinds.has("moved")) {
    return ["Land Again"];
  }
  if (kinds.has("unresolved")) {
    return ["Let the Agent Resolve", "Open Files"];
  }
  const settled = [...kinds].every((kind) => kind in own || kind === "edited");
  return settled ? ["Open Files"] : ["Let the Agent Resolve", "Sync", "Open Files"];
}

/** inCheckout says that the person's own file is the one to look at, and not the session's. */
export function inCheckout({ kind }: FileConflict): boolean {
  return kind !== "edited" && kind !== "unresolved";
}

/** meets says that two sessions will stand in each other's way, and not only work in the same file. */
export function meets(o: Overlap): boolean {
  return o.whole === true || (o.lines?.length ?? 0) > 0;
}

/** overlap words what another session changes too. */
export function overlap(o: Overlap): string {
  const where = o.whole ? `${o.path} as a whole` : meets(o) ? placed(o.path, o.lines) : `${o.path} in other places`;
  return `“${o.title}” also changes ${where}`;
}

/** landedAt says where a session's work is, when it landed. */
export function landedAt({ into, commit }: Landed): string {
  return commit === undefined ? "in your checkout, uncommitted" : `in ${into} as ${commit.slice(0, 8)}`;
}

/** stat words one changed file. */
export function stat(f: FileDiff): string {
  return `${f.status} ${f.oldPath === undefined ? "" : `${f.oldPath} → `}${f.path}`;
}

/** changed counts what a file gained and lost. */
export function changed(f: FileDiff): string {
  return f.binary ? "binary" : `+${f.insertions} −${f.deletions}`;
}

/** names lists the first few files, and counts the others. */
export function names(files: { path: string }[], most = 3): string {
  const first = files.slice(0, most).map((f) => f.path);
  const rest = files.length - first.length;
  return [...first, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** reverted words what a revert takes back, or its undoing brings again. */
export function reverted({ files, turns }: Pick<RevertResult, "files" | "turns">): string {
  const parts = [files.length > 0 ? names(files) : "", turns.length > 0 ? `${count(turns.length, "request")} and what was answered` : ""].filter(Boolean);
  return parts.length === 0 ? "nothing" : parts.join("; ");
}

/** How is what a strategy does, for those who choose between them. */
export const how: Record<Strategy, { label: string; detail: string }> = {
  squash: { label: "Squash", detail: "one commit with everything" },
  merge: { label: "Merge", detail: "one commit for each request, and a merge" },
  rebase: { label: "Rebase", detail: "one commit for each request on top of the branch, without a merge" },
  patch: { label: "Patch", detail: "no commit: the work becomes uncommitted edits in your checkout" },
  branch: { label: "Branch", detail: "one commit on a branch of its own, which is pushed when you allow it" },
};
