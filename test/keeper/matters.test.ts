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

/** @param contrary since when the terminal says otherwise; null: the payment is 22 */
function openPayment(
  requestId: number,
  transAmt: number | null,
  contrary: number | null,
): OpenState["unresolved"][number] {
  const [receivedAt, posId, currency] = [NOW - 20 * MINUTE, "POS-1", "MYR"];
  const says = { statusCode: "11", reportedAt: contrary, reported: { statusCode: "00" } };
  const copy = { terminalId: "T-1", referenceId: "R-1", ...(contrary === null ? {} : { contrary: says }) };
  return {
    posId,
    requestId,
    receivedAt,
    currency,
    transAmt,
    body: JSON.stringify(copy),
  } as OpenState["unresolved"][number];
}

const wave = { responseCode: "51", words: "51 insufficient funds", count: 60, share: 0.75, usual: 0.03 };

describe("an alert", () => {
  it("says what is open, where, and since when", ({ expect }) => {
    const at = NOW - 6 * MINUTE;
    const [shop, alone] = [offlineFor(6 * MINUTE, "T-2"), offlineFor(6 * MINUTE, "T-5")];
    const found = openMatters(
      {
        unresolved: [openPayment(1_000_000_001, 1_250, null), openPayment(1_000_000_002, null, at)],
        offline: [
          { ...shop, shopName: "Corner", isWholeShop: 1 },
          { ...shop, terminalId: "T-3", since: at - MINUTE, shopName: "Corner", isWholeShop: 1 },
          { ...shop, terminalId: "T-4", merchantId: "M-2", isWholeShop: 1 },
          alone,
          { ...alone, terminalId: "T-6", merchantId: null },
        ],
        waves: { found: [wave], since: at },
        untold: at,
        untoldBy: "terminal:T-1",
      },
      null,
      NOW,
    );
    expect(found[0]).toEqual({
      type: "transaction.unresolved",
      since: NOW - 20 * MINUTE,
      matter: {
        id: "unresolved 1000000001 T-1",
        title: "Payment 1000000001 not completed",
        detail: "12.50 MYR, reference R-1, POS-1 on T-1.",
        since: "2026-11-20T10:10:00.000+00:00",
        posId: "POS-1",
        merchantId: null,
        terminalId: "T-1",
        requestId: "1000000001",
        responseCode: null,
      },
    });
    expect(found.slice(1).map(({ type, matter: { id, title, detail } }) => [type, id, title, detail])).toEqual([
      [
        "transaction.contradicted",
        "contrary 1000000002 T-1",
        "Payment 1000000002 is 11, its terminal says 00",
        "An unknown amount, reference R-1, POS-1 on T-1.",
      ],
      ["declines.many", "declines 51", "60 payments: 51 insufficient funds", "75 % of the payments, usually 3 %."],
      ["objects.behind", "untold", "Lists are out of date", "They lack a change of terminal:T-1."],
      ["terminal.offline", "terminal T-2", "Terminal T-2 offline", "Corner."],
      ["terminal.offline", "terminal T-3", "Terminal T-3 offline", "Corner."],
      ["terminal.offline", "terminal T-4", "Terminal T-4 offline", "M-2."],
      ["terminal.offline", "terminal T-5", "Terminal T-5 offline", "M-1."],
      ["terminal.offline", "terminal T-6", "Terminal T-6 offline", "Without a shop."],
      ["shop.offline", "offline M-1", "Shop Corner offline", "All its 2 terminals."],
      ["shop.offline", "offline M-2", "Shop M-2 offline", "Its terminal T-4."],
    ]);
    const about = found.map(({ since, matter }) => {
      const { posId, merchantId, terminalId, requestId, responseCode } = matter;
      return [since, Date.parse(matter.since), posId, merchantId, terminalId, requestId, responseCode];
    });
    expect(about.slice(1)).toEqual([
      [at, at, "POS-1", null, "T-1", "1000000002", null],
      [at, at, null, null, null, null, "51"],
      [at, at, null, null, null, null, null],
      [at, at, null, "M-1", "T-2", null, null],
      [at - MINUTE, at - MINUTE, null, "M-1", "T-3", null, null],
      [at, at, null, "M-2", "T-4", null, null],
      [at, at, null, "M-1", "T-5", null, null],
      [at, at, null, null, "T-6", null, null],
      [at, at, null, "M-1", null, null, null],
      [at, at, null, "M-2", null, null, null],
    ]);
  });

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
    // It was seen a minute ago.
    expect(changes(before, QUIET, NOW + 59 * MINUTE - 1)).toEqual([[], [], []]);
    expect(changes(before, QUIET, NOW + 59 * MINUTE)).toEqual([[], ["declines 51"], []]);
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
    const newest = 10 * MINUTE - SCANNED_ROWS;
    const many = Array.from({ length: SCANNED_ROWS }, (_, index) => offlineFor(newest + index + 1, `T-${index + 100}`));
    const [old, late] = [offlineFor(20 * MINUTE, "T-old"), offlineFor(10 * MINUTE - 1, "T-late")];
    const before = told(...openMatters({ ...QUIET, offline: [...many, old, late] }, null, NOW));
    expect(changes(before, { ...QUIET, offline: many })).toEqual([[], ["terminal T-late"], []]);
    const asOld = told(...openMatters({ ...QUIET, offline: [offlineFor(10 * MINUTE, "T-as-old")] }, null, NOW));
    expect(changes(asOld, { ...QUIET, offline: many })[1]).toEqual([]);
    const payments = many.map((_, index) => openPayment(index + 1, 1, NOW));
    const paid = told(...openMatters({ ...QUIET, unresolved: [openPayment(9_000, 1, NOW)] }, null, NOW));
    expect(changes(paid, { ...QUIET, unresolved: payments })[1]).toEqual([]);
    expect(changes(paid, { ...QUIET, unresolved: payments.slice(1) })[1]).toEqual(["contrary 9000 T-1"]);
    const waves = told(...openMatters({ ...QUIET, waves: { found: [wave], since: NOW - 20 * MINUTE } }, null, NOW));
    expect(changes(waves, { ...QUIET, offline: many }, NOW + 60 * MINUTE)[1]).toEqual(["declines 51"]);
    const forgotten = openPayment(9_000, 1, NOW - 31 * DAY);
    expect(changes(told(), { ...QUIET, unresolved: [forgotten] })[0]).toEqual(["contrary 9000 T-1"]);
    expect(changes(told(), { ...QUIET, offline: [offlineFor(30 * DAY)] })).toEqual([[], [], []]);
    expect(changes(told(), { ...QUIET, offline: [offlineFor(30 * DAY - 1)] })[0]).toEqual(["terminal T-1"]);
  });
});
