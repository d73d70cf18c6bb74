import { readFileSync } from "node:fs";

/** @param path from the project's root, in which the build runs */
export function fileText(path: string): string {
  return readFileSync(path, "utf8");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** For the content of an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"]/gu, (sign) => ESCAPES[sign] ?? sign);
}

/** @param rows as HTML @param kind a class of its own */
export function tableHtml(label: string, columns: readonly string[], rows: readonly string[], kind = ""): string {
  const heads = columns.map((text) => `<th scope="col">${escapeHtml(text)}</th>`);
  return (
    `<div class="table${kind}" role="group" aria-label="${label}" tabindex="0"><table><thead><tr>${heads.join("")}</tr></thead>` +
    `<tbody>${rows.join("")}</tbody></table></div>`
  );
}

/** A heading's id, as GitHub makes it: lower case, hyphens for spaces, no other signs. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

const ENTITIES: Record<string, string> = { lt: "<", gt: ">", quot: '"', "#39": "'", "#10": "\n", amp: "&" };

export function plain(html: string): string {
  return html.replaceAll(/<[^>]*>/gu, "").replaceAll(/&(#?\w+);/gu, (whole, name: string) => ENTITIES[name] ?? whole);
}
