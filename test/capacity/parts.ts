/** What each part of the platform carries of a fleet, and how large the fleet is where it ends. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { LOGIN_SPREAD } from "../../src/client/limits.ts";
import { JOURNAL_LIFE } from "../../src/protocol/limits/transfers.ts";
import { JOURNAL_ROW_BYTES } from "../cost/kept-bytes.ts";
import { ASSUMED, GIGABYTE } from "../cost/prices.ts";
import { CONNECTION, type Counts, LOGIN, REFRESH, SALE } from "../cost/sale.ts";
import type { D1Bytes } from "./d1-bytes.ts";
import type { Fleet } from "./options.ts";
import { FLEET, type Figure, PLATFORM } from "./platform.ts";

const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;

/** What grows until a part ends: the whole fleet, the terminals of one account, or the transfers of one terminal. */
export const GROWTHS = ["terminals", "terminals of one account", "transfers a day of one terminal"] as const;

/** One limit. `load` and `limit` have the same unit. */
export interface Part {
  part: string;
  /** What it carries. */
  what: string;
  load: number;
  limit: number;
  unit: string;
  grows: (typeof GROWTHS)[number];
  /** How many of those there are where it ends. */
  endsAt: number;
  /** What to do then. */
  wayPast: string;
  source: Figure | null;
}

/**
 * @param recorded bytes that an account's object keeps of one completed sale; see `recordedBytes`
 * @param kept bytes that D1 keeps; see `d1Bytes`
 */
export function parts({ terminals, perDay, perAccount, webhooks }: Fleet, recorded: number, kept: D1Bytes): Part[] {
  const tills = terminals / perAccount;
  const busiest = (perDay * FLEET.busiestHour.value) / HOUR_SECONDS;
  const keptDays = JOURNAL_LIFE / 86_400_000;
  const refreshes = FLEET.refreshes.value;

  const growing =
    (grows: Part["grows"], now: number) =>
    (part: Omit<Part, "grows" | "endsAt">): Part => ({ ...part, grows, endsAt: (part.limit / part.load) * now });
  const fleet = growing("terminals", terminals);
  const account = growing("terminals of one account", perAccount);
  const terminal = growing("transfers a day of one terminal", perDay);
  const ofFleet = (terminals * kept.terminal + tills * kept.account) / GIGABYTE;
  const objectRequests = {
    limit: PLATFORM.objectRequests.value,
    unit: "requests a second",
    source: PLATFORM.objectRequests,
  };
  const objectBytes = { limit: PLATFORM.objectGigabytes.value, unit: "GB", source: PLATFORM.objectGigabytes };
  const d1Time = { limit: 1_000, unit: "ms of D1 a second", source: PLATFORM.d1Read };

  return [
    fleet({
      part: "D1 at midnight",
      what: "one login of every till, spread over the client's half hour",
      load: (tills * d1Milliseconds(LOGIN)) / (LOGIN_SPREAD / 1_000),
      ...d1Time,
      wayPast: "a longer spread, or a read replica for logins",
    }),
    fleet({
      part: "D1 through the day",
      what: "connections of terminals, evenly over the day",
      load: (terminals * FLEET.connectionsPerDay.value * d1Milliseconds(CONNECTION)) / DAY_SECONDS,
      ...d1Time,
      wayPast: "fewer notes of presence",
    }),
    {
      part: "D1's size",
      what: "terminals, accounts and their statistics",
      load: kept.service / GIGABYTE + ofFleet,
      limit: PLATFORM.d1Gigabytes.value,
      unit: "GB",
      grows: "terminals",
      endsAt: ((PLATFORM.d1Gigabytes.value - kept.service / GIGABYTE) / ofFleet) * terminals,
      wayPast: "a second database, for the statistics of accounts",
      source: PLATFORM.d1Gigabytes,
    },
    fleet({
      part: "Logs",
      what: "a line for each request and finished transaction",
      load: terminals * (perDay * (SALE.logLines + refreshes * REFRESH.logLines) + CONNECTION.logLines),
      limit: PLATFORM.logLines.value,
      unit: "lines a day",
      wayPast: "keep a sample of what went well",
      source: PLATFORM.logLines,
    }),
    account({
      part: "An account's size",
      what: `references and events of ${keptDays} days`,
      load: (perAccount * perDay * keptDays * recorded) / GIGABYTE,
      ...objectBytes,
      wayPast: "several accounts for a large shop",
    }),
    account({
      part: "An account's object",
      what: "all calls of a sale and its share of refreshes, as if all were to the account",
      load: perAccount * busiest * (SALE.objectRequests + refreshes * REFRESH.objectRequests),
      ...objectRequests,
      wayPast: "several accounts for a large shop",
    }),
    account({
      part: "An account's rate limit",
      what: "transfers and refreshes in the busiest hour",
      load: perAccount * busiest * 60 * (1 + refreshes),
      limit: perMinute("REQUESTS_PER_ACCOUNT"),
      unit: "requests a minute",
      wayPast: "a higher REQUESTS_PER_ACCOUNT in wrangler.toml",
      source: PLATFORM.rateScope,
    }),
    ...(webhooks === 0
      ? []
      : [
          account({
            part: "A webhook",
            what: `one delivery at a time, ${ASSUMED.endpointMilliseconds} ms each; later ones wait`,
            load: perAccount * busiest,
            limit: 1_000 / ASSUMED.endpointMilliseconds,
            unit: "deliveries a second",
            wayPast: "a faster endpoint; the backlog empties after the busiest hour",
            source: null,
          }),
        ]),
    terminal({
      part: "A terminal's size",
      what: `its journal of ${keptDays} days`,
      load: (perDay * keptDays * JOURNAL_ROW_BYTES) / GIGABYTE,
      ...objectBytes,
      wayPast: "none needed: a customer takes seconds",
    }),
    terminal({
      part: "A terminal's object",
      what: "all calls of a sale, as if all were to the terminal",
      load: busiest * SALE.objectRequests,
      ...objectRequests,
      wayPast: "none needed: a customer takes seconds",
    }),
  ];
}

/** Of each kind of growth, the part that ends first. */
export function endsFirst(all: readonly Part[], grows: Part["grows"]): Part {
  const [first] = all.filter((part) => part.grows === grows).toSorted((one, other) => one.endsAt - other.endsAt);
  if (first === undefined) throw new Error(`Nothing ends with more ${grows}.`);
  return first;
}

/** How long D1 works for what a counted step asks of it. */
export function d1Milliseconds({ d1RoundTrips, d1Writes }: Counts): number {
  return (d1RoundTrips - d1Writes) * PLATFORM.d1Read.value + d1Writes * PLATFORM.d1Write.value;
}

const configuration = readFileSync(join(import.meta.dirname, "..", "..", "wrangler.toml"), "utf8");

/** What a rate limit of wrangler.toml lets pass in a minute. */
function perMinute(name: string): number {
  const found = new RegExp(`name = "${name}"[^[]*?limit = ([0-9]+), period = 60`, "u").exec(configuration)?.[1];
  if (found === undefined) throw new Error(`wrangler.toml has no rate limit ${name} per minute.`);
  return Number(found);
}
