import { visible } from "../text";

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** escape makes text safe between tags and in quoted attributes, and its invisible characters visible. */
export function escape(text: string): string {
  return visible(text).replace(/[&<>"']/g, (c) => entities[c] ?? c);
}
