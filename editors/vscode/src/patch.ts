import type { Hunk } from "./protocol";

/**
 * unpatch takes the changes of a diff out of a text, which gives the text before them. It throws when the two do not fit, as when the text has changed since.
 */
export function unpatch(text: string, hunks: Hunk[]): string {
  const lines = text.split("\n");
  const out: string[] = [];
  let at = 0;
  for (const hunk of hunks) {
    const start = startOf(hunk);
    if (start < at) {
      throw new Error("the hunks overlap");
    }
    out.push(...lines.slice(at, start));
    at = start;
    for (const [mark, line] of marked(hunk)) {
      if (mark !== "-") {
        expect(lines[at], line, at);
        at++;
      }
      if (mark !== "+") {
        out.push(line);
      }
    }
    at = endOfFile(hunk, lines, out, at);
  }
  out.push(...lines.slice(at));
  return out.join("\n");
}

/** startOf returns the index of the hunk's first line in the new text. A hunk without new lines names the line before it. */
function startOf(hunk: Hunk): number {
  const found = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@/.exec(hunk.header);
  if (!found) {
    throw new Error(`the header ${JSON.stringify(hunk.header)} is none of a hunk`);
  }
  return found[2] === "0" ? Number(found[1]) : Number(found[1]) - 1;
}

function body(hunk: Hunk): string[] {
  return hunk.text.replace(/\n$/, "").split("\n").filter((line) => !line.startsWith("@@ "));
}

function marked(hunk: Hunk): [mark: string, line: string][] {
  return body(hunk).filter((line) => !line.startsWith("\\")).map((line) => [line.charAt(0), line.slice(1)]);
}

function expect(got: string | undefined, want: string, at: number): void {
  if (got !== want) {
    throw new Error(`line ${at + 1} is not what the diff says`);
  }
}

/**
 * endOfFile sees to the end of the last line, which split counts as one more, empty line. The mark "\ No newline" stands behind the side that has no such end; when only one side has it, the empty line comes or goes with the hunk.
 */
function endOfFile(hunk: Hunk, lines: string[], out: string[], at: number): number {
  const all = body(hunk);
  const bare = (side: string): boolean => all.some((line, i) => line.startsWith("\\") && (all[i - 1]?.startsWith(side) ?? false));
  if (bare("+") && !bare("-")) {
    out.push("");
  }
  if (bare("-") && !bare("+") && lines[at] === "") {
    return at + 1;
  }
  return at;
}
