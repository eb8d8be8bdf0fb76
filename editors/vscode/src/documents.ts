import * as vscode from "vscode";
import type { Disposable } from "./signal";

/** scheme is that of the documents which only show something: the former text of a file, a change, a transcript. */
export const scheme = "nodwyn";

/** Documents holds read-only texts for as long as an editor shows them. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts: Disposable[];

  constructor() {
    this.parts = [
      this.changed,
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument((doc) => this.texts.delete(doc.uri.toString())),
    ];
  }

  /** put gives a text its address. The last part of the name decides on the colours and on the title of the tab. */
  put(session: string, about: string, name: string, text: string): vscode.Uri {
    return this.keep(vscode.Uri.from({ scheme, path: `/${session}/${about}/${name}` }), text);
  }

  /** beside gives a text the path of a file that it is compared with: the same path is what tells a change from a renaming. */
  beside(file: vscode.Uri, session: string, text: string): vscode.Uri {
    return this.keep(file.with({ scheme, query: session }), text);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }

  private keep(uri: vscode.Uri, text: string): vscode.Uri {
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }
}
