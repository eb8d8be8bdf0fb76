import * as vscode from "vscode";
import type { Plan } from "./land";
import type { LandResult } from "./protocol";
import { count } from "./text";
import { changed, how, stat } from "./words";

/** Step is what a person can do with a landing that they look at. */
export type Step = "land" | "message" | "strategy" | "into" | "parts" | "changes" | "look";

type Row = vscode.QuickPickItem & { step?: Step };

const shown = 12;

/** form shows a landing as it would be. Enter lands it; everything else is a row below. Without an answer nothing happens. */
export async function form(preview: LandResult, plan: Plan): Promise<Step | undefined> {
  for (;;) {
    const row = await vscode.window.showQuickPick(rows(preview, plan), { title: heading(preview), placeHolder: "Enter lands it. Choose a row below to change something first.", ignoreFocusOut: true });
    if (row?.step !== "look") {
      return row?.step;
    }
  }
}

function heading({ files, into, strategy }: LandResult): string {
  return strategy === "patch" ? `Put ${count(files.length, "file")} into your checkout?` : `Land ${count(files.length, "file")} in ${into}?`;
}

function rows(preview: LandResult, plan: Plan): Row[] {
  const { files, into, strategy } = preview;
  const [subject = ""] = preview.message.split("\n");
  const commits = strategy !== "patch";
  const first = commits ? `$(git-merge) Land in ${into}` : "$(edit) Put into the checkout, uncommitted";
  const chosen = plan.paths ?? plan.hunks ? [plan.paths ? count(plan.paths.length, "file") : "", plan.hunks ? count(plan.hunks.length, "hunk") : ""].filter(Boolean).join(" and ") : "everything";
  return [
    { label: first, description: commits ? how[strategy].detail : "no commit", step: "land" },
    rule("change first"),
    ...(commits ? [{ label: "$(edit) Message", description: subject, step: "message" } as const] : []),
    { label: "$(git-commit) Strategy", description: how[strategy].label, step: "strategy" },
    { label: "$(git-branch) Branch", description: into, step: "into" },
    { label: "$(checklist) What lands", description: chosen, step: "parts" },
    { label: "$(diff-multiple) Show changes", description: "", step: "changes" },
    rule("good to know"),
    ...facts(preview).map((label): Row => ({ label, step: "look" })),
    rule(count(files.length, "file")),
    ...files.slice(0, shown).map((f): Row => ({ label: stat(f), description: changed(f), step: "look" })),
    ...(files.length > shown ? [{ label: `and ${count(files.length - shown, "more file")}`, step: "look" } as const] : []),
  ];
}

/** facts are what the person's git configuration makes of a landing. */
function facts({ author, signing, hooks, checkout, push, strategy }: LandResult): string[] {
  const out: string[] = [];
  if (author) {
    out.push(`$(account) By ${author}, ${signing ? `signed (${signing})` : "not signed"}`);
  }
  if (checkout && strategy !== "patch") {
    out.push(`$(folder-opened) The files in ${checkout} move with it`);
  }
  if (hooks?.length) {
    out.push(`$(circle-slash) Your hooks do not run: ${hooks.join(", ")}`);
  }
  if (push) {
    out.push(push.remote ? `$(cloud-upload) You are asked before it is pushed to ${push.remote}${push.url ? ` (${push.url})` : ""}` : `$(cloud) Not pushed: ${push.reason ?? "there is no remote"}`);
  }
  return out;
}

function rule(label: string): Row {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}
