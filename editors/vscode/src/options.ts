import type { Option } from "./protocol";

/** deniedFirst puts the denials in front, so that whoever takes the first choice without reading allows nothing. */
export function deniedFirst(options: Option[]): Option[] {
  const rank = (o: Option): number => (o.id.startsWith("deny") ? 0 : 1);
  return [...options].sort((a, b) => rank(a) - rank(b));
}
