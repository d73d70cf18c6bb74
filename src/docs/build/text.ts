import { readFileSync } from "node:fs";

/** @param path from the project's root, in which the build runs */
export function fileText(path: string): string {
  return readFileSync(path, "utf8");
}

export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map(tableLine).join("\n");
}

/** A sign that would end a cell is escaped. */
function tableLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s*\n\s*/gu, " ")).join(" | ")} |`;
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes the content of an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/gu, (sign) => ESCAPES[sign] ?? sign);
}

/** A heading's id, as GitHub makes it: lower case, hyphens for spaces, no other signs. */
export function slug(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}
