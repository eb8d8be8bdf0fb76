import * as vscode from "vscode";
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

let running: Server | undefined;

/** activate builds the surfaces, and starts the server if the workspace is trusted. */
export function activate(context: vscode.ExtensionContext): void {
  const prompts = new Prompts();
  const server = new Server(context.extensionUri, {
    "ask session/requestPermission": (params, token) => withdrawable(prompts, params, token, prompts.permission(params)),
    "ask session/ask": (params, token) => withdrawable(prompts, params, token, prompts.question(params)),
    "on session/promptResolved": (params) => { prompts.withdraw(params); },
    "on session/event": () => undefined,
    "on session/delta": (params) => desk.delta(params),
    "on session/card": (params) => desk.card(params),
    "on session/status": (params) => desk.status(params),
  });
  const desk = new Desk(server, context.workspaceState);
  const course = new Course(server, desk);
  const documents = new Documents();
  const view: SessionView = new SessionView(context.extensionUri, server, desk, prompts, course, (message) => void tell(server, () => act(parts, message)));
  const threads = new Threads(desk, documents, prompts, () => view.watched);
  const parts: Parts = { extension: context.extensionUri, server, desk, course, prompts, documents, threads, view };
  running = server;
  context.subscriptions.push(
    server, course, documents, view, threads, register(parts),
    new SessionsTree(desk, prompts), new WaitingTree(desk, prompts), new StatusItem(server, desk, prompts), new Notices(desk, prompts, view),
    prompts.changed.on(() => void setContext("waiting", prompts.all().length)),
    desk.onChange(() => void setContext("selected", desk.selected !== undefined)),
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

function setContext(key: string, value: unknown): Thenable<unknown> {
  return vscode.commands.executeCommand("setContext", `nodwyn.${key}`, value);
}
