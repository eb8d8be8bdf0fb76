import * as path from "node:path";
import type { PermissionParams, Range } from "./protocol";

/** mirrored returns the person's own file that a file of a session stands for. */
export function mirrored(file: string, tree: { path: string; repository?: string } | undefined): string {
  if (tree?.repository === undefined) {
    return file;
  }
  const within = path.relative(tree.path, file);
  const outside = within.startsWith("..") || path.isAbsolute(within);
  return outside ? file : path.join(tree.repository, within);
}

/** folder says in words where a command runs. */
export function folder(cwd: string, tree: { path: string; repository?: string } | undefined): string {
  const within = tree?.repository === undefined ? ".." : path.relative(tree.path, cwd);
  if (within.startsWith("..") || path.isAbsolute(within)) {
    return cwd;
  }
  return within === "" ? "the session's worktree" : `${within} in the session's worktree`;
}

/** lines returns the first and last line of a change, in a file that may be shorter than the one the server looked at. */
export function lines(range: Range | undefined, count: number): [first: number, last: number] {
  const end = Math.max(0, count - 1);
  const first = Math.min(range?.start.line ?? 0, end);
  // A range that ends where a line begins does not reach into that line.
  const last = range ? range.end.line - (range.end.character === 0 ? 1 : 0) : first;
  return [first, Math.max(first, Math.min(last, end))];
}

/** added returns the text that a change gives to a file that is not there yet. */
export function added(diff: string): string {
  return diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++ ")).map((line) => line.slice(1)).join("\n");
}

/** isNew says that a permission is for a file that is not there yet. */
export function isNew(params: PermissionParams): boolean {
  return params.diff?.startsWith("--- /dev/null\n") ?? false;
}
