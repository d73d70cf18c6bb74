/** The page about speed shows what the bench has measured and saved. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, it } from "vitest";
import { type Measured, saveFigures, SPEED_FILE, type SpeedFigures } from "../bench/figures.ts";
import { isCarried, QUIET_PERCENT } from "../../src/docs/build/speed.ts";
import { buildSite, docsPages, textOf } from "../support/site.ts";

let figures: SpeedFigures;
let page: string;

beforeAll(async () => {
  figures = JSON.parse(await readFile(SPEED_FILE, "utf8")) as SpeedFigures;
  buildSite();
  page = docsPages().get("/docs/speed") ?? "";
});

/** The cells of every row of the page's tables. */
function rows(): string[][] {
  return [...page.matchAll(/<tr>(.*?)<\/tr>/gsu)].map(([, row = ""]) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gsu)].map(([, cell = ""]) => textOf(cell).trim()),
  );
}

describe("the page about speed", () => {
  it("has the saved times under load and next to logins", ({ expect }) => {
    const shown = rows();
    const load = figures.load?.figures ?? [];
    expect(load.map(({ terminals }) => terminals)).toEqual([1, 50]);
    for (const { terminals, rows: saved } of load) {
      const found = shown.find(([situation]) => situation?.startsWith(`${terminals} terminal`));
      expect(found?.[1]).toBe(saved[0]?.perSecond.toFixed(0));
    }
    const p99 = (figures.logins?.figures ?? []).map(({ beside }) => `${beside.p99.toFixed(0)} ms`);
    expect(shown.filter(([situation]) => situation?.startsWith("Next to ")).map((cells) => cells[3])).toEqual(p99);
  });

  it("has the saved rates of one account, and the highest that it carries", ({ expect }) => {
    const { rates = [] } = figures.account?.figures ?? {};
    expect(rates.length).toBeGreaterThan(0);
    const shown = rows().filter((cells) => cells.length === 7);
    expect(shown.map((cells) => cells.slice(0, 2))).toEqual(
      rates.map(({ perSecond, approved }) => [String(perSecond), approved.toFixed(0)]),
    );
    const carried = rates.filter(isCarried).at(-1)?.perSecond ?? 0;
    expect(textOf(page)).toContain(`${carried} a second with a p99 of at most 250 ms`);
  });

  it("says when it was measured, and how much other work the machine had if that was much", ({ expect }) => {
    const parts = Object.values(figures) as Measured<unknown>[];
    expect(parts.length).toBeGreaterThan(0);
    const text = textOf(page);
    for (const { at } of parts) expect(text).toContain(at.slice(0, 10));
    const others = Math.max(...parts.map(({ othersPercent }) => othersPercent));
    expect(text.includes(`Other work took up to ${others} % of the machine`)).toBe(others > QUIET_PERCENT);
  });
});

describe("saving what the bench measured", () => {
  it("replaces the parts that were measured, keeps the others, and shortens numbers", async ({ expect }) => {
    const folder = await mkdtemp(join(tmpdir(), "speed-"));
    try {
      const path = join(folder, "speed.json");
      const run = { at: "2026-11-22T20:00:00.000Z", machine: "a machine", onDisk: true, othersPercent: 0, seconds: 60 };
      await writeFile(
        path,
        JSON.stringify({ distance: { ...run, figures: { till: 1, object: 1, rows: [] } }, load: null }),
      );
      await saveFigures({ load: { ...run, seconds: 61.23456, figures: [] } }, path);
      expect(JSON.parse(await readFile(path, "utf8"))).toEqual({
        distance: { ...run, figures: { till: 1, object: 1, rows: [] } },
        load: { ...run, seconds: 61.23, figures: [] },
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
