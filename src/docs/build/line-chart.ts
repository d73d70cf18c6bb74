/** Charts of lines over time as SVG: its colours are the page's, light and dark, and its texts fit a phone. */
import { grouped } from "./figures.ts";
import { columnHead, escapeHtml } from "./html.ts";

/** How a line looks, beside its colour: they must differ for everybody. */
export type LineKind = "first" | "second";

export interface ChartLine {
  name: string;
  kind: LineKind;
  /** One for each step. */
  values: readonly number[];
}

export interface LineChart {
  id: string;
  /** What it shows, in a sentence. */
  title: string;
  /** Seconds of a step. */
  step: number;
  /** What the values are, such as `%`. */
  unit: string;
  /** The end of the scale; null: a round number above the highest value. */
  highest: number | null;
  lines: readonly ChartLine[];
  /** A moment that is marked, seconds. */
  mark: { at: number; name: string } | null;
}

/** As wide as the text column of a phone, in CSS pixels: on a wider screen everything grows with it. */
const WIDTH = 340;
const HEIGHT = 208;
const LEFT = 44;
const RIGHT = 10;
const TOP = 22;
const BOTTOM = 34;

/** Rows of the table behind a chart. */
const ROWS = 13;

/** How far a label's baseline is below its middle. */
const BASELINE = 4;

export function lineChart({ id, title, step, unit, highest, lines, mark }: LineChart): string {
  const steps = Math.max(...lines.map(({ values }) => values.length));
  const end = steps * step;
  const top = highest ?? roundUp(Math.max(1, ...lines.flatMap(({ values }) => values)));
  const x = (seconds: number): number => LEFT + (seconds / end) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => HEIGHT - BOTTOM - (Math.min(value, top) / top) * (HEIGHT - TOP - BOTTOM);
  const levels = [0, 0.25, 0.5, 0.75, 1].map((share) => share * top);
  const grid = levels.map(
    (level) =>
      `<line class="grid" x1="${LEFT}" y1="${y(level).toFixed(1)}" x2="${WIDTH - RIGHT}" y2="${y(level).toFixed(1)}"/>` +
      text(LEFT - 5, y(level) + BASELINE, short(level), "end"),
  );
  const { unit: timeUnit, length, every } = timeScale(end);
  const times = Array.from({ length: Math.floor(end / every) + 1 }, (_, at) => at * every);
  const axis = times.map((at) => text(x(at), HEIGHT - BOTTOM + 15, String(at / length), "middle"));
  const marked =
    mark === null
      ? ""
      : `<line class="mark" x1="${x(mark.at).toFixed(1)}" y1="${TOP}" x2="${x(mark.at).toFixed(1)}" y2="${HEIGHT - BOTTOM}"/>`;
  const drawn = lines.map(({ kind, values }) => {
    const points = values.map((value, at) => `${x((at + 0.5) * step).toFixed(1)},${y(value).toFixed(1)}`);
    return `<polyline class="line ${kind}" points="${points.join(" ")}"/>`;
  });
  const key = [
    ...lines.map(({ name, kind }) => keyEntry(kind, name)),
    ...(mark === null ? [] : [keyEntry("mark", mark.name)]),
  ];
  return (
    `<figure class="chart"><figcaption>${escapeHtml(title)}</figcaption><p class="key">${key.join(" ")}</p>` +
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title"><title id="${id}-title">` +
    `${escapeHtml(title)}</title>${grid.join("")}${axis.join("")}${marked}${drawn.join("")}` +
    `${text(0, 11, unit, "start")}${text(WIDTH - RIGHT, HEIGHT - 3, timeUnit, "end")}</svg>` +
    `<details><summary>The numbers</summary>${table(step, steps, timeUnit, length, unit, lines)}</details></figure>\n`
  );
}

function table(
  step: number,
  steps: number,
  timeUnit: string,
  length: number,
  unit: string,
  lines: readonly ChartLine[],
): string {
  const every = Math.ceil(steps / ROWS);
  const rows = Array.from({ length: Math.ceil(steps / every) }, (_, row) => row * every);
  const cells = (at: number): string => lines.map(({ values }) => `<td>${short(values[at] ?? 0)}</td>`).join("");
  return (
    `<div class="table" role="group" aria-label="Table" tabindex="0"><table><thead><tr>` +
    `${[timeUnit, ...lines.map(({ name }) => `${name}, ${unit}`)].map(columnHead).join("")}</tr></thead><tbody>` +
    rows
      .map((at) => `<tr><td>${grouped(Math.round(((at * step) / length) * 10) / 10)}</td>${cells(at)}</tr>`)
      .join("") +
    `</tbody></table></div>`
  );
}

function keyEntry(kind: string, name: string): string {
  return (
    `<span><svg viewBox="0 0 24 8" width="24" height="8" aria-hidden="true">` +
    `<line class="line ${kind}" x1="0" y1="4" x2="24" y2="4"/></svg> ${escapeHtml(name)}</span>`
  );
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escapeHtml(words)}</text>`;
}

/** The unit of a time line, and how far its labels are apart: four to eight of them. */
function timeScale(end: number): { unit: string; length: number; every: number } {
  const [unit, length] = end > 3 * 3_600 ? (["hours", 3_600] as const) : (["minutes", 60] as const);
  const steps = [1, 2, 5, 10, 15, 20, 30, 60, 120].map((count) => count * length);
  return { unit, length, every: steps.find((every) => end / every <= 8) ?? end };
}

/** The next of 1, 2, 4, 6, 8 or 10 times a power of ten. */
function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8].find((count) => count * power >= value) ?? 10) * power;
}

function short(value: number): string {
  if (value >= 10_000) return `${grouped(Math.round(value / 100) / 10)}k`;
  return grouped(value >= 10 ? Math.round(value) : Math.round(value * 10) / 10);
}
