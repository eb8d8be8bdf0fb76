import * as vscode from "vscode";
import type { Desk } from "./desk";
import { title, type Prompt, type Prompts } from "./prompts";
import type { Disposable } from "./signal";
import { command, fence, visible } from "./text";

/** WaitingTree lists what waits for the person. It is there whatever else is closed, hidden or scrolled away. */
export class WaitingTree implements vscode.TreeDataProvider<Prompt>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private readonly parts: Disposable[];
  /** shown are the keys that the rows have. */
  private shown = "";

  constructor(private readonly desk: Desk, private readonly prompts: Prompts) {
    this.parts = [
      this.changed,
      vscode.window.registerTreeDataProvider("nodwyn.waiting", this),
      prompts.changed.on(() => this.draw()),
    ];
  }

  getChildren(): Prompt[] {
    this.shown = keys(this.prompts);
    return this.prompts.all();
  }

  /** draw leaves rows alone that are right: while they are drawn again, a click on one of them goes nowhere. */
  private draw(): void {
    if (keys(this.prompts) !== this.shown) {
      this.changed.fire(undefined);
    }
  }

  getTreeItem(prompt: Prompt): vscode.TreeItem {
    const item = new vscode.TreeItem(title(prompt));
    item.id = prompt.key;
    item.description = this.desk.summary(prompt.params.session ?? "")?.title ?? "";
    item.iconPath = new vscode.ThemeIcon(prompt.kind === "question" ? "question" : prompt.params.op === "exec" ? "terminal" : "edit");
    item.contextValue = prompt.kind;
    item.tooltip = tooltip(prompt);
    item.command = { command: "nodwyn.showPrompt", title: "Show", arguments: [prompt] };
    item.accessibilityInformation = { label: `${title(prompt)}, waits for an answer` };
    return item;
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }
}

const keys = (prompts: Prompts): string => prompts.all().map((prompt) => prompt.key).join("\n");

/** tooltip shows the whole of a request, since a row is cut off where it meets the edge. */
function tooltip(prompt: Prompt): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  if (prompt.kind === "question") {
    return text.appendText(prompt.params.text);
  }
  const { action, why, argv, cwd, path } = prompt.params;
  text.appendText(action);
  if (argv) {
    text.appendMarkdown(`\n\n${fence(command(argv), "sh")}\n\n`);
  }
  return text.appendText([cwd ?? path, why].filter(Boolean).map((line) => visible(line ?? "")).join("\n\n"));
}
