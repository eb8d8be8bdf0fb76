import * as vscode from "vscode";
import { CloseAction, ErrorAction, ErrorCodes, LanguageClient, ResponseError, State, type Executable, type LanguageClientOptions, type StaticFeature } from "vscode-languageclient/node";
import { locate } from "./locate";
import { ErrorCode, version, type ClientCapabilities, type ClientRequests, type ErrorDetail, type ResumeResult, type ServerCapabilities, type ServerNotifications, type ServerRequests } from "./protocol";

/** Phase is where the server stands. "off" means that it must not or need not run here. */
export type Phase = "off" | "starting" | "running" | "failed";

type Handlers = {
  [M in keyof ServerNotifications as `on ${M}`]: (params: ServerNotifications[M]) => void;
} & {
  [M in keyof ServerRequests as `ask ${M}`]: (params: ServerRequests[M]["params"], token: vscode.CancellationToken) => Promise<ServerRequests[M]["result"] | null>;
};

/** Server is the one "nodwyn serve" of this window. It is started once the workspace is trusted, and by nothing else. */
export class Server implements vscode.Disposable {
  private readonly phaseChanged = new vscode.EventEmitter<Phase>();
  readonly onPhase = this.phaseChanged.event;
  private readonly resumed = new vscode.EventEmitter<ResumeResult>();
  readonly onResume = this.resumed.event;
  readonly log = vscode.window.createOutputChannel("nodwyn", { log: true });
  private client: LanguageClient | undefined;
  private at: Phase = "off";

  constructor(private readonly extension: vscode.Uri, private readonly handlers: Handlers) {}

  get phase(): Phase {
    return this.at;
  }

  async start(): Promise<void> {
    if (this.client || !vscode.workspace.isTrusted || folder() === undefined) {
      return;
    }
    this.enter("starting");
    try {
      const program = locate(this.extension);
      this.client = this.connect(program);
      await this.client.start().catch((err: unknown) => {
        throw new Error(`${program} serve: ${message(err)}`);
      });
      this.check(this.client);
    } catch (err) {
      await this.drop();
      this.enter("failed");
      this.log.error(String(err));
      void this.complain(err);
    }
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.drop();
    this.enter("off");
  }

  dispose(): void {
    this.phaseChanged.dispose();
    this.resumed.dispose();
    this.log.dispose();
  }

  async request<M extends keyof ClientRequests>(method: M, params: ClientRequests[M]["params"]): Promise<ClientRequests[M]["result"]> {
    if (!this.client?.isRunning()) {
      throw new Error("The nodwyn server is not running. Use “nodwyn: Restart Server”, and see “nodwyn: Show Log” if it does not come up.");
    }
    return this.client.sendRequest(method, params);
  }

  /** inSession sends a request to a session, which is resumed first if this server does not hold it yet. */
  async inSession<T>(session: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (err) {
      if (!(err instanceof ResponseError) || err.code !== ErrorCode.NotOpen) {
        throw err;
      }
    }
    // A repository that was moved since is found where it is open now.
    const repo = folder()?.fsPath;
    this.resumed.fire(await this.request("session/resume", repo ? { session, repo } : { session }));
    return request();
  }

  private async drop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // A client that never came up cannot be stopped, and says so by throwing.
    await client?.dispose().catch((err: unknown) => this.log.debug(String(err)));
  }

  private connect(command: string): LanguageClient {
    const server: Executable = { command, args: ["serve"], options: { cwd: folder()?.fsPath ?? "" } };
    const options: LanguageClientOptions = {
      documentSelector: [{ scheme: "file" }], outputChannel: this.log,
      initializationFailedHandler: () => false,
      // The library decides on restarts, and this extension tells of them: its status item, its views and one message.
      errorHandler: {
        // A write can meet a server that has just died, which the library would take for a reason to stop. The end of the connection follows, and decides.
        error: () => quietly({ action: ErrorAction.Continue }),
        // What never came up would not come up the second time either.
        closed: async () => quietly(client.initializeResult ? await fallback.closed() : { action: CloseAction.DoNotRestart }),
      },
    };
    const client = new LanguageClient("nodwyn", "nodwyn", server, options);
    const fallback = client.createDefaultErrorHandler();
    client.registerFeature(announce({ permission: true, question: true, events: true, deltas: true, cards: true }));
    client.onDidChangeState(({ newState }) => {
      if (client === this.client) {
        this.enter(newState === State.Running ? "running" : newState === State.Starting ? "starting" : "failed");
      }
    });
    for (const [key, handler] of Object.entries(this.handlers)) {
      const [kind, method] = key.split(" ") as [string, string];
      if (kind === "on") {
        client.onNotification(method, handler as (params: unknown) => void);
      } else {
        client.onRequest(method, handler as (params: unknown, token: vscode.CancellationToken) => unknown);
      }
    }
    return client;
  }

  private check(client: LanguageClient): void {
    const experimental = client.initializeResult?.capabilities.experimental as { nodwyn?: ServerCapabilities } | undefined;
    const theirs = experimental?.nodwyn;
    if (theirs?.protocol !== version) {
      throw new Error(`The server speaks protocol ${theirs?.protocol ?? "unknown"} and this extension speaks ${version}: update the older of the two.`);
    }
    this.log.info(`nodwyn ${theirs.version} is running`);
  }

  private enter(phase: Phase): void {
    if (this.at !== phase) {
      this.at = phase;
      this.phaseChanged.fire(phase);
    }
  }

  private async complain(err: unknown): Promise<void> {
    const choice = await vscode.window.showErrorMessage(`nodwyn did not start: ${message(err)}`, "Show Log", "Settings");
    if (choice === "Show Log") {
      this.log.show();
    }
    if (choice === "Settings") {
      await vscode.commands.executeCommand("workbench.action.openSettings", "nodwyn.serverPath");
    }
  }
}

function quietly<T extends object>(result: T): T & { handled: true } {
  return { ...result, handled: true };
}

function announce(capabilities: ClientCapabilities): StaticFeature {
  return {
    fillClientCapabilities: (all) => {
      all.experimental = { ...(all.experimental as object | undefined), nodwyn: capabilities };
    },
    initialize: () => undefined,
    getState: () => ({ kind: "static" }),
    clear: () => undefined,
  };
}

/** folder is the first folder of the workspace that is on disk. */
function folder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.find((f) => f.uri.scheme === "file")?.uri;
}

/** cutOff says that a request was on its way when the server ended, and may well have been accepted. */
export function cutOff(err: unknown): boolean {
  return err instanceof ResponseError && err.code === ErrorCodes.PendingResponseRejected;
}

/** message is what an error says to a person. What comes from the server is in its words already. */
export function message(err: unknown): string {
  if (cutOff(err)) {
    return "The nodwyn server ended before it answered. What happened until then is on record: open the session and continue it.";
  }
  return err instanceof Error ? err.message : String(err);
}

/** detail is what an error of the server's says to a program. */
export function detail(err: unknown): ErrorDetail | undefined {
  return err instanceof ResponseError ? (err.data as ErrorDetail | undefined) : undefined;
}
