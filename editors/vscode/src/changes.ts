import * as vscode from "vscode";
import type { Desk, Tree } from "./desk";
import type { Documents } from "./documents";
import { unpatch } from "./patch";
import type { FileDiff } from "./protocol";
import { message, type Server } from "./server";

/** showChanges opens everything that a session changed as one editor. The right sides are the files of the session themselves. */
export async function showChanges(server: Server, desk: Desk, documents: Documents, session: string): Promise<void> {
  const { files } = await server.request("session/diff", { session });
  const tree = desk.tree(session);
  if (files.length === 0 || !tree) {
    void vscode.window.showInformationMessage("This session has nothing that has not landed.");
    return;
  }
  const sides = await Promise.all(files.map((file) => sidesOf(server, documents, session, tree, file)));
  const title = desk.summary(session)?.title ?? session;
  await vscode.commands.executeCommand("vscode.changes", `Changes: ${title}`, sides);
}

/** showChange opens one file of a session beside what it was. */
export async function showChange(server: Server, desk: Desk, documents: Documents, session: string, file: FileDiff): Promise<void> {
  const tree = desk.tree(session);
  if (tree) {
    const [label, left, right] = await sidesOf(server, documents, session, tree, file);
    const missing = documents.beside(label, `${session}/none`, "");
    await vscode.commands.executeCommand("vscode.diff", left ?? missing, right ?? missing, `${file.path} (${desk.summary(session)?.title ?? "session"})`);
  }
}

/** Sides is one file: a side that is not there is undefined. */
type Sides = [label: vscode.Uri, left: vscode.Uri | undefined, right: vscode.Uri | undefined];

async function sidesOf(server: Server, documents: Documents, session: string, tree: Tree, file: FileDiff): Promise<Sides> {
  const root = vscode.Uri.file(tree.path);
  const now = vscode.Uri.joinPath(root, file.path);
  const label = vscode.Uri.joinPath(vscode.Uri.file(tree.repository ?? tree.path), file.path);
  if (file.status === "A") {
    return [label, undefined, now];
  }
  const left = documents.beside(vscode.Uri.joinPath(root, file.oldPath ?? file.path), session, await before(server, session, now, file));
  return [label, left, file.status === "D" ? undefined : now];
}

/** before is the text that a file had when the session started. Only the new text and the difference are at hand. */
async function before(server: Server, session: string, now: vscode.Uri, file: FileDiff): Promise<string> {
  if (file.binary) {
    return "";
  }
  const { files } = await server.request("session/diff", { session, path: file.path });
  const hunks = files.find((f) => f.path === file.path)?.hunks ?? [];
  const text = file.status === "D" ? "" : new TextDecoder().decode(await vscode.workspace.fs.readFile(now));
  try {
    return unpatch(text, hunks);
  } catch (err) {
    throw new Error(`show changes of ${file.path}: ${message(err)}. The file is being changed: try again.`);
  }
}
