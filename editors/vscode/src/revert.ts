import * as vscode from "vscode";
import type { Parts } from "./commands";
import { conflictsOf, say } from "./conflict";
import { scheme } from "./documents";
import { hunkAt } from "./hunks";
import { openAll, refuseUnsaved } from "./open";
import type { RevertParams, RevertResult, What } from "./protocol";
import { count } from "./text";
import { requests, type Request } from "./turns";
import { changed, names, reverted } from "./words";

/** Target is a file of a session's. */
export interface Target {
  session: string;
  path: string;
}

/** revertFile takes the session's changes of one file back, once the person has seen what goes. */
export async function revertFile(p: Parts, target: Target): Promise<void> {
  const spec = { session: target.session, path: target.path };
  await guarded(p, target.session, async () => {
    const preview = await ask(p, { ...spec, preview: true });
    const sizes = preview.files.map((f) => `${f.path}  ${changed(f)}`).join("\n");
    const sure = await vscode.window.showWarningMessage(`Take back what this session changed in ${target.path}?`, { modal: true, detail: `${sizes}\n\nIt can be undone.` }, "Take Back");
    if (sure) {
      told(p, target.session, await ask(p, spec));
    }
  });
}

/** revertHunk takes back the hunk at the cursor. It is before the person's eyes, so nothing is asked. */
export async function revertHunk(p: Parts): Promise<void> {
  const { session, path, editor } = atCursor(p);
  const line = editor.selection.active.line + 1;
  const { files } = await p.server.request("session/diff", { session, path });
  const hunk = hunkAt(files.find((f) => f.path === path)?.hunks ?? [], line, editor.document.uri.scheme === scheme ? "before" : "after");
  if (!hunk) {
    throw new Error(`There is no change of the session's at line ${line} of ${path}: put the cursor on a changed line.`);
  }
  await guarded(p, session, async () => told(p, session, await ask(p, { session, path, hunk: hunk.id })));
}

/** undoRevert takes the last revert back. */
export async function undoRevert(p: Parts, session: string): Promise<void> {
  await guarded(p, session, async () => {
    const result = await ask(p, { session, undo: true });
    await again(p, session, result);
    void vscode.window.showInformationMessage(`Back again: ${reverted(result)}.`);
  });
}

/** goBack takes back everything since a request: the files, what was said, or both. */
export async function goBack(p: Parts, session: string, nth?: number): Promise<void> {
  const all = await requests(p.server, session);
  const chosen = nth === undefined ? await pick(all) : all[nth];
  if (!chosen) {
    return;
  }
  await guarded(p, session, async () => {
    const what = await pickWhat(p, session, chosen);
    if (what) {
      told(p, session, await ask(p, { session, what, turn: chosen.turn - 1 }));
      if (what !== "files") {
        await p.desk.select(session);
        p.view.giveBack(chosen.text);
      }
    }
  });
}

/** here is the file of a session that the person looks at. */
export function here(p: Parts): Target {
  const { session, path } = atCursor(p);
  return { session, path };
}

function atCursor(p: Parts): Target & { editor: vscode.TextEditor } {
  const editor = vscode.window.activeTextEditor;
  const found = editor && p.desk.owner(editor.document.uri.fsPath);
  if (!found) {
    throw new Error("This is no file of a session's: open its changes, and put the cursor into one of them.");
  }
  return { session: found.session, path: editor.document.uri.fsPath.slice(found.tree.path.length + 1).replaceAll("\\", "/"), editor };
}

async function ask(p: Parts, params: RevertParams): Promise<RevertResult> {
  const { server } = p;
  refuseUnsaved(p, params.session);
  return server.inSession(params.session, () => server.request("session/revert", params));
}

/** guarded shows files that the person edited since as what they are: kept, and the reason why nothing happened. */
async function guarded(p: Parts, session: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (err) {
    const conflicts = conflictsOf(err);
    if (conflicts.length === 0) {
      throw err;
    }
    if (await say(p, err, ["Open Files"])) {
      await openAll(p, session, conflicts);
    }
  }
}

function told(p: Parts, session: string, result: RevertResult): void {
  p.work.touch(session);
  void vscode.window.showInformationMessage(`Taken back: ${reverted(result)}.`, "Undo").then((choice) => choice && vscode.commands.executeCommand("nodwyn.undoRevert", p.desk.summary(session)));
}

async function again(p: Parts, session: string, { turns }: RevertResult): Promise<void> {
  p.work.touch(session);
  if (turns.length > 0 && session === p.desk.selected) {
    await p.desk.select(session);
  }
}

async function pick(all: Request[]): Promise<Request | undefined> {
  if (all.length === 0) {
    throw new Error("Nothing was asked for in this session yet.");
  }
  const items = all.toReversed().map((request) => ({ label: request.text.split("\n", 1)[0] ?? "", description: `turn ${request.turn}`, request }));
  return (await vscode.window.showQuickPick(items, { title: "Go back to before which request?", placeHolder: "The request that you choose goes too, with all that came after it.", matchOnDescription: true }))?.request;
}

/** pickWhat shows what would go with each choice. */
async function pickWhat(p: Parts, session: string, request: Request): Promise<What | undefined> {
  const turn = request.turn - 1;
  const { files, turns } = await ask(p, { session, what: "both", turn, preview: true });
  const said = `${count(turns.length, "request")} and what was answered`;
  const touched = files.length === 0 ? "no file changes" : `${count(files.length, "file")}: ${names(files)}`;
  const items = [
    { label: "$(discard) Files and conversation", detail: `${touched}; ${said}`, what: "both" as const },
    { label: "$(file) Files only", detail: touched, what: "files" as const },
    { label: "$(comment) Conversation only", detail: `${said}; the files stay as they are`, what: "chat" as const },
  ];
  return (await vscode.window.showQuickPick(files.length === 0 ? items.slice(2) : items, { title: `Go back to before “${request.text.split("\n", 1)[0] ?? ""}”`, placeHolder: "It can be undone." }))?.what;
}
