import * as vscode from "vscode";
import { ask, late } from "./answer";
import type { CarryOffer } from "./carry";
import { showChange, showChanges } from "./changes";
import type { Course } from "./course";
import { repositories, type Desk } from "./desk";
import type { Documents } from "./documents";
import { land, unland } from "./land";
import { locate } from "./locate";
import type { Mode, Summary } from "./protocol";
import type { Prompt, Prompts } from "./prompts";
import { goBack, here, revertFile, revertHunk, undoRevert } from "./revert";
import { cutOff, detail, message, type Server } from "./server";
import { sync, undoSync } from "./sync";
import type { Threads } from "./thread";
import { isFile, type FileRow } from "./tree";
import type { SessionView } from "./view";
import type { FromPage } from "./webview/messages";
import type { Work } from "./work";

/** Parts is what the commands act on. */
export interface Parts {
  extension: vscode.Uri;
  server: Server;
  desk: Desk;
  course: Course;
  work: Work;
  carry: CarryOffer;
  prompts: Prompts;
  documents: Documents;
  threads: Threads;
  view: SessionView;
}

/** register makes the commands. What goes wrong in one of them is said in the words of the server. */
export function register(p: Parts): vscode.Disposable {
  const all: Record<string, (...args: never[]) => unknown> = { ...sessionCommands(p), ...workCommands(p), ...promptCommands(p), ...serverCommands(p) };
  return vscode.Disposable.from(...Object.entries(all).map(([name, run]) =>
    vscode.commands.registerCommand(`nodwyn.${name}`, (...args: unknown[]) => tell(p.server, async () => { await (run as (...args: unknown[]) => unknown)(...args); }))));
}

/** tell runs something and shows its error, if it has one. */
export async function tell(server: Server, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (err) {
    server.log.error(err instanceof Error ? err : String(err));
    const place = detail(err)?.file;
    const choice = await vscode.window.showErrorMessage(message(err), ...(place ? ["Open File"] : []));
    if (choice && place) {
      const line = Math.max(0, (detail(err)?.line ?? 1) - 1);
      await vscode.window.showTextDocument(vscode.Uri.file(place), { selection: new vscode.Range(line, 0, line, 0) });
    }
  }
}

/** act does what the page of the session view asks for. */
export async function act(p: Parts, message: FromPage): Promise<void> {
  switch (message.type) {
    case "prompt":
      return prompt(p, message.text, message.mode, message.carry);
    case "choose":
      return p.prompts.choose(message.key, message.option, message.note) ? undefined : late();
    case "say":
      return p.prompts.say(message.key, message.answer) ? undefined : late();
    case "detach":
      return p.desk.detach(message.index);
    case "steer":
      return p.course.steer(message.text);
    case "edit":
      return p.course.edit(message.id);
    case "drop":
      return p.course.drop(message.id);
    case "output":
      return p.course.open(message.call);
    case "back":
      return goBack(p, p.desk.selected ?? "", message.nth);
    case "action":
      await vscode.commands.executeCommand(`nodwyn.${message.action}`);
      return;
    case "ready":
    case "focused":
      return;
  }
}

async function prompt(p: Parts, text: string, mode: Mode, carry: boolean): Promise<void> {
  // A session that exists works where it works.
  const repo = p.desk.selected === undefined ? await repository() : repositories()[0];
  try {
    if (!repo) {
      throw new Error("Nothing was sent: no folder was chosen to work in.");
    }
    await p.desk.prompt(text, mode, repo, carry);
  } catch (err) {
    if (!cutOff(err)) {
      p.view.giveBack(text);
    }
    throw err;
  }
}

/** repository is where a new session works; the person is asked only when there is a choice. */
async function repository(): Promise<vscode.Uri | undefined> {
  const all = repositories();
  if (all.length < 2) {
    return all[0];
  }
  const items = all.map((uri) => ({ label: vscode.workspace.getWorkspaceFolder(uri)?.name ?? uri.fsPath, description: uri.fsPath, uri }));
  return (await vscode.window.showQuickPick(items, { title: "Which folder should the session work in?" }))?.uri;
}

/** naming finds the session that a command is about: that of a row, else the one in front. */
function naming({ desk }: Parts): (row?: { session: string }) => string {
  return (row) => {
    const id = row?.session ?? desk.selected;
    if (id === undefined) {
      throw new Error("There is no session in front: open one from the list, or ask for something.");
    }
    return id;
  };
}

function sessionCommands(p: Parts) {
  const { server, desk, view } = p;
  const named = naming(p);
  return {
    focus: () => view.focus(),
    newSession: async () => { await desk.select(undefined); await view.focus(); },
    openSession: async (row: Summary) => { await desk.select(row.session); await view.focus(); },
    askSelection: () => attachSelection(p),
    cancel: (row?: Summary) => server.request("session/cancel", { session: named(row) }),
    continue: (row?: Summary) => desk.resume(named(row)),
    doIt: (row?: Summary) => desk.carryOut(named(row)),
    check: (row?: Summary) => p.course.during(check(server, named(row))),
    rename: (row?: Summary) => rename(p, named(row)),
    close: (row?: Summary) => close(p, named(row)),
    transcript: (row?: Summary) => transcript(p, named(row)),
    openWorktree: (row?: Summary) => vscode.commands.executeCommand("vscode.openFolder", tree(p, named(row)), { forceNewWindow: true }),
    openTerminal: (row?: Summary) => vscode.window.createTerminal({ name: "nodwyn worktree", cwd: tree(p, named(row)) }).show(),
    refresh: () => desk.refresh(),
    loadMore: () => desk.loadMore(),
  };
}

/** workCommands are about the files of a session: looking at them, taking them back, bringing them home. */
function workCommands(p: Parts) {
  const { server, desk, documents } = p;
  const named = naming(p);
  return {
    changes: (row?: Summary) => showChanges(server, desk, documents, named(row)),
    openChange: ({ session, file }: FileRow) => showChange(server, desk, documents, session, file),
    land: (row?: Summary) => land(p, named(row)),
    unland: (row?: Summary) => unland(p, named(row)),
    sync: (row?: Summary) => sync(p, named(row)),
    undoSync: (row?: Summary) => undoSync(p, named(row)),
    // An editor's menu hands over the address of its file, which the editor in front has too.
    revertFile: (row?: unknown) => revertFile(p, isFile(row) ? { session: row.session, path: row.file.path } : here(p)),
    revertHunk: () => revertHunk(p),
    undoRevert: (row?: Summary) => undoRevert(p, named(row)),
    goBack: (row?: Summary) => goBack(p, named(row)),
  };
}

/** check runs all checks of the project, those too that run only when they are asked for. */
async function check(server: Server, session: string): Promise<void> {
  const { items, failed } = await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: "Running the checks", cancellable: true }, (_, token) => {
    token.onCancellationRequested(() => void tell(server, async () => { await server.request("session/cancel", { session }); }));
    return server.inSession(session, () => server.request("session/proof", { session, rerun: true }));
  });
  if (failed.length > 0) {
    void vscode.window.showWarningMessage(`These checks failed: ${failed.join(", ")}.`);
    return;
  }
  const passed = items.filter((item) => item.outcome === "passed").length;
  void vscode.window.showInformationMessage(items.length === 0 ? "This project has no checks." : `${passed} of ${items.length} checks passed.`);
}

async function attachSelection(p: Parts): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor) {
    throw new Error("There is no editor to take a selection from.");
  }
  const { document, selection } = editor;
  const name = vscode.workspace.asRelativePath(document.uri, false);
  const { start, end } = selection;
  const whole = selection.isEmpty;
  p.desk.attach(whole ? name : `${name}:${start.line + 1}-${end.line + 1}`, whole
    ? { type: "file", path: name, text: document.getText() }
    : { type: "selection", path: name, text: document.getText(selection), range: { start: { line: start.line, character: start.character }, end: { line: end.line, character: end.character } } });
  await p.view.focus();
}

async function rename(p: Parts, session: string): Promise<void> {
  const title = await vscode.window.showInputBox({ title: "Rename Session", value: p.desk.summary(session)?.title ?? "" });
  if (title !== undefined) {
    await p.server.inSession(session, () => p.server.request("session/title", { session, title }));
    await p.desk.refresh();
  }
}

async function close(p: Parts, session: string): Promise<void> {
  const { worktreeRemoved, unlanded } = await p.server.inSession(session, () => p.server.request("session/close", { session }));
  await p.desk.select(undefined);
  await p.desk.refresh();
  const kept = unlanded.length > 0 ? ` Its worktree is kept, since this has not landed: ${unlanded.join(", ")}.` : "";
  void vscode.window.showInformationMessage(`The session is closed.${kept}${worktreeRemoved ? " Its worktree is removed." : ""}`);
}

async function transcript(p: Parts, session: string): Promise<void> {
  const { text } = await p.server.request("session/transcript", { session });
  await vscode.window.showTextDocument(p.documents.put(session, "transcript", "transcript.txt", text), { preview: true });
}

function tree(p: Parts, session: string): vscode.Uri {
  const path = p.desk.tree(session)?.path;
  if (path === undefined) {
    throw new Error("It is not known where this session works: refresh the list of sessions and try again.");
  }
  return vscode.Uri.file(path);
}

function promptCommands(p: Parts) {
  const { prompts, threads } = p;
  const first = (key: string | undefined, answer: (key: string) => boolean): void => {
    if (key === undefined || !answer(key)) {
      late();
    }
  };
  return {
    answer: async () => {
      const [oldest] = prompts.all();
      if (!oldest) {
        void vscode.window.showInformationMessage("Nothing waits for you.");
        return;
      }
      await ask(prompts, oldest);
    },
    // A row that goes while it is clicked gives no prompt.
    answerPrompt: (prompt?: Prompt) => (prompt ? ask(prompts, prompt) : late()),
    showPrompt: async (prompt?: Prompt) => {
      if (!prompt) {
        return late();
      }
      if (await threads.reveal(prompt.key, false)) {
        return;
      }
      await p.desk.select(prompt.params.session ?? p.desk.selected);
      await p.view.focus();
    },
    allowPrompt: (prompt?: Prompt) => first(prompt?.key, (key) => prompts.choose(key, "allow_once")),
    denyPrompt: (prompt?: Prompt) => first(prompt?.key, (key) => prompts.choose(key, "deny")),
    allowThread: async (thread: vscode.CommentThread) => first(await threads.keyOf(thread), (key) => prompts.choose(key, "allow_once")),
    denyThread: async (thread: vscode.CommentThread) => first(await threads.keyOf(thread), (key) => prompts.choose(key, "deny")),
    denyThreadBecause: async (reply: vscode.CommentReply) => first(await threads.keyOf(reply.thread), (key) => prompts.choose(key, "deny", reply.text)),
    answerThread: async (thread: vscode.CommentThread) => {
      const prompt = prompts.find((await threads.keyOf(thread)) ?? "");
      await (prompt ? ask(prompts, prompt) : late());
    },
  };
}

function serverCommands(p: Parts) {
  const terminal = (command: string): void => {
    vscode.window.createTerminal({ name: `nodwyn ${command}`, shellPath: locate(p.extension), shellArgs: [command] }).show();
  };
  return {
    showLog: () => p.server.log.show(),
    restart: () => p.server.restart(),
    setup: () => terminal("setup"),
    storeKey: () => storeKey(p.server),
    trust: () => vscode.commands.executeCommand("workbench.trust.manage"),
  };
}

/** storeKey hands a key over to the server, which keeps it. Nothing of it stays here. */
async function storeKey(server: Server): Promise<void> {
  const title = "Store a Key";
  const name = await vscode.window.showInputBox({ title, prompt: "The name by which config.toml calls it, such as anthropic", ignoreFocusOut: true });
  const value = name && (await vscode.window.showInputBox({ title, prompt: "The key. It is handed to nodwyn, and kept nowhere else.", password: true, ignoreFocusOut: true }));
  if (!name || !value) {
    return;
  }
  const { credentials } = await server.request("cred/register", { class: name, value });
  const kept = credentials.find((c) => c.class === name)?.id === "keychain" ? "the system's keychain" : "a private file";
  void vscode.window.showInformationMessage(`The key ${name} is kept in ${kept}.`);
}
