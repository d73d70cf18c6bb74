/** The results that the documentation shows. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { format } from "prettier";
import type { SpeedFigures } from "./figures.ts";
import { ROOT } from "./workerd.ts";

export const SPEED_FILE = join(ROOT, "src", "docs", "speed.json");

/** Digits of a number: more would be noise. */
const DIGITS = 4;

/** Puts the parts that were measured in the place of those before; others stay. */
export async function saveFigures(figures: SpeedFigures, path = SPEED_FILE): Promise<void> {
  const before = JSON.parse(await readFile(path, "utf8")) as SpeedFigures;
  const text = JSON.stringify({ ...before, ...figures }, (_, value: unknown) => shortened(value));
  await writeFile(path, await format(text, { parser: "json", printWidth: 120 }));
}

function shortened(value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
}
