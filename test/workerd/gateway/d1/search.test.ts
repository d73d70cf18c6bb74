/** Which rows of D1 a search over all accounts reads. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import { packFingerprint, FINGERPRINTS_SIZE } from "../../../../src/gateway/d1/fingerprints.ts";
import type { SearchTerms } from "../../../../src/gateway/account/rpc.ts";
import { openCandidates, scanFingerprints, SEARCH_PAGE, SEARCHED_ROWS } from "../../../../src/gateway/d1/search.ts";
import { type PendingCopy, pendingStatement } from "../../../../src/gateway/d1/pending.ts";

const DAY = 86_400_000;
const TODAY = 20_000;
const NOON = TODAY * DAY + DAY / 2;

const SOUGHT: SearchTerms = {
  referenceId: "R-1",
  amount: null,
  cardLastFour: null,
  terminalId: null,
  from: null,
  to: null,
};
const ALL: { posId: string | null; merchantId: string | null } = { posId: null, merchantId: null };

const fingerprint = packFingerprint(
  {
    referenceId: "R-1",
    transAmt: "12.50",
    cashAmt: null,
    cardNo: null,
    deviceId: "T-1",
    receivedAt: "",
    completedAt: null,
  },
  7,
  NOON,
);

/** @param second of the day, even */
function fingerprintAt(second: number): string {
  return fingerprint.slice(0, -4) + (second / 2).toString(16).padStart(4, "0");
}

/** Accounts 0-000001 and up, with what they keep of a day: digits are before the letters. */
async function fill(accounts: number, payments: string, day = TODAY): Promise<void> {
  await env.DATABASE.prepare(
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
     INSERT INTO fingerprints (pos_id, day, payments) SELECT printf('0-%06d', i), ?, ${payments} FROM n`,
  )
    .bind(accounts, day)
    .run();
}

function scan(bounds: object = {}, accounts: Parameters<typeof scanFingerprints>[2] = ALL) {
  const usual = { from: NOON - 7 * DAY, to: NOON + 1, deadline: Date.now() + 60_000, candidates: 10 };
  return scanFingerprints(env.DATABASE, SOUGHT, accounts, { ...usual, ...bounds });
}

describe("a search over all accounts", () => {
  beforeEach(() => env.DATABASE.exec("DELETE FROM fingerprints"));

  it("reads all accounts of a day, page by page, and all days", async ({ expect }) => {
    await fill(SEARCH_PAGE + 1, `CASE WHEN i > ${SEARCH_PAGE - 1} THEN x'${fingerprint}' ELSE x'' END`);
    await fill(1, `x'${fingerprint}'`, TODAY - 7);
    await fill(1, `x'${fingerprint}'`, TODAY - 8);
    const found = await scan();
    expect(found).toMatchObject({ isCut: false, from: NOON - 7 * DAY });
    expect(found.candidates).toEqual([
      { posId: `0-${String(SEARCH_PAGE).padStart(6, "0")}`, event: 7 },
      { posId: `0-${String(SEARCH_PAGE + 1).padStart(6, "0")}`, event: 7 },
      { posId: "0-000001", event: 7 },
    ]);
  });

  it("names no other payment of the same account and day", async ({ expect }) => {
    await fill(1, `x'${fingerprint.replaceAll(/./gu, "0")}${fingerprint}'`);
    expect((await scan()).candidates).toEqual([{ posId: "0-000001", event: 7 }]);
  });

  it("reads only the accounts that it is about", async ({ expect }) => {
    await fill(3, `x'${fingerprint}'`);
    expect((await scan({}, { posId: "0-000002", merchantId: null })).candidates).toEqual([
      { posId: "0-000002", event: 7 },
    ]);
    expect((await scan({}, { posId: null, merchantId: "M-NOBODY" })).candidates).toEqual([]);
  });

  it("ends pages after many bytes, and names accounts with more payments", async ({ expect }) => {
    await fill(
      6,
      `CASE i WHEN 6 THEN x'${fingerprint}' WHEN 5 THEN zeroblob(${FINGERPRINTS_SIZE}) ELSE zeroblob(1500000) END`,
    );
    expect(await scan()).toMatchObject({ isCut: false, candidates: [{ posId: "0-000006" }], overfull: ["0-000005"] });
  });

  it("stops at a limit, and says how far it has searched", async ({ expect }) => {
    await fill(3, `x'${fingerprint}'`);
    await fill(3, `x'${fingerprint}'`, TODAY - 1);
    const full = await scan({ candidates: 3 });
    // A fingerprint's time is exact to two seconds, and clocks may differ by a minute.
    expect([full.isCut, full.from, full.candidates.length]).toEqual([true, NOON - DAY + 62_000, 3]);
    expect(await scan({ candidates: 2 })).toMatchObject({ isCut: true, from: NOON + 1, candidates: [{}, {}] });
    vi.useFakeTimers({ toFake: ["Date"] });
    expect(await scan({ deadline: Date.now() })).toMatchObject({ isCut: true, from: NOON + 1, candidates: [] });
    expect(await scan({ deadline: Date.now() + 1 })).toMatchObject({ isCut: false });
    vi.useRealTimers();
  });

  it("keeps the newest of too many candidates", async ({ expect }) => {
    const times = [40_000, 30_000, 20_000].map(fingerprintAt);
    await fill(4, `CASE i WHEN 3 THEN x'${times[0]}' WHEN 2 THEN x'${times[1]}' ELSE x'${times[2]}' END`);
    const { candidates, ...cut } = await scan({ candidates: 2, to: NOON });
    expect(candidates).toEqual([
      { posId: "0-000003", event: 7 },
      { posId: "0-000002", event: 7 },
    ]);
    expect(cut).toMatchObject({ isCut: true, from: TODAY * DAY + 20_062_000 });
  });

  it("stops after as many rows as one search may read", async ({ expect }) => {
    for (const day of [0, 1, 2, 3]) await fill(SEARCHED_ROWS / 4, "x''", TODAY - day);
    await fill(1, `x'${fingerprint}'`, TODAY - 4);
    expect(await scan()).toMatchObject({ isCut: true, from: (TODAY - 2) * DAY, candidates: [] });
    await env.DATABASE.exec(`DELETE FROM fingerprints WHERE day = ${TODAY - 3} AND pos_id = '0-000001'`);
    expect(await scan()).toMatchObject({ isCut: true, from: (TODAY - 3) * DAY, candidates: [{}] });
  });
});

async function openOf(searchTerms: Partial<SearchTerms>, accounts = ALL, most = 10): Promise<string[]> {
  const candidates = await openCandidates(
    env.DATABASE,
    { ...SOUGHT, referenceId: null, ...searchTerms },
    accounts,
    most,
  );
  return candidates.map(({ posId }) => posId);
}

describe("payments without an outcome", () => {
  const copy: PendingCopy = {
    receivedAt: NOON,
    currency: "MYR",
    transAmt: 1_250,
    cashAmt: 100,
    terminalId: "T-1",
    referenceId: "R-1",
    transType: "cashOut",
    responseCode: "TIMED_OUT",
    responseText: null,
  };

  async function put(...copies: (Partial<PendingCopy> | null)[]): Promise<void> {
    await env.DATABASE.exec("DELETE FROM pending");
    const statements = copies.map((changes, index) => {
      const note = {
        requestId: index + 1,
        terminalId: "T-1",
        version: 1,
        copy: changes === null ? null : { ...copy, ...changes },
      };
      return pendingStatement(env.DATABASE, `P-${index + 1}`, note, NOON);
    });
    await env.DATABASE.batch(statements);
  }

  it("are found by reference, whole amount and time, newest first", async ({ expect }) => {
    const other = { referenceId: "R-2", cashAmt: null, receivedAt: NOON + 10 };
    await put({}, other, { transAmt: null, cashAmt: 1_350, receivedAt: NOON - 10 }, null);
    expect(await openOf({})).toEqual(["P-2", "P-1", "P-3"]);
    expect(await openOf({}, ALL, 1)).toEqual(["P-2"]);
    expect(await openOf({ referenceId: "R-2" })).toEqual(["P-2"]);
    expect(await openOf({ amount: 1_350 })).toEqual(["P-1", "P-3"]);
    expect(await openOf({ amount: 1_250 })).toEqual(["P-2"]);
    expect(await openOf({ from: NOON + 10 })).toEqual(["P-2"]);
    expect(await openOf({ to: NOON + 10 })).toEqual(["P-1", "P-3"]);
    expect(await openOf({ from: NOON, to: NOON + 1 })).toEqual(["P-1"]);
    expect(await openOf({}, { ...ALL, posId: "P-3" })).toEqual(["P-3"]);
  });

  it("have no card number that they could be found by", async ({ expect }) => {
    await put({});
    expect(await openOf({ cardLastFour: "1234" })).toEqual([]);
  });
});
