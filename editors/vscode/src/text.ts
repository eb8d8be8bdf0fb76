const hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** visible spells out what a reader would not see, or would see in another order. What a person allows must be what they read. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(hidden, (c) => `\\u{${c.charCodeAt(0).toString(16)}}`);
}

/** command writes a command as a person would type it into a shell. */
export function command(argv: string[]): string {
  return argv.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

/** fence puts text into a Markdown code block that nothing in the text can end. */
export function fence(text: string, language = ""): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${language}\n${visible(text).replace(/\n$/, "")}\n${ticks}`;
}

/** hunks leaves the names of the file out of a change in unified form. */
export function hunks(diff: string): string {
  return diff.replace(/^--- .*\n\+\+\+ .*\n/, "");
}

/** count writes a number with its noun: "1 file", "2 files". */
export function count(n: number, noun: string): string {
  return n === 1 ? `1 ${noun}` : `${n} ${noun}s`;
}
