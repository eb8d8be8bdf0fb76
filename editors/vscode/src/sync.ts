import * as vscode from "vscode";
import type { Parts } from "./commands";
import { openAll, refuseUnsaved } from "./open";
import type { SyncResult } from "./protocol";
import { detail } from "./server";
import { count } from "./text";
import { names, obstacle } from "./words";

/** sync brings the moved branch into the worktree of a session, and says what became of it. */
export async function sync(p: Parts, session: string): Promise<void> {
  const result = await bring(p, session);
  if (result === undefined) {
    return;
  }
  if (result.conflicts?.length) {
    return conflicting(p, session, result);
  }
  const yielded = result.yielded?.length ? ` Of your own work that came along, ${names(result.yielded.map((path) => ({ path })))} is as on the branch now.` : "";
  const choice = await vscode.window.showInformationMessage(`The worktree is up to date: ${count(result.files.length, "file")} came in.${yielded}`, "Land…", "Undo Sync");
  if (choice === "Land…") {
    await vscode.commands.executeCommand("nodwyn.land", p.desk.summary(session));
  }
  if (choice === "Undo Sync") {
    await undoSync(p, session);
  }
}

/** resolve has the agent do what a sync leaves open. What is open since an earlier sync needs no further one. */
export async function resolve(p: Parts, session: string, open: string[]): Promise<void> {
  if (open.length > 0) {
    return hand(p, session, `Resolve the conflict markers in ${open.join(", ")}.`);
  }
  const result = await bring(p, session);
  if (result?.request !== undefined) {
    return hand(p, session, result.request);
  }
  if (result !== undefined) {
    void vscode.window.showInformationMessage("Nothing is left to resolve: both sides fit together in the worktree. It can land now.");
  }
}

/** hand brings a session to the front and has it work on a request. */
async function hand(p: Parts, session: string, request: string): Promise<void> {
  await p.desk.select(session);
  await p.view.focus();
  await p.desk.request(session, request);
}

/** undoSync takes the last sync back. */
export async function undoSync(p: Parts, session: string): Promise<void> {
  const { server, work } = p;
  refuseUnsaved(p, session);
  const { files } = await server.inSession(session, () => server.request("session/sync", { session, undo: true }));
  work.touch(session);
  void vscode.window.showInformationMessage(`The worktree is as it was before the sync: ${count(files.length, "file")} went back.`);
}

/** bring answers undefined when there was nothing to bring in, which is said and no error. */
async function bring(p: Parts, session: string): Promise<SyncResult | undefined> {
  const { server, work } = p;
  refuseUnsaved(p, session);
  try {
    const result = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Syncing the worktree" }, () =>
      server.inSession(session, () => server.request("session/sync", { session })));
    work.touch(session);
    return result;
  } catch (err) {
    if (detail(err)?.reason !== "nothing_to_sync") {
      throw err;
    }
    void vscode.window.showInformationMessage("The worktree has everything of the branch already.");
    return undefined;
  }
}

async function conflicting(p: Parts, session: string, result: SyncResult): Promise<void> {
  const conflicts = result.conflicts ?? [];
  const text = `The branch is in the worktree now. ${count(conflicts.length, "file")} ${conflicts.length === 1 ? "was" : "were"} changed on both sides in the same places.`;
  const note = [...conflicts.map(obstacle), "", "Nothing lands while a conflict marker is left."].join("\n");
  const choice = await vscode.window.showWarningMessage(text, { modal: true, detail: note }, "Let the Agent Resolve", "Open Files", "Undo Sync");
  if (choice === "Let the Agent Resolve") {
    await hand(p, session, result.request ?? "Resolve the conflict markers of the sync.");
  }
  if (choice === "Open Files") {
    await openAll(p, session, conflicts.map((c) => ({ ...c, kind: "unresolved" })));
  }
  if (choice === "Undo Sync") {
    await undoSync(p, session);
  }
}
