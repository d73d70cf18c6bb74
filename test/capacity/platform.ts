/** Public limits of the platform, each with its source, and what had to be assumed where no public figure was found. */

export interface Source {
  url: string;
  /** The date that the page shows, or on which it was read. */
  date: string;
  /** False: no public page says so, or it could not be read. */
  confirmed: boolean;
}

/** A number with where it comes from. */
export interface Figure extends Source {
  value: number;
  /** What the number is, as a sentence has it. */
  what: string;
}

const D1 = "https://developers.cloudflare.com/d1/platform/limits/";
const OBJECTS = "https://developers.cloudflare.com/durable-objects/platform/limits/";
const LOGS = "https://developers.cloudflare.com/workers/observability/logs/workers-logs/";
const RATES = "https://developers.cloudflare.com/workers/runtime-apis/bindings/rate-limit/";

function figure(value: number, what: string, url: string, date: string): Figure {
  return { value, what, url, date, confirmed: true };
}

function assumed(value: number, what: string, url = ""): Figure {
  return { value, what, url, date: "", confirmed: false };
}

export const PLATFORM = {
  d1Read: figure(
    1,
    "milliseconds of a query that D1 takes as its example: it runs one at a time, so about 1,000 a second",
    D1,
    "2026-04-21",
  ),
  d1Write: assumed(2, "milliseconds of a batch that writes a row: D1 names no figure for writes", D1),
  d1Patience: assumed(
    5_000,
    "milliseconds that a query waits in D1's queue before it gets an “overloaded” error: D1 names no figure",
    "https://developers.cloudflare.com/d1/observability/debug-d1/",
  ),
  d1Gigabytes: figure(10, "GB of one D1 database", D1, "2026-04-21"),
  objectRequests: figure(1_000, "requests a second to one object, a soft limit", OBJECTS, "2026-06-01"),
  objectGigabytes: figure(10, "GB of one object", OBJECTS, "2026-06-01"),
  logLines: figure(5e9, "log lines of one Cloudflare account in a day; beyond them 1 % is kept", LOGS, "2026-10-02"),
  rateScope: figure(
    60,
    "seconds in which a rate limit counts, in each Cloudflare location by itself",
    RATES,
    "2026-11-22",
  ),
} satisfies Record<string, Figure>;

/** How a fleet behaves. Nobody publishes this: change it to what you know of yours. */
export const FLEET = {
  busiestHour: assumed(0.15, "share of a day's transfers in its busiest hour"),
  refreshes: assumed(0.5, "refreshes of a till's tokens for each transfer"),
  connectionsPerDay: assumed(1, "connections of a terminal in a day"),
} satisfies Record<string, Figure>;

const FIGURES: Figure[] = [...Object.values(PLATFORM), ...Object.values(FLEET)];

export const ASSUMED_FIGURES = FIGURES.filter(({ confirmed }) => !confirmed);
export const CONFIRMED_FIGURES = FIGURES.filter(({ confirmed }) => confirmed);
