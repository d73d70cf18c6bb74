/**
 * `npm run capacity`: what a fleet does to each part of the platform, how large it is where each part ends, its bill, and how
 * long D1 works for it after an outage: from the operations that test/cost counts, the waits of the real clients, and public
 * prices and limits. `--docs` writes src/docs/capacity.json, the numbers of the page /docs/capacity.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Flag, number, toggle } from "../../src/command-line/flags.ts";
import { given, readTool } from "../support/tool.ts";
import { LOGIN_SPREAD, TERMINAL_RECONNECT } from "../../src/client/limits.ts";
import written from "../../src/docs/capacity.json" with { type: "json" };
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { bill, CONNECTIONS_PER_MONTH, REFRESHES_PER_TRANSFER } from "../cost/bill.ts";
import { JOURNAL_ROW_BYTES } from "../cost/kept-bytes.ts";
import { ASSUMED, GIGABYTE, MILLION, operations, type Term, times, total } from "../cost/prices.ts";
import { CONNECTION, type Counts, LOGIN, REFRESH, SALE, TERMINAL_CONNECT, TERMINAL_LOGIN } from "../cost/sale.ts";
import { d1Bytes } from "./d1-bytes.ts";

/** What is computed for. All may be averages; `webhooks`: percent of the accounts that have one. */
const COUNTRY = { terminals: 1_000_000, perDay: 50, perAccount: 1, webhooks: 10 };
type Fleet = typeof COUNTRY;

// Limits of the platform, with the page that says so and the date that it shows.

/** https://developers.cloudflare.com/d1/platform/limits/, 2026-04-21. */
const D1_GIGABYTES = 10;
/** Of a query that the same page takes as its example: D1 runs one at a time, so about 1,000 a second. */
const D1_READ_MILLISECONDS = 1;
/** Requests a second, a soft limit: https://developers.cloudflare.com/durable-objects/platform/limits/, 2026-06-01. */
const OBJECT_REQUESTS = 1_000;
const OBJECT_GIGABYTES = 10;
/**
 * Of one Cloudflare account in a day; beyond them 1 % is kept:
 * https://developers.cloudflare.com/workers/observability/logs/workers-logs/, 2026-10-02.
 */
const LOG_LINES = 5e9;

// Nobody publishes these.

/** Of a batch that writes a row. */
const D1_WRITE_MILLISECONDS = 2;
/** How long a query waits in D1's queue before it gets an “overloaded” error. */
const D1_PATIENCE = 5_000;
/** Share of a day's transfers in its busiest hour, and connections of a terminal in a day: change them to those of your fleet. */
const BUSIEST_HOUR = 0.15;
const CONNECTIONS_PER_DAY = 1;

/** How long D1 works for what a counted step asks of it. */
function d1Milliseconds({ d1RoundTrips, d1Writes }: Counts): number {
  return (d1RoundTrips - d1Writes) * D1_READ_MILLISECONDS + d1Writes * D1_WRITE_MILLISECONDS;
}

/** What a rate limit of wrangler.toml lets pass in a minute. */
function perMinute(name: string): number {
  const configuration = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");
  return Number(new RegExp(`name = "${name}"[^[]*?limit = ([0-9]+), period = 60`, "u").exec(configuration)?.[1]);
}

/**
 * What each part carries of a fleet, and how large the fleet, an account or a terminal's day is where it ends.
 *
 * @param recorded bytes that an account's object keeps of one completed sale
 * @param kept bytes that D1 keeps
 */
function partsOf({ terminals, perDay, perAccount, webhooks }: Fleet, recorded: number, kept: typeof written.kept) {
  const tills = terminals / perAccount;
  const busiest = (perDay * BUSIEST_HOUR) / 3_600;
  const days = JOURNAL_LIFE / 86_400_000;
  const service = kept.service / GIGABYTE;
  const ofFleet = (terminals * kept.terminal + tills * kept.account) / GIGABYTE;
  // Every till logs in once, spread over the client's half hour.
  const midnight = (tills * d1Milliseconds(LOGIN)) / (LOGIN_SPREAD / 1_000);
  const daytime = (terminals * CONNECTIONS_PER_DAY * d1Milliseconds(CONNECTION)) / 86_400;
  const ofTransfer = SALE.logLines + REFRESHES_PER_TRANSFER * REFRESH.logLines;
  const lines = terminals * (perDay * ofTransfer + CONNECTION.logLines);
  // As if all calls of a sale were to the account, or to the terminal.
  const calls = SALE.objectRequests + REFRESHES_PER_TRANSFER * REFRESH.objectRequests;
  const perMinuteAndAccount = perAccount * busiest * 60 * (1 + REFRESHES_PER_TRANSFER);
  const ofReferences = (perAccount * perDay * days * recorded) / GIGABYTE;
  const ofJournal = (perDay * days * JOURNAL_ROW_BYTES) / GIGABYTE;
  // One delivery at a time; later ones wait.
  const deliveries = 1_000 / ASSUMED.endpointMilliseconds;
  const work = [1_000, "ms of D1 a second"] as const;
  const requests = [OBJECT_REQUESTS, "requests a second"] as const;
  const object = [OBJECT_GIGABYTES, "GB"] as const;
  const shops = "several accounts for a large shop";
  const unneeded = "none needed: a customer takes seconds";
  type Row = [part: string, load: number, limit: readonly [most: number, unit: string], wayPast: string];
  const rows: Record<string, { now: number; rows: Row[] }> = {
    terminals: {
      now: terminals,
      rows: [
        ["D1 at midnight", midnight, work, "a longer spread, or a read replica for logins"],
        ["D1 through the day", daytime, work, "fewer notes of presence"],
        ["D1's size", service + ofFleet, [D1_GIGABYTES, "GB"], "a second database, for the statistics of accounts"],
        ["Logs", lines, [LOG_LINES, "lines a day"], "keep a sample of what went well"],
      ],
    },
    "terminals of one account": {
      now: perAccount,
      rows: [
        ["An account's size", ofReferences, object, shops],
        ["An account's object", perAccount * busiest * calls, requests, shops],
        [
          "An account's rate limit",
          perMinuteAndAccount,
          [perMinute("REQUESTS_PER_ACCOUNT"), "requests a minute"],
          "a higher REQUESTS_PER_ACCOUNT in wrangler.toml",
        ],
        [
          "A webhook",
          webhooks === 0 ? 0 : perAccount * busiest,
          [deliveries, "deliveries a second"],
          "a faster endpoint; the backlog empties after the busiest hour",
        ],
      ],
    },
    "transfers a day of one terminal": {
      now: perDay,
      rows: [
        ["A terminal's size", ofJournal, object, unneeded],
        ["A terminal's object", busiest * SALE.objectRequests, requests, unneeded],
      ],
    },
  };
  return Object.entries(rows).flatMap(([grows, { now, rows: some }]) =>
    some.map(([part, load, [limit, unit], wayPast]) => {
      // The service's own statistics do not grow with the fleet.
      const fixed = part === "D1's size" ? service : 0;
      const endsAt = rounded(((limit - fixed) / (load - fixed)) * now);
      return { part, percent: rounded((load / limit) * 100), limit, unit, grows, endsAt, wayPast };
    }),
  );
}

function term(name: string, terms: Term[], factor: number): Term {
  return { name, dollars: total(times(terms, factor)) };
}

/** US dollars a month, once journals are as long as they get. What the plan includes is not deducted. */
async function billOf({ terminals, perDay, perAccount, webhooks }: Fleet): Promise<Term[]> {
  const prices = await bill();
  const millions = (terminals * perDay * 30) / MILLION;
  return [
    term("transfers", prices.transfers, millions),
    term("renewed tokens of tills", prices.refreshes, millions * REFRESHES_PER_TRANSFER),
    term(`connections of terminals, ${CONNECTIONS_PER_MONTH} each`, prices.terminals, terminals / 1_000),
    term("asking terminals whether they were heard", prices.rounds, terminals / 1_000),
    term("logins of tills, one a day", operations(LOGIN, 1), (terminals / perAccount) * 30),
    term(`webhooks of ${webhooks} % of the accounts`, prices.deliveries, (millions * webhooks) / 100),
  ];
}

/** D1's work for a terminal until it is connected, and until D1 also knows it, milliseconds. */
const LOGIN_WORK = d1Milliseconds(TERMINAL_LOGIN);
const WHOLE_WORK = LOGIN_WORK + d1Milliseconds(TERMINAL_CONNECT);

/** A shop can wait so many seconds for its terminals after an outage that ended all connections. */
const BACK_WITHIN = 15 * 60;

/** Seconds that D1 works after such an outage: for the logins, and with the notes that the terminals are connected. */
export function stormOf(terminals: number) {
  return { terminals, logins: (terminals * LOGIN_WORK) / 1_000, whole: (terminals * WHOLE_WORK) / 1_000 };
}

/**
 * Fleets up to which D1 refuses no call of the storm, and up to which it has done all work in time. What is left of the waits
 * at the end of the outage is spread over the longest one `L`, falling evenly. With `a` as all work in units of `L`, the queue
 * is longest when as much arrives as D1 does: `L (2a - 1)² / 4a`. It must not exceed D1's patience.
 */
export function stormLimits() {
  const { longest } = TERMINAL_RECONNECT;
  const patience = D1_PATIENCE / longest;
  const work = (1 + patience + Math.sqrt((1 + patience) ** 2 - 1)) / 2;
  return { calmUpTo: (work * longest) / WHOLE_WORK, inTimeUpTo: (BACK_WITHIN * 1_000) / WHOLE_WORK };
}

/** Milliseconds between a till or terminal and the edge, there and back: most of the world, and 95 % of it. */
const TO_EDGE = { most: 20, almostAll: 50, url: "https://www.cloudflare.com/network/" };

/** Milliseconds from an edge to the objects and back, read in stored copies of their pages. */
const REGIONS = [
  ["Objects in the same city (Singapore)", 12.3, "https://www.prisma.io/blog/cloud-connectivity-report-2024"],
  ["Shop in Hong Kong, objects in Singapore", 34, "https://www.cloudping.co/"],
  ["Shop in Cape Town, objects in London", 150.1, "https://www.cloudping.co/"],
  ["Shop in Hong Kong, objects in Virginia", 202.5, "https://www.cloudping.co/"],
] as const;

/** A sale without customer, host and code: once from till to edge, once to objects, and twice from there to the terminal. */
function saleTakes(toObjects: number, toEdge: number): number {
  return Math.round(toEdge + toObjects + 2 * (toObjects + toEdge));
}

/** Everything on the page. */
export async function docsFigures(): Promise<typeof written> {
  const kept = await d1Bytes();
  const { recorded } = await bill();
  const { calmUpTo, inTimeUpTo } = stormLimits();
  const bills = [1_000, 10_000, 100_000, COUNTRY.terminals].map(async (terminals) => {
    return { terminals, dollars: Math.round(total(await billOf({ ...COUNTRY, terminals }))) };
  });
  return {
    parts: partsOf(COUNTRY, recorded, kept),
    latencies: REGIONS.map(([region, toObjects, url]) => ({
      region,
      toObjects,
      most: saleTakes(toObjects, TO_EDGE.most),
      almostAll: saleTakes(toObjects, TO_EDGE.almostAll),
      url,
    })),
    toEdge: TO_EDGE,
    kept,
    bills: await Promise.all(bills),
    storms: [100_000, COUNTRY.terminals].map(stormOf),
    stormLimits: { calmUpTo: rounded(calmUpTo), inTimeUpTo: rounded(inTimeUpTo) },
  };
}

/** To two digits. */
function rounded(value: number): number {
  return Number(value.toPrecision(2));
}

const ABOUT = `npm run capacity -- [flags]

Computes what a fleet does to each part of the platform, where each ends, its bill, and how long D1 works after an outage.`;

function aboveZero(does: string): Flag<number> {
  return number(/^(?=.*[1-9])\d+(?:\.\d+)?$/u, "a number above 0", "NUMBER", does);
}

const FLAGS = {
  terminals: aboveZero("terminals of the fleet (1000000)"),
  "per-day": aboveZero("transfers of each in a day (50)"),
  "per-account": aboveZero("terminals of one account (1)"),
  webhooks: aboveZero("percent of the accounts that have a webhook (10)"),
  docs: toggle("writes the numbers of the page /docs/capacity"),
};

async function main(): Promise<void> {
  const { values } = given((args) => readTool(args, ABOUT, FLAGS));
  if (values.docs) {
    const path = join(import.meta.dirname, "../../src/docs/capacity.json");
    writeFileSync(path, `${JSON.stringify(await docsFigures(), null, 2)}\n`);
    return console.log("src/docs/capacity.json is written. Format it, and look at /docs/capacity.");
  }
  const { terminals, webhooks, "per-day": perDay, "per-account": perAccount } = values;
  const fleet: Fleet = {
    terminals: terminals ?? COUNTRY.terminals,
    perDay: perDay ?? COUNTRY.perDay,
    perAccount: perAccount ?? COUNTRY.perAccount,
    webhooks: webhooks ?? COUNTRY.webhooks,
  };
  // Filling a database takes seconds: what D1 keeps is in the documentation.
  const parts = partsOf(fleet, (await bill()).recorded, written.kept);
  console.log(fleet);
  console.table(parts, ["part", "percent", "limit", "unit", "endsAt", "grows", "wayPast"]);
  const terms = await billOf(fleet);
  const month = [...terms, { name: "A month, USD", dollars: total(terms) }];
  console.table(month.map(({ name, dollars }) => ({ name, dollars: dollars.toFixed(2) })));
  const { logins, whole } = stormOf(fleet.terminals);
  const { calmUpTo, inTimeUpTo } = stormLimits();
  console.log(`After an outage, D1 works ${logins} s for logins, ${whole} s until it knows all as connected.`);
  console.log(`It refuses nothing up to ${rounded(calmUpTo)} terminals, and is done within 15 minutes up to`);
  console.log(`${rounded(inTimeUpTo)}. Limits and assumptions, with sources: test/capacity/capacity.ts.`);
}

if (import.meta.main) await main();
