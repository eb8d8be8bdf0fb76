import * as vscode from "vscode";
import type { LandResult } from "./protocol";
import { detail, message, type Server } from "./server";
import { count } from "./text";

/** land shows what would land, and lands it when the person confirms. showChanges is for those who want to look first. */
export async function land(server: Server, session: string, showChanges: () => Promise<void>): Promise<void> {
  try {
    const preview = await server.inSession(session, () => server.request("session/land", { session, preview: true }));
    const answer = await confirm(preview);
    if (answer === "Show Changes") {
      await showChanges();
    }
    if (answer === "Land") {
      await move(server, session, preview.message);
    }
    if (answer === "Change Message") {
      await moveAs(server, session, preview.message);
    }
  } catch (err) {
    conflict(err);
  }
}

function confirm(preview: LandResult): Thenable<string | undefined> {
  const files = preview.files.slice(0, 20).map((f) => `${f.status} ${f.path}  +${f.insertions} −${f.deletions}`);
  const rest = preview.files.length - files.length;
  const more = rest > 0 ? [`and ${count(rest, "more file")}`] : [];
  const text = [`“${preview.message.trim()}”`, "", ...files, ...more].join("\n");
  return vscode.window.showInformationMessage(`Land ${count(preview.files.length, "file")} in ${preview.into}?`, { modal: true, detail: text }, "Land", "Change Message", "Show Changes");
}

/** moveAs asks for the first line of the commit message; the rest of it stays. */
async function moveAs(server: Server, session: string, proposed: string): Promise<void> {
  const [subject = "", ...rest] = proposed.split("\n");
  const changed = await vscode.window.showInputBox({ title: "Land", prompt: "The first line of the commit message", value: subject, ignoreFocusOut: true });
  if (changed) {
    await move(server, session, [changed, ...rest].join("\n"));
  }
}

async function move(server: Server, session: string, text: string): Promise<void> {
  const landed = await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title: "Landing" }, () =>
    server.inSession(session, () => server.request("session/land", { session, message: text })));
  const commit = landed.commit?.slice(0, 8) ?? "";
  void vscode.window.showInformationMessage(`Landed ${count(landed.files.length, "file")} in ${landed.into} as ${commit}.`);
}

/** conflict says what is in the way of a landing. Other errors go on. */
function conflict(err: unknown): void {
  const conflicts = detail(err)?.conflicts;
  if (!conflicts?.length) {
    throw err;
  }
  const files = conflicts.map((c) => `${c.path}: ${c.kind}`).join("\n");
  void vscode.window.showErrorMessage(message(err), { modal: true, detail: files });
}
