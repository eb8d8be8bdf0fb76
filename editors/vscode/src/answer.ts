import * as vscode from "vscode";
import { deniedFirst } from "./options";
import type { OptionID } from "./protocol";
import { title, type Prompt, type Prompts } from "./prompts";
import { command, visible } from "./text";

interface Choice extends vscode.QuickPickItem {
  option?: OptionID;
  answer?: string;
  /** reason asks for a text: why it is denied, or the answer itself. */
  reason?: boolean;
}

/** ask lets the person answer a prompt with the keyboard. It closes by itself when the prompt is withdrawn, and closing it is no answer. */
export async function ask(prompts: Prompts, prompt: Prompt): Promise<void> {
  const choice = await pick(prompts, prompt);
  if (!choice) {
    return;
  }
  const text = choice.reason ? await reason(prompt) : undefined;
  if (choice.reason && !text) {
    return;
  }
  const answer = choice.answer ?? text;
  const first = choice.option ? prompts.choose(prompt.key, choice.option, text) : answer !== undefined && prompts.say(prompt.key, answer);
  if (!first) {
    late();
  }
}

/** late says that an answer came to nothing. */
export function late(): void {
  void vscode.window.showInformationMessage("This was answered already, or is no longer asked.");
}

function pick(prompts: Prompts, prompt: Prompt): Promise<Choice | undefined> {
  const box = vscode.window.createQuickPick<Choice>();
  box.title = title(prompt);
  box.placeholder = prompt.kind === "permission" ? visible(command(prompt.params.argv ?? [])) || (prompt.params.path ?? "") : prompt.params.text;
  box.items = choices(prompt);
  box.ignoreFocusOut = true;
  return new Promise((resolve) => {
    const gone = prompts.changed.on(() => {
      if (!prompts.find(prompt.key)) {
        box.hide();
      }
    });
    box.onDidAccept(() => {
      resolve(box.selectedItems[0]);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined);
      gone.dispose();
      box.dispose();
    });
    box.show();
  });
}

function choices(prompt: Prompt): Choice[] {
  if (prompt.kind === "question") {
    const typed: Choice[] = prompt.params.freeText ? [{ label: "$(edit) Answer in your own words…", reason: true }] : [];
    return [...prompt.params.choices.map((answer) => ({ label: answer, answer })), ...typed];
  }
  const why: Choice = { label: "$(comment) Deny, and say why…", option: "deny", reason: true };
  const options = deniedFirst(prompt.params.options).map((o): Choice => ({ label: `${icon(o.id)} ${o.label}`, option: o.id, ...(o.prefix ? { detail: command(o.prefix) } : {}) }));
  return [...options, why];
}

function icon(option: OptionID): string {
  return option.startsWith("deny") ? "$(circle-slash)" : "$(check)";
}

function reason(prompt: Prompt): Thenable<string | undefined> {
  const what = prompt.kind === "permission" ? "Why not? The model reads it." : prompt.params.text;
  return vscode.window.showInputBox({ title: title(prompt), prompt: what, ignoreFocusOut: true });
}
