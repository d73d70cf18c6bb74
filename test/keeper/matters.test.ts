/** Which matters have begun and which are over: pure decisions. */
import { describe, it } from "vitest";
import {
  changesOf,
  knownFrom,
  openMatters,
  type OpenMatter,
  type OpenState,
  type ToldMatter,
} from "../../src/keeper/matters.ts";
import { type AlertSettings, DEFAULT_ALERTS } from "../../src/protocol/alerts.ts";
import { SCANNED_ROWS } from "../../src/storage/limits.ts";

const NOW = Date.UTC(2026, 10, 20, 10, 30);
const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

const QUIET: OpenState = {
  offline: [],
  unresolved: [],
  waves: { found: [], since: NOW },
  untold: null,
  untoldBy: null,
};
const SETTINGS: AlertSettings = { ...DEFAULT_ALERTS, "terminal.offline": 5 };

function offlineFor(milliseconds: number, terminalId = "T-1"): OpenState["offline"][number] {
  return { terminalId, merchantId: "M-1", shopName: null, since: NOW - milliseconds, isWholeShop: 0 };
}

function told(...matters: OpenMatter[]): Map<string, ToldMatter> {
  return new Map(matters.map((one) => [one.matter.id, { ...one, seenAt: NOW - MINUTE }]));
}

function changes(before: Map<string, ToldMatter>, state: OpenState | null, now = NOW, settings = SETTINGS) {
  const found = openMatters(state, null, now);
  const { began, ended, dropped } = changesOf(before, found, { settings, isKnown: knownFrom(state), now });
  return [began, ended, dropped].map((some) => some.map(({ matter }) => matter.id));
}

const wave = { responseCode: "51", words: "51 insufficient funds", count: 60, share: 0.75, usual: 0.03 };

describe("an alert", () => {
  it("begins when its matter has lasted, and is not told twice", ({ expect }) => {
    expect(changes(told(), { ...QUIET, offline: [offlineFor(4 * MINUTE)] })).toEqual([[], [], []]);
    const state = { ...QUIET, offline: [offlineFor(5 * MINUTE)] };
    expect(changes(told(), state)).toEqual([["terminal T-1"], [], []]);
    expect(changes(told(...openMatters(state, null, NOW)), state)).toEqual([[], [], []]);
  });

  it("ends once its matter is gone, and is only forgotten if nobody wants it any more", ({ expect }) => {
    const before = told(...openMatters({ ...QUIET, offline: [offlineFor(MINUTE)] }, null, NOW));
    expect(changes(before, QUIET)).toEqual([[], ["terminal T-1"], []]);
    expect(changes(before, QUIET, NOW, { ...SETTINGS, "terminal.offline": null })).toEqual([[], [], ["terminal T-1"]]);
  });

  it("of a wave ends when none was seen for an hour: a new hour alone ends none", ({ expect }) => {
    const state = { ...QUIET, waves: { found: [wave], since: NOW } };
    const before = told(...openMatters(state, null, NOW));
    expect(changes(told(), state)).toEqual([["declines 51"], [], []]);
    expect(changes(before, QUIET)).toEqual([[], [], []]);
    expect(changes(before, QUIET, NOW + 60 * MINUTE)).toEqual([[], ["declines 51"], []]);
  });

  it("does not end because D1 is away, which is a matter itself after five minutes", ({ expect }) => {
    const before = told(...openMatters({ ...QUIET, offline: [offlineFor(MINUTE)] }, null, NOW));
    expect(changes(before, null)).toEqual([[], [], []]);
    expect(openMatters(null, NOW - 4 * MINUTE, NOW)).toEqual([]);
    const away = openMatters(null, NOW - 5 * MINUTE, NOW);
    expect(away).toMatchObject([{ type: "objects.behind", matter: { title: "The database does not answer" } }]);
    expect(changes(told(...away), QUIET)).toEqual([[], ["database"], []]);
  });

  it("does not end because a list was cut before it, nor begin for a terminal that was forgotten", ({ expect }) => {
    const many = Array.from({ length: SCANNED_ROWS }, (_, index) => offlineFor(10 * MINUTE, `T-${index + 100}`));
    const [old, late] = [offlineFor(20 * MINUTE, "T-old"), offlineFor(MINUTE, "T-late")];
    const before = told(...openMatters({ ...QUIET, offline: [...many, old, late] }, null, NOW));
    expect(changes(before, { ...QUIET, offline: many })).toEqual([[], ["terminal T-late"], []]);
    expect(changes(told(), { ...QUIET, offline: [offlineFor(31 * DAY)] })).toEqual([[], [], []]);
  });
});
