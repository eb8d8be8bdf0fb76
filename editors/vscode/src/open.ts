import * as vscode from "vscode";
import type { Parts } from "./commands";
import type { FileConflict } from "./protocol";
import { inCheckout } from "./words";

/** most is how many editors open at once: more help nobody. */
const most = 8;

/** openAll shows the files of a conflict, each at its first place. */
export async function openAll({ desk, server }: Parts, session: string, conflicts: FileConflict[]): Promise<void> {
  const tree = desk.tree(session);
  for (const conflict of conflicts.slice(0, most)) {
    const root = (inCheckout(conflict) ? tree?.repository : undefined) ?? tree?.path ?? "";
    const file = vscode.Uri.joinPath(vscode.Uri.file(root), conflict.path);
    try {
      await show(file, conflict);
    } catch (err) {
      // A file may be gone on that side: that is what the conflict is about then.
      server.log.info(`${file.fsPath} is not shown: ${String(err)}`);
    }
  }
}

/** refuseUnsaved keeps the files of a session from changing beneath edits that are in no file yet. */
export function refuseUnsaved({ desk }: Parts, session: string): void {
  const dirty = vscode.workspace.textDocuments.find((doc) => doc.isDirty && doc.uri.scheme === "file" && desk.owner(doc.uri.fsPath)?.session === session);
  if (dirty) {
    throw new Error(`${dirty.uri.fsPath} has edits that are not saved: save them first, so that none is lost.`);
  }
}

async function show(file: vscode.Uri, { kind, lines }: FileConflict): Promise<void> {
  const doc = await vscode.workspace.openTextDocument(file);
  const line = kind === "unresolved" ? marker(doc) : (lines?.[0]?.first ?? 1) - 1;
  const at = new vscode.Position(Math.max(0, Math.min(line, doc.lineCount - 1)), 0);
  await vscode.window.showTextDocument(doc, { selection: new vscode.Range(at, at), preview: false });
}

/** marker finds the first conflict marker. */
function marker(doc: vscode.TextDocument): number {
  return doc.getText().split("\n").findIndex((line) => line.startsWith("<<<<<<< "));
}
