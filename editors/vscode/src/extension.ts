import * as vscode from "vscode";
import { CarryOffer } from "./carry";
import { act, register, tell, type Parts } from "./commands";
import { Course } from "./course";
import { Desk } from "./desk";
import { Documents } from "./documents";
import { Notices } from "./notices";
import { Prompts } from "./prompts";
import { Server, type Phase } from "./server";
import { StatusItem } from "./status";
import { Threads } from "./thread";
import { SessionsTree } from "./tree";
import { SessionView } from "./view";
import { WaitingTree } from "./waiting";
import { Work } from "./work";

let running: Server | undefined;

/** activate builds the surfaces, and starts the server if the workspace is trusted. */
export function activate(context: vscode.ExtensionContext): void {
  const prompts = new Prompts();
  const server = new Server(context.extensionUri, {
    "ask session/requestPermission": (params, token) => withdrawable(prompts, params, token, prompts.permission(params)),
    "ask session/ask": (params, token) => withdrawable(prompts, params, token, prompts.question(params)),
    "on session/promptResolved": (params) => { prompts.withdraw(params); },
    "on session/event": (params) => desk.event(params),
    "on session/delta": (params) => desk.delta(params),
    "on session/card": (params) => desk.card(params),
    "on session/status": (params) => desk.status(params),
  });
  const desk = new Desk(server, context.workspaceState);
  const course = new Course(server, desk);
  const work = new Work(server, desk);
  const carry = new CarryOffer(server, desk);
  const documents = new Documents();
  const view: SessionView = new SessionView(context.extensionUri, { server, desk, prompts, course, work, carry }, (message) => void tell(server, () => act(parts, message)));
  const threads = new Threads(desk, documents, prompts, () => view.watched);
  const parts: Parts = { extension: context.extensionUri, server, desk, course, work, carry, prompts, documents, threads, view };
  running = server;
  context.subscriptions.push(
    server, course, work, carry, documents, view, threads, register(parts),
    new SessionsTree(desk, prompts, work), new WaitingTree(desk, prompts), new StatusItem(server, desk, prompts), new Notices(desk, prompts, view),
    prompts.changed.on(() => void setContext("waiting", prompts.all().length)),
    desk.onChange(({ what }) => what !== "preview" && void Promise.all([setContext("selected", desk.selected !== undefined), placed(desk)])),
    vscode.window.onDidChangeActiveTextEditor(() => void placed(desk)),
    server.onPhase((phase) => void tell(server, () => entered(parts, phase))),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.start()),
    vscode.workspace.onDidChangeWorkspaceFolders(() => server.phase === "running" ? desk.refresh() : server.start()),
  );
  void server.start();
}

/** deactivate lets the server end in order: running turns are cancelled and recorded. */
export async function deactivate(): Promise<void> {
  await running?.stop();
}

/** withdrawable takes the prompt back when the server cancels its request. */
function withdrawable<T>(prompts: Prompts, params: { session?: string; promptId: string }, token: vscode.CancellationToken, answer: Promise<T>): Promise<T> {
  token.onCancellationRequested(() => prompts.withdraw(params));
  return answer;
}

/** entered follows the server: what an old one asked is void, and what a new one knows is asked for. */
async function entered({ desk, prompts }: Parts, phase: Phase): Promise<void> {
  await setContext("phase", phase);
  if (phase !== "running") {
    prompts.clear();
    desk.lost();
    return;
  }
  await desk.refresh();
  await desk.select(desk.selected);
}

/** placed says whether the editor in front shows a file of a session's. */
function placed(desk: Desk): Thenable<unknown> {
  const file = vscode.window.activeTextEditor?.document.uri.fsPath;
  return setContext("inTree", file !== undefined && desk.owner(file) !== undefined);
}

function setContext(key: string, value: unknown): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `nodwyn.${key}`, value);
}
