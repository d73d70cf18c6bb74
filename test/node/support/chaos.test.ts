/** The judge of a chaos run finds what is broken, and the faults of its self-test change the gateway as it is now. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { describe, it } from "vitest";
import { planOf } from "../../chaos/faults.ts";
import { ROOT, search, streamOf } from "../../chaos/journal.ts";
import { judge } from "../../chaos/judge/judge.ts";
import { INSERTED } from "../../chaos/self-test.ts";
import { replaced } from "../../support/source-copy.ts";

type Wire = Record<string, unknown>;

const POS = { posId: "POS-1", deviceId: "T-1" };
const PAID = { transData: { transAmt: "1.00" } };
const DAY = { day: "2026-11-20", transType: "sale", transAmt: "1.00" };
const SUMS = { transType: "sale", approved: { count: 1, transAmt: "1.00" }, notApproved: { count: 1 } };

function event(number: number, type: string, data: Wire): Wire {
  return { id: `evt_POS-1_${number}`, number, type, data };
}

function transaction(requestId: string, referenceId: string, statusCode: string): Wire {
  return { requestId, referenceId, statusCode, responseCode: statusCode, ...DAY };
}

const EVENTS = [
  event(1, "transaction.completed", transaction("10", "R-1", "00")),
  event(2, "transaction.completed", transaction("11", "R-2", "11")),
  event(3, "day.closed", { day: DAY.day, data: [SUMS] }),
];

let calls = 0;

/** A message about a reference, and its answer, which is named. */
function call(name: string, referenceId: string, answer: Wire, { status = 200, ...message }: Wire = {}): Wire[] {
  const names = { call: (calls += 1), posId: "POS-1" };
  const asked = { ...POS, referenceId, transType: "sale", ...PAID, ...message };
  const told = status === 200 ? { ...POS, referenceId, responseCode: answer["statusCode"], ...answer } : answer;
  return [
    { kind: "asked", ...names, path: "/api/transfer", message: asked },
    { name, kind: "answered", ...names, status, answer: told, isSigned: true },
  ];
}

/** A payment at its terminal: money moves. */
function payment(requestId: string, referenceId: string, ...decided: Wire[]): Wire[] {
  const at = (happened: string, more: Wire = {}): Wire => {
    const name = `${happened} ${requestId}`;
    return { name, kind: "terminal", terminalId: "T-1", event: happened, requestId, ...more };
  };
  return [
    at("received", { posId: "POS-1", referenceId, transType: "sale" }),
    at("accepted"),
    at("started"),
    { name: `money ${requestId}`, kind: "money", entry: { kind: "charge", requestId, transAmt: "1.00" } },
    at("concluded"),
    at("reported", { statusCode: "00" }),
    ...decided,
    at("acknowledged", { statusCode: "00" }),
  ];
}

function read(path: string, answer: Wire): Wire {
  return { name: path, kind: "read", posId: "POS-1", path: `/api/${path}`, query: { after: "0" }, answer };
}

function row(requestId: string, referenceId: string, statusCode: string, conflicts: Wire[]): Wire {
  const outcome = { statusCode, responseCode: statusCode };
  return { requestId, posId: "POS-1", referenceId, state: "completed", outcome, conflicts };
}

/** A sale that is approved after a 22, one that an operator decides against its terminal, and what is read about them. */
const CORRECT: readonly Wire[] = [
  ...call("sale, first", "R-1", { statusCode: "22", responseCode: "IN_PROGRESS" }),
  ...payment("10", "R-1"),
  ...call("sale, second", "R-1", { statusCode: "00", ...PAID }),
  ...call("decided, first", "R-2", { statusCode: "22" }),
  ...payment(
    "11",
    "R-2",
    { name: "deciding", kind: "deciding", call: 1, requestId: "11", statusCode: "11" },
    { kind: "decided", call: 1, status: 200 },
  ),
  ...call("taken otherwise", "R-2", { code: 40009 }, { status: 400, transData: { transAmt: "2.00" } }),
  ...call("refused", "R-3", { code: 40000 }, { status: 400 }),
  { kind: "quiet" },
  ...call("sale, third", "R-1", { statusCode: "00", ...PAID }),
  ...call("decided, second", "R-2", { statusCode: "11" }),
  ...call("inquiry", "R-9", { statusCode: "00", ...PAID, originalReferenceId: "R-1" }, { transType: "inquiry" }),
  read("events", { data: EVENTS }),
  read("transactions", { data: EVENTS.slice(0, 2).map(({ data }) => data) }),
  read("totals", { day: DAY.day, data: [SUMS] }),
  ...EVENTS.map((body) => {
    return {
      name: `delivered ${String(body["number"])}`,
      kind: "delivered",
      posId: "POS-1",
      status: 204,
      isSigned: true,
      body,
    };
  }),
  {
    name: "rows",
    kind: "rows",
    rows: [row("10", "R-1", "00", []), row("11", "R-2", "11", [{ report: { statusCode: "00" } }])],
  },
  ...["log", "storage", "told"].map((name) => ({ name, kind: "searched", bytes: 9, needles: 9, found: [] })),
];

function journalOf(entries: readonly Wire[]): string {
  return entries.map((entry, at) => JSON.stringify({ at, ...entry })).join("\n");
}

const TWICE = "twice";
const GONE = "gone";

/** Each: the entry that is put differently, how, and how the rule begins that finds it. */
const BROKEN: Record<string, [name: string, change: string | [right: string, wrong: string], rule: string]> = {
  "money that moved twice": ["money 10", TWICE, "A reference is started"],
  "a request that nobody sent": ["received 10", ["T-1", "T-2"], "A terminal gets only"],
  "another amount": ["money 10", ["1.00", "3.00"], "The customer is charged"],
  "a 00 without money": ["money 10", GONE, "Where 00 is shown"],
  "a status that changes": ["sale, third", ['statusCode":"00', 'statusCode":"11'], "A 00 or 11 that was reported"],
  "a 22 after the outcome": ["sale, third", ['statusCode":"00', 'statusCode":"22'], "A 00 or 11 that was reported"],
  "an answer with another amount": ["sale, second", ["1.00", "2.00"], "A 00 names the amounts"],
  "a refused request at a terminal": ["decided, first", ['"status":200', '"status":400'], "What is refused"],
  "a 22 at the end": ["decided, second", ['statusCode":"11', 'statusCode":"22'], "After the faults, every 22"],
  "a decision about a final one": ["deciding", ['"11"', '"10"'], "An operator decides only"],
  "a decision that is not reported": [
    "decided, second",
    ['statusCode":"11', 'statusCode":"00'],
    "An operator decides only",
  ],
  "other bytes": ["sale, third", ['"answer":{', '"answer":{"terminalSn":"2",'], "The same request gets"],
  "other details": ["inquiry", ['"answer":{', '"answer":{"responseText":"x",'], "The same request gets"],
  "a reference taken twice": ["taken otherwise", ["400,", '200,"a":1,'], "A used reference"],
  "the same refused as another": ["sale, third", ['200,"answer":{', '400,"answer":{"code":40009,'], "A used reference"],
  "a 500 after the faults": ["inquiry", ['"status":200', '"status":500'], "After the faults, every message"],
  "an acknowledgement of nothing": ["reported 10", GONE, "Only what was reported"],
  "a conflict that is not kept": ["rows", ['{"report":{"statusCode":"00"}}', ""], "Only what was reported"],
  "two at a time": ["accepted 11", ['"11"', '"9"'], "A terminal accepts nothing"],
  "a secret in the log": ["log", ["[]", '["token 1"]'], "No secret"],
  "a wrong signature": ["inquiry", ["true", "false"], "Every outcome and every delivery"],
  "an answer about another": ["inquiry", ["T-1", "T-2"], "An answer is about what was asked"],
  "the name of another account": ["sale, first", ['"22"', '"22","a":"POS-2"'], "An answer is about what was asked"],
  "a gap between events": ["events", ['"after":"0"', '"after":"1"'], "Behind every number"],
  "an event with another amount": ["events", ["1.00", "5.00"], "A transaction is completed by"],
  "an outcome that is not listed": ["transactions", GONE, "At the end, every 00 and 11"],
  "a day that is counted wrongly": ["events", ['"approved":{"count":1', '"approved":{"count":2'], "A closed day"],
  "wrong totals": ["totals", ['"count":1', '"count":2'], "At the end, the totals"],
  "a delivery left out": ["delivered 2", GONE, "A webhook is sent"],
};

/** The journal of the correct day, with one entry put differently. */
function changed(name: string, change: string | [right: string, wrong: string]): string {
  const lines = journalOf(CORRECT).split("\n");
  const at = lines.findIndex((line) => line.includes(`"name":"${name}"`));
  const line = lines[at] ?? "";
  const [right, wrong] = typeof change === "string" ? ["", ""] : change;
  if (!line.includes(right)) throw new Error(`${name} has no ${right}`);
  const put = change === GONE ? [] : change === TWICE ? [line, line] : [line.replace(right, wrong)];
  return lines.toSpliced(at, 1, ...put).join("\n");
}

describe("the judge of a chaos run", () => {
  it("finds nothing wrong with a correct run, and checks every rule", ({ expect }) => {
    const { outcome, rules } = judge(journalOf(CORRECT));
    const wrong = rules.filter(({ made, violations }) => made === 0 || violations.length > 0);
    expect([outcome, wrong]).toEqual(["held", []]);
  });

  it.for(Object.entries(BROKEN))("finds %s", ([, [name, change, begins]], { expect }) => {
    const { outcome, rules } = judge(changed(name, change));
    const broken = rules.filter(({ violations }) => violations.length > 0).map(({ says }) => says);
    expect([outcome, broken]).toEqual(["violated", expect.arrayContaining([expect.stringContaining(begins)])]);
  });

  it("has a broken run for each rule", ({ expect }) => {
    const begins = Object.values(BROKEN).map(([, , rule]) => rule);
    const { rules } = judge("");
    expect(rules.filter(({ says }) => !begins.some((begin) => says.startsWith(begin)))).toEqual([]);
  });

  it("calls a run unchecked that did not reach its end", ({ expect }) => {
    expect(judge(journalOf(CORRECT.slice(0, -1))).outcome).toBe("unchecked");
  });
});

describe("a chaos run", () => {
  it("plans the same disturbances for the same seed", ({ expect }) => {
    expect(planOf(streamOf(7), 60_000)).toEqual(planOf(streamOf(7), 60_000));
    expect(planOf(streamOf(7), 60_000)).not.toEqual(planOf(streamOf(8), 60_000));
  });

  it("finds a secret wherever it stands, and reports its name only", ({ expect }) => {
    const needles = new Map(
      Object.entries({ "a secret of the run": "secret 1", "a secret that is not there": "secret 2" }),
    );
    expect(search(["…", "x a secret of the run"], needles)).toMatchObject({ bytes: 22, found: ["secret 1"] });
  });
});

describe("a fault of a chaos run's self-test", () => {
  it.for(Object.entries(INSERTED))("changes the gateway as it is now: %s", ([, [, ...changes]], { expect }) => {
    for (const [file, right, wrong] of changes) {
      const text = readFileSync(join(ROOT, "src", file), "utf8");
      const [before, after] = [text, replaced(text, right, wrong)].map((code) => transformSync(code, { loader: "ts" }));
      expect(after?.code).not.toBe(before?.code);
    }
  });
});
