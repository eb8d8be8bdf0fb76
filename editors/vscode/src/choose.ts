import * as vscode from "vscode";
import type { Parts } from "./commands";
import { chosen, excerpt, isChosen, partsOf, type Choice, type Part } from "./hunks";
import type { FileDiff } from "./protocol";
import { changed, stat } from "./words";

/** apart is up to how many files are taken apart into hunks: each is a request of its own. */
const apart = 40;

/** chooseParts lets the person tick files, and the hunks of files that have several. Undefined means that they left it. */
export async function chooseParts({ server }: Parts, session: string, now: Choice): Promise<Choice | undefined> {
  const { files } = await server.request("session/diff", { session });
  const detailed = files.length > apart ? files : await Promise.all(files.map((file) => withHunks(server, session, file)));
  const all = partsOf(detailed);
  const items = all.map((part) => ({ ...row(part), part, picked: isChosen(part, now) }));
  const ticked = await vscode.window.showQuickPick(grouped(items), { title: "What should land?", placeHolder: "Tick what should land. The rest stays in the session.", canPickMany: true, ignoreFocusOut: true, matchOnDescription: true });
  const parts = ticked?.flatMap((item) => ("part" in item ? [item.part] : []));
  return parts && parts.length > 0 ? chosen(all, parts) : undefined;
}

async function withHunks(server: Parts["server"], session: string, file: FileDiff): Promise<FileDiff> {
  if (file.status !== "M" || file.binary) {
    return file;
  }
  const { files } = await server.request("session/diff", { session, path: file.path });
  return files.find((f) => f.path === file.path) ?? file;
}

function row({ file, hunk }: Part): vscode.QuickPickItem {
  return hunk ? { label: excerpt(hunk), description: hunk.header } : { label: stat(file), description: changed(file) };
}

/** grouped names the file above its hunks. */
function grouped<T extends { part: Part }>(items: T[]): (T | vscode.QuickPickItem)[] {
  return items.flatMap((item, at): (T | vscode.QuickPickItem)[] => {
    const first = item.part.hunk && items[at - 1]?.part.file !== item.part.file;
    return first ? [{ label: item.part.file.path, kind: vscode.QuickPickItemKind.Separator }, item] : [item];
  });
}
