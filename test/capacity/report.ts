/** What `npm run capacity` prints for people. */
import type { Computed, MidnightResult, StormLimits, StormResult } from "./computed.ts";
import { ROUND_TRIPS, TO_EDGE } from "./latency.ts";
import { endsFirst, type Part } from "./parts.ts";
import { FLEET, PLATFORM } from "./platform.ts";
import { BACK_WITHIN } from "./scenarios.ts";

export function reportOf({ options, parts, bill, latencies, midnight, storm, stormLimits }: Computed): string {
  const { terminals, perDay, perAccount, seed } = options;
  return [
    `${grouped(terminals)} terminals with ${grouped(perDay)} transfers a day each, ${grouped(perAccount)} in an account`,
    "",
    "What each part carries",
    ...parts.map(partLine),
    "",
    "What ends first",
    ...(["terminals", "terminals of one account", "transfers a day of one terminal"] as const).map((grows) => {
      const first = endsFirst(parts, grows);
      return first === undefined
        ? ""
        : `  ${rounded(first.endsAt)} ${grows}: ${first.part}. Way past: ${first.wayPast}.`;
    }),
    "",
    `A month: ${grouped(Math.round(bill.total))} USD`,
    ...bill.terms.map(({ name, dollars }) => `  ${name.padEnd(48)}${grouped(Math.round(dollars)).padStart(12)}`),
    "",
    `A sale's own time: ${ROUND_TRIPS.till} round trip of the till, ${ROUND_TRIPS.objects} to objects, ` +
      `${ROUND_TRIPS.terminal} to the terminal; ${TO_EDGE.most} or ${TO_EDGE.almostAll} ms to the nearest edge`,
    ...latencies.map(
      ({ region, most, almostAll, source }) =>
        `  ${region.padEnd(44)}${`${most.toFixed(0)} to ${almostAll.toFixed(0)} ms`.padStart(14)}  ${source.url}`,
    ),
    ...(midnight === null ? [] : ["", ...midnightLines(midnight)]),
    ...(storm === null || stormLimits === null ? [] : ["", ...stormLines(storm, stormLimits)]),
    "",
    "Not confirmed by a public page:",
    ...[...Object.values(PLATFORM), ...Object.values(FLEET)]
      .filter(({ confirmed }) => !confirmed)
      .map(({ value, what }) => `  ${grouped(value)}: ${what}`),
    "  round-trip times: read in stored copies of their pages",
    "Sources:",
    ...Object.values(PLATFORM)
      .filter(({ confirmed }) => confirmed)
      .map(({ what, url, date }) => `  ${what}: ${url} (${date})`),
    "  prices: test/cost/prices.ts",
    ...(midnight === null ? [] : [`Seed of the simulations: ${seed}`]),
  ].join("\n");
}

function partLine({ part, what, load, limit, unit }: Part): string {
  const share = (load / limit) * 100;
  const used = `${share < 1 ? share.toPrecision(1) : share.toFixed(0)} %`;
  return `  ${part.padEnd(24)}${used.padStart(10)} of ${grouped(limit)} ${unit}: ${what}`;
}

function midnightLines({ tills, loggedIn, refused, busiestPercent }: MidnightResult): string[] {
  return [
    `Midnight: ${grouped(tills)} tills log in`,
    `  D1 is busy for ${busiestPercent.toFixed(0)} % of the time at most, and refuses ${grouped(refused)} logins.`,
    refused === 0
      ? "  It stays within limits."
      : "  It does NOT stay within limits: a refused till logs in with its next payment, which waits for that.",
    `  ${grouped(loggedIn)} of ${grouped(tills)} tills are logged in at the end.`,
  ];
}

function stormLines(storm: StormResult, limits: StormLimits): string[] {
  const { terminals, outageEnds, back, triesPerSecond, turnedAway, limited, connected, unlisted } = storm;
  return [
    `Outage of ${(outageEnds ?? 0) / 60} minutes, and the storm after it: ${grouped(terminals)} terminals`,
    `  up to ${grouped(Math.round(triesPerSecond))} tries a second; back after it: half in ${minutes(back.half)}, ` +
      `99 % in ${minutes(back.most)}, all in ${minutes(back.all)}`,
    `  D1 turns terminals away ${grouped(turnedAway)} times, the rate limit of logins ${grouped(limited)} times.`,
    turnedAway === 0
      ? "  It stays within limits."
      : "  It does NOT stay within limits: D1 ends first. Payments at connected terminals do not need it.",
    `  Turns nobody away up to ${upTo(limits.calmUpTo)} terminals; 99 % are back within ${BACK_WITHIN / 60_000} minutes up to ` +
      `${upTo(limits.inTimeUpTo)}. Way past: logins from read replicas of D1, fewer notes of presence.`,
    `  ${grouped(connected)} of ${grouped(terminals)} are connected at the end; D1 does not know of ${grouped(unlisted)}.`,
  ];
}

function upTo(terminals: number | null): string {
  return terminals === null ? "any number of" : grouped(terminals);
}

/** Seconds as a sentence has them. */
export function minutes(seconds: number | null): string {
  if (seconds === null) return "more than twelve hours";
  return seconds < 120 ? `${Math.round(seconds)} seconds` : `${Math.round(seconds / 60)} minutes`;
}

export function grouped(value: number): string {
  return value.toLocaleString("en");
}

/** To two digits. */
export function rounded(value: number): string {
  return grouped(Number(value.toPrecision(2)));
}
