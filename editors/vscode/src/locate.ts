import * as path from "node:path";
import { accessSync, constants } from "node:fs";
import * as vscode from "vscode";

/**
 * locate finds the program: the one that the settings name, else the one that came with the extension, else the one on the PATH. The setting has the scope of the machine, so that no repository can name a program of its own.
 */
export function locate(extension: vscode.Uri): string {
  const named = vscode.workspace.getConfiguration("nodwyn").get("serverPath", "").trim();
  if (named) {
    if (!path.isAbsolute(named) || !runs(named)) {
      throw new Error(`the setting nodwyn.serverPath names ${JSON.stringify(named)}, which is not the absolute path of a program. Correct it or clear it, then restart the server.`);
    }
    return named;
  }
  const name = process.platform === "win32" ? "nodwyn.exe" : "nodwyn";
  const places = [path.join(extension.fsPath, "bin"), ...(process.env["PATH"] ?? "").split(path.delimiter)];
  // A relative folder on the PATH would mean one of the repository's.
  const found = places.filter((place) => path.isAbsolute(place)).map((place) => path.join(place, name)).find(runs);
  if (!found) {
    throw new Error("there is no program called nodwyn on the PATH. Install it, or name it in the setting nodwyn.serverPath, then restart the server.");
  }
  return found;
}

function runs(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
