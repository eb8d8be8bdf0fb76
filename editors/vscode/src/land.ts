import * as vscode from "vscode";
import { chooseParts } from "./choose";
import type { Parts } from "./commands";
import { conflictsOf, meet } from "./conflict";
import { form, type Step } from "./landform";
import type { LandParams, LandResult, Strategy } from "./protocol";
import { detail, message } from "./server";
import { count } from "./text";
import { how, landedAt, names } from "./words";

/** Plan is what the person has decided so far about a landing; what is absent is left to the server. */
export type Plan = Omit<LandParams, "session" | "preview">;

/** land shows what would land, lets everything about it be changed, and lands it when the person says so. */
export async function land(p: Parts, session: string): Promise<void> {
  try {
    await decide(p, session);
  } catch (err) {
    if (detail(err)?.reason === "nothing_to_land") {
      void vscode.window.showInformationMessage("Everything of this session has landed already.");
      return;
    }
    if (conflictsOf(err).length === 0) {
      throw err;
    }
    await meet(p, session, err);
  }
}

/** decide goes round: a preview, a decision, the next preview, until it lands or the person leaves it. */
async function decide(p: Parts, session: string): Promise<void> {
  let preview = await ask(p, session, { preview: true });
  let plan = keep({}, preview);
  for (;;) {
    const step = await form(preview, plan);
    if (step === undefined) {
      return;
    }
    if (step === "land") {
      return move(p, session, plan, preview);
    }
    if (step === "changes") {
      await vscode.commands.executeCommand("nodwyn.changes", p.desk.summary(session));
      return;
    }
    const next = await change(p, session, step, plan, preview);
    try {
      preview = next === plan ? preview : await ask(p, session, { ...next, preview: true });
      plan = keep(next, preview);
    } catch (err) {
      // The landing as it stood before is still there to be made.
      await vscode.window.showErrorMessage(message(err), { modal: true });
    }
  }
}

/** keep holds on to a message, so that it is thought of once. */
function keep(plan: Plan, { message: proposed }: LandResult): Plan {
  return plan.message === undefined && proposed !== "" ? { ...plan, message: proposed } : plan;
}

function ask({ server }: Parts, session: string, params: Omit<LandParams, "session">): Promise<LandResult> {
  const title = params.preview ? "Looking at what would land" : "Landing";
  return Promise.resolve(vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () =>
    server.inSession(session, () => server.request("session/land", { session, ...params }))));
}

/** change asks for one thing of a landing. Whoever leaves the question leaves it as it was. */
async function change(p: Parts, session: string, step: Step, plan: Plan, preview: LandResult): Promise<Plan> {
  switch (step) {
    case "message":
      return reword(plan, preview.message);
    case "strategy":
      return restrategize(plan, preview.strategy);
    case "into": {
      const into = await name("The branch to land in", preview.into);
      return into ? { ...plan, into } : plan;
    }
    case "parts": {
      const choice = await chooseParts(p, session, plan);
      return choice ? { ...without(plan), ...choice } : plan;
    }
    default:
      return plan;
  }
}

/** without forgets what was chosen before. */
function without(plan: Plan): Plan {
  const rest = { ...plan };
  delete rest.paths;
  delete rest.hunks;
  return rest;
}

/** reword asks for the first line of the commit message; the rest of it stays. */
async function reword(plan: Plan, proposed: string): Promise<Plan> {
  const [subject = "", ...rest] = proposed.split("\n");
  const changed = await vscode.window.showInputBox({ title: "Land", prompt: "The first line of the commit message", value: subject, ignoreFocusOut: true });
  return changed ? { ...plan, message: [changed, ...rest].join("\n") } : plan;
}

async function restrategize(plan: Plan, current: Strategy): Promise<Plan> {
  const items = (Object.keys(how) as Strategy[]).map((strategy) => ({ label: `${strategy === current ? "$(check)" : "$(blank)"} ${how[strategy].label}`, detail: how[strategy].detail, strategy }));
  const strategy = (await vscode.window.showQuickPick(items, { title: "How should it land?", matchOnDetail: true }))?.strategy;
  if (strategy === undefined || strategy === current) {
    return plan;
  }
  const { into, ...rest } = plan;
  if (strategy !== "branch") {
    // The name of a branch of its own is no target of the other strategies.
    return { ...rest, strategy, ...(current !== "branch" && into !== undefined ? { into } : {}) };
  }
  const branch = await name("The name of the branch, which may be new", "");
  return branch ? { ...rest, strategy, into: branch } : plan;
}

function name(prompt: string, value: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({ title: "Land", prompt, value, ignoreFocusOut: true, validateInput: (text) => text.trim() === "" ? "A branch has a name." : undefined });
}

async function move(p: Parts, session: string, plan: Plan, preview: LandResult): Promise<void> {
  if (!(await saved(preview))) {
    return;
  }
  const landed = await ask(p, session, plan);
  p.work.touch(session);
  const choice = await vscode.window.showInformationMessage(done(landed), "Take Back");
  if (choice) {
    await unland(p, session);
  }
}

/** saved sees to edits that are in no file yet: the landing would change the file beneath them. */
async function saved({ checkout, files }: LandResult): Promise<boolean> {
  const touched = new Set(checkout === undefined ? [] : files.map((f) => vscode.Uri.joinPath(vscode.Uri.file(checkout), f.path).toString()));
  const dirty = vscode.workspace.textDocuments.filter((doc) => doc.isDirty && touched.has(doc.uri.toString()));
  if (dirty.length === 0) {
    return true;
  }
  const paths = names(dirty.map((doc) => ({ path: vscode.workspace.asRelativePath(doc.uri) })));
  const choice = await vscode.window.showWarningMessage(`${paths} ${dirty.length === 1 ? "has" : "have"} edits here that are not saved, and the landing changes ${dirty.length === 1 ? "this file" : "these files"} too.`,
    { modal: true, detail: "Saved edits stay beside what lands, where the two do not meet in the same lines." }, "Save and Land");
  return choice !== undefined && (await Promise.all(dirty.map((doc) => doc.save()))).every(Boolean);
}

function done(landed: LandResult): string {
  const files = count(landed.files.length, "file");
  if (landed.strategy === "patch") {
    return `${files} of your checkout ${landed.files.length === 1 ? "has" : "have"} the work now, uncommitted.`;
  }
  const push = landed.push === undefined ? "" : landed.push.pushed ? ` It is pushed to ${landed.push.remote ?? "the remote"}.` : ` It is not pushed: ${landed.push.reason ?? "nobody said why"}.`;
  return `Landed ${files} in ${landed.into} as ${landed.commit?.slice(0, 8) ?? ""}.${push}`;
}

/** unland takes the last landing back. */
export async function unland({ server, work, desk }: Parts, session: string): Promise<void> {
  const landed = desk.session(session).landed;
  const what = landed ? `Take back what landed ${landedAt(landed)}?` : "Take the last landing of this session back?";
  const goes = landed && landed.commit === undefined ? "The edits leave your checkout." : "The branch goes back to where it was, and the files of its checkout with it.";
  const sure = await vscode.window.showWarningMessage(what, { modal: true, detail: `${goes} The session keeps its work, and can land it again.` }, "Take Back");
  if (!sure) {
    return;
  }
  const back = await server.inSession(session, () => server.request("session/unland", { session }));
  work.touch(session);
  const at = back.commit === undefined ? "" : ` It is at ${back.commit.slice(0, 8)} again.`;
  void vscode.window.showInformationMessage(back.strategy === "patch" ? "Your checkout is without these edits again." : `The landing in ${back.into} is taken back.${at}`);
}
