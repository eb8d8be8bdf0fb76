import { escape } from "./escape";

/**
 * markdown draws the part of Markdown that models answer in: paragraphs, headings, lists, code and emphasis. Everything is escaped first, and nothing becomes a link, an image or raw HTML: the text is the model's.
 */
export function markdown(text: string): string {
  const out: string[] = [];
  const lines = text.replace(/\r\n/g, "\n").split("\n");
  let at = 0;
  while (at < lines.length) {
    const [html, next] = block(lines, at);
    out.push(html);
    at = next;
  }
  return out.join("");
}

const bullet = /^\s*(?:[-*+]|\d+[.)])\s+/;
const heading = /^(#{1,6})\s+/;
const opening = /^\s*(`{3,}|~{3,})/;

function block(lines: string[], at: number): [html: string, next: number] {
  const line = lines[at] ?? "";
  const ticks = opening.exec(line)?.[1];
  if (ticks) {
    return code(lines, at, ticks);
  }
  if (line.trim() === "") {
    return ["", at + 1];
  }
  const level = heading.exec(line)?.[1]?.length;
  if (level) {
    return [`<h${level}>${inline(line.replace(heading, ""))}</h${level}>`, at + 1];
  }
  return bullet.test(line) ? list(lines, at) : paragraph(lines, at);
}

/** code ends at its closing fence, or with the text while the reply still streams in. */
function code(lines: string[], at: number, ticks: string): [string, number] {
  let end = at + 1;
  while (end < lines.length && !(lines[end] ?? "").trim().startsWith(ticks)) {
    end++;
  }
  return [`<pre><code>${escape(lines.slice(at + 1, end).join("\n"))}</code></pre>`, end + 1];
}

function list(lines: string[], at: number): [string, number] {
  const tag = /^\s*\d/.test(lines[at] ?? "") ? "ol" : "ul";
  const items: string[] = [];
  let end = at;
  while (end < lines.length && bullet.test(lines[end] ?? "")) {
    items.push(`<li>${inline((lines[end] ?? "").replace(bullet, ""))}</li>`);
    end++;
  }
  return [`<${tag}>${items.join("")}</${tag}>`, end];
}

function paragraph(lines: string[], at: number): [string, number] {
  let end = at;
  while (end < lines.length && !starts(lines[end] ?? "", end === at)) {
    end++;
  }
  return [`<p>${lines.slice(at, end).map(inline).join("<br>")}</p>`, end];
}

/** starts says that another block begins at a line. */
function starts(line: string, first: boolean): boolean {
  return !first && (line.trim() === "" || opening.test(line) || heading.test(line) || bullet.test(line));
}

function inline(text: string): string {
  // The odd pieces are code, in which nothing else means anything.
  return text.split(/(`[^`]+`)/).map((piece, i) => (i % 2 ? `<code>${escape(piece.slice(1, -1))}</code>` : emphasis(escape(piece)))).join("");
}

function emphasis(html: string): string {
  return html.replace(/\*\*([^*\s](?:[^*]*[^*\s])?)\*\*/g, "<strong>$1</strong>").replace(/(^|[\s(])\*([^*\s](?:[^*]*[^*\s])?)\*(?=$|[\s.,;:!?)])/g, "$1<em>$2</em>");
}
