/** A chart of how something grows over sizes that are far apart, as SVG: both scales have a step for each power of ten. */
import { grouped } from "./figures.ts";
import { escapeHtml } from "./html.ts";

export interface GrowthChart {
  id: string;
  /** What it shows, in a sentence. */
  title: string;
  /** What the sizes and the values are. */
  sizeUnit: string;
  unit: string;
  /** At least two, the smallest first; all numbers are above 0. */
  points: readonly { size: number; value: number }[];
}

/** As wide as the text column of a phone, in CSS pixels: on a wider screen everything grows with it. */
const WIDTH = 340;
const HEIGHT = 208;
const LEFT = 62;
const RIGHT = 30;
const TOP = 26;
const BOTTOM = 34;

export function growthChart({ id, title, sizeUnit, unit, points }: GrowthChart): string {
  const across = powers(points.map(({ size }) => size));
  const up = powers(points.map(({ value }) => value));
  const x = (size: number): number => LEFT + shareOf(size, across) * (WIDTH - LEFT - RIGHT);
  const y = (value: number): number => HEIGHT - BOTTOM - shareOf(value, up) * (HEIGHT - TOP - BOTTOM);
  const levels = up.map(
    (level) =>
      `<line class="grid" x1="${LEFT}" y1="${y(level).toFixed(1)}" x2="${WIDTH - RIGHT}" y2="${y(level).toFixed(1)}"/>` +
      text(LEFT - 5, y(level) + 4, grouped(level), "end"),
  );
  const sizes = across.map((size) => text(x(size), HEIGHT - BOTTOM + 15, grouped(size), "middle"));
  const line = points.map(({ size, value }) => `${x(size).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const dots = points.map(
    ({ size, value }) => `<circle class="dot" cx="${x(size).toFixed(1)}" cy="${y(value).toFixed(1)}" r="3"/>`,
  );
  return (
    `<figure class="chart"><figcaption>${escapeHtml(title)}</figcaption>` +
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title"><title id="${id}-title">` +
    `${escapeHtml(title)}</title>${levels.join("")}${sizes.join("")}<polyline class="line first" points="${line}"/>` +
    `${dots.join("")}${text(0, 11, unit, "start")}${text(WIDTH - RIGHT, HEIGHT - 3, sizeUnit, "end")}</svg></figure>\n`
  );
}

/** The powers of ten from the one below the lowest number to the one above the highest. */
function powers(numbers: readonly number[]): number[] {
  const first = Math.floor(Math.log10(Math.min(...numbers)));
  const last = Math.ceil(Math.log10(Math.max(...numbers)));
  return Array.from({ length: last - first + 1 }, (_, at) => 10 ** (first + at));
}

function shareOf(value: number, scale: readonly number[]): number {
  const [first = 1, last = 10] = [scale[0], scale.at(-1)];
  return Math.log10(value / first) / Math.log10(last / first);
}

function text(x: number, y: number, words: string, anchor: "start" | "middle" | "end"): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${escapeHtml(words)}</text>`;
}
