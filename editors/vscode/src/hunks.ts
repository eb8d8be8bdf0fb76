import type { FileDiff, Hunk } from "./protocol";

/** Side is one of the two texts that a hunk lies between. */
export type Side = "before" | "after";

/** hunkAt finds the hunk at a line, counted from 1. Where lines were only removed, both lines that are left beside the gap count. */
export function hunkAt(hunks: Hunk[], line: number, side: Side): Hunk | undefined {
  return hunks.find((hunk) => {
    const [first, last] = changedLines(hunk, side);
    return first <= line && line <= last;
  });
}

/** changedLines returns the first and last line of a hunk that differ, without the lines around them. */
function changedLines(hunk: Hunk, side: Side): [first: number, last: number] {
  const mine = side === "after" ? "+" : "-";
  const touched: number[] = [];
  let gap = 0;
  let at = startOf(hunk, side);
  for (const mark of hunk.text.split("\n").map((line) => line.charAt(0))) {
    if (mark === mine) {
      touched.push(at);
    } else if (mark === "+" || mark === "-") {
      gap = at;
    }
    at += mark === mine || mark === " " ? 1 : 0;
  }
  const [first, last] = touched.length > 0 ? [Math.min(...touched), Math.max(...touched)] : [gap - 1, gap];
  return [Math.max(1, first), Math.max(1, last)];
}

/** startOf returns the number of the hunk's first line. A side without lines names the line before it. */
function startOf({ header }: Hunk, side: Side): number {
  const found = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(header);
  if (!found) {
    return Number.NaN;
  }
  const [first, length] = side === "before" ? [found[1], found[2]] : [found[3], found[4]];
  return Number(first) + (length === "0" ? 1 : 0);
}

/** Part is something that can land by itself: a file, or one of its hunks. */
export interface Part {
  file: FileDiff;
  hunk?: Hunk;
}

/** partsOf takes files apart into what can be chosen: a file with several hunks into these, any other stays whole. */
export function partsOf(files: FileDiff[]): Part[] {
  return files.flatMap((file): Part[] => {
    const hunks = file.hunks ?? [];
    return file.status === "M" && hunks.length > 1 ? hunks.map((hunk) => ({ file, hunk })) : [{ file }];
  });
}

/** Choice says what lands; without any it is everything. */
export interface Choice {
  paths?: string[];
  hunks?: string[];
}

/** chosen turns the parts that a person ticked into what the server is told. A file with all of its hunks goes as a file. */
export function chosen(all: Part[], ticked: readonly Part[]): Choice {
  if (ticked.length === all.length) {
    return {};
  }
  const total = tally(all);
  const mine = tally(ticked);
  const whole = [...mine].filter(([path, n]) => total.get(path) === n).map(([path]) => path);
  const hunks = ticked.flatMap((part) => part.hunk && !whole.includes(part.file.path) ? [part.hunk.id] : []);
  return { ...(whole.length > 0 ? { paths: whole } : {}), ...(hunks.length > 0 ? { hunks } : {}) };
}

/** isChosen says whether a part is in a choice that was made before. */
export function isChosen({ file, hunk }: Part, { paths, hunks }: Choice): boolean {
  const all = paths === undefined && hunks === undefined;
  return all || (paths?.includes(file.path) ?? false) || (hunk !== undefined && (hunks?.includes(hunk.id) ?? false));
}

function tally(parts: readonly Part[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { file } of parts) {
    counts.set(file.path, (counts.get(file.path) ?? 0) + 1);
  }
  return counts;
}

/** excerpt shows a hunk in one line: the first of its lines that says something. */
export function excerpt(hunk: Hunk): string {
  const lines = hunk.text.split("\n").filter((line) => /^[+-]/.test(line));
  const telling = lines.find((line) => line.startsWith("+") && line.slice(1).trim() !== "") ?? lines[0] ?? "";
  return `${telling.charAt(0)} ${telling.slice(1).trim()}`;
}
