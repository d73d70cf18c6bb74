import type { MarkdownRenderer } from "vitepress";
import { escapeHtml, slug } from "../build/text.ts";

type Step =
  /** `from` and `to` are places of lanes. `lost`: the message never arrives. */
  | { kind: "message"; from: number; to: number; text: string; lost: boolean }
  | { kind: "note"; at: number; lines: string[] };

interface Diagram {
  title: string;
  lanes: string[];
  steps: Step[];
}

/** Reads only a few of Mermaid's forms. Throws for any other line. */
function read(source: string): Diagram {
  const ids: string[] = [];
  const diagram: Diagram = { title: "", lanes: [], steps: [] };
  for (const line of source.split("\n").map((text) => text.trim())) {
    const lane = /^participant (\w+) as (.+)$/u.exec(line);
    const note = /^Note over (\w+): (.+)$/u.exec(line);
    const message = /^(\w+?)-(>>|x)(\w+): (.+)$/u.exec(line);
    if (lane !== null) {
      ids.push(lane[1] ?? "");
      diagram.lanes.push(lane[2] ?? "");
    } else if (note !== null) {
      diagram.steps.push({ kind: "note", at: ids.indexOf(note[1] ?? ""), lines: (note[2] ?? "").split("<br>") });
    } else if (message !== null) {
      const [, from = "", arrow, to = "", text = ""] = message;
      diagram.steps.push({ kind: "message", from: ids.indexOf(from), to: ids.indexOf(to), text, lost: arrow === "x" });
    } else if (line.startsWith("accTitle: ")) diagram.title = line.slice("accTitle: ".length);
    else if (line !== "sequenceDiagram") throw new Error(`A diagram has a line that is not understood: ${line}`);
  }
  return diagram;
}

const LANE = 200;
const EDGE = 100;
const HEAD = 34;
const MESSAGE = 40;
const LINE = 17;
const NOTE_WIDTH = 176;

/** Draws a block in the language `mermaid`. */
export function pluginForDiagrams(md: MarkdownRenderer): void {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, ...rest) => {
    const token = tokens[index];
    return token?.info.trim() === "mermaid"
      ? diagramHtml(token.content.trim())
      : (fence?.(tokens, index, ...rest) ?? "");
  };
}

/** A paragraph that is a drawing alone scrolls on a narrow screen, so the keyboard must reach it. */
export function pluginForDrawings(md: MarkdownRenderer): void {
  md.core.ruler.push("drawings", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      const { children } = tokens[index + 1] ?? {};
      const [image, more] = children ?? [];
      if (token.type !== "paragraph_open" || more !== undefined) continue;
      if (image?.type !== "image" || image.attrGet("src")?.endsWith(".svg") !== true) continue;
      for (const [name, value] of Object.entries(SCROLLING)) token.attrSet(name, value);
    }
  });
}

const SCROLLING = { class: "drawing", tabindex: "0", role: "group", "aria-label": "Drawing" };

/** Writes no styles: the theme has them. */
function diagramHtml(source: string): string {
  const { title, lanes, steps } = read(source);
  const id = slug(title);
  const width = EDGE * 2 + LANE * (lanes.length - 1);
  const x = (lane: number): number => EDGE + LANE * lane;
  const parts: string[] = [];
  let y = HEAD + 18;
  for (const step of steps) {
    if (step.kind === "note") {
      const height = step.lines.length * LINE + 12;
      parts.push(
        `<rect class="note" x="${x(step.at) - NOTE_WIDTH / 2}" y="${y}" width="${NOTE_WIDTH}" height="${height}" rx="4"/>`,
        ...step.lines.map((line, index) => label(x(step.at), y + 18 + index * LINE, line, "small")),
      );
      y += height + 12;
      continue;
    }
    y += 22;
    parts.push((step.lost ? lostArrow : arrowTo(`${id}-tip`))(x(step.from), x(step.to), y));
    parts.push(label((x(step.from) + x(step.to)) / 2, y - 7, step.text, "small"));
    y += MESSAGE - 22;
  }
  const bottom = y + 6;
  const lines = lanes.map(
    (_, lane) => `<line class="lane" x1="${x(lane)}" y1="${HEAD}" x2="${x(lane)}" y2="${bottom}"/>`,
  );
  const heads = lanes.map(
    (name, lane) =>
      `<rect class="head" x="${x(lane) - 84}" y="1" width="168" height="${HEAD - 2}" rx="6"/>` +
      label(x(lane), 22, name, "strong"),
  );
  return (
    `<div class="diagram" tabindex="0" role="group" aria-label="Diagram">` +
    `<svg viewBox="0 0 ${width} ${bottom}" width="${width}" height="${bottom}" role="img" aria-labelledby="${id}-title">` +
    `<title id="${id}-title">${escapeHtml(title)}</title>` +
    `<defs><marker id="${id}-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">` +
    `<path class="tip" d="M0 0L8 4L0 8z"/></marker></defs>` +
    [...lines, ...heads, ...parts].join("") +
    `</svg></div>\n`
  );
}

type Arrow = (from: number, to: number, y: number) => string;

function arrowTo(tip: string): Arrow {
  return (from, to, y) =>
    `<line class="message" x1="${from}" y1="${y}" x2="${to}" y2="${y}" marker-end="url(#${tip})"/>`;
}

function lostArrow(from: number, to: number, y: number): string {
  const end = from + (to - from) * 0.72;
  return (
    `<line class="message lost" x1="${from}" y1="${y}" x2="${end}" y2="${y}"/>` +
    `<path class="cross" d="M${end - 5} ${y - 5}l10 10m0 -10l-10 10"/>`
  );
}

function label(x: number, y: number, text: string, kind: string): string {
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="middle">${escapeHtml(text)}</text>`;
}
