import * as vscode from "vscode";
import type { Parts } from "./commands";
import { openAll } from "./open";
import type { FileConflict } from "./protocol";
import { detail, message } from "./server";
import { resolve, sync } from "./sync";
import { count } from "./text";
import { headline, obstacle, remedies } from "./words";

/** conflictsOf are the files in the way that an error names. */
export function conflictsOf(err: unknown): FileConflict[] {
  return detail(err)?.conflicts ?? [];
}

/** meet says what is in the way of a landing, and does about it what the person chooses. */
export async function meet(p: Parts, session: string, err: unknown): Promise<void> {
  const conflicts = conflictsOf(err);
  const choice = await say(p, err, remedies(conflicts));
  switch (choice) {
    case "Sync":
      return sync(p, session);
    case "Let the Agent Resolve":
      return resolve(p, session, conflicts.filter((c) => c.kind === "unresolved").map((c) => c.path));
    case "Land Again":
      await vscode.commands.executeCommand("nodwyn.land", p.desk.summary(session));
      return;
    case "Open Files":
      return openAll(p, session, conflicts);
    case undefined:
      return;
  }
}

/** say shows a conflict in a person's words. Those of the server go to the log: they are for a reader without buttons. */
export function say<T extends string>({ server }: Parts, err: unknown, actions: T[]): Thenable<T | undefined> {
  const conflicts = conflictsOf(err);
  server.log.info(message(err));
  const lines = conflicts.slice(0, listed).map(obstacle);
  const rest = conflicts.length - lines.length;
  return vscode.window.showErrorMessage(headline(conflicts), { modal: true, detail: [...lines, ...(rest > 0 ? [`and ${count(rest, "more file")}`] : []), "", "Nothing was changed."].join("\n") }, ...actions);
}

/** listed is how many files a dialog names. */
const listed = 12;
