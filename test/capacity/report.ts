/** What `npm run capacity` prints for people. */
import type { Computed } from "./computed.ts";
import { ROUND_TRIPS, TO_EDGE } from "./latency.ts";
import { endsFirst, GROWTHS, type Part } from "./parts.ts";
import { ASSUMED_FIGURES, CONFIRMED_FIGURES } from "./platform.ts";
import { BACK_WITHIN, type Storm, type StormLimits } from "./storm.ts";

export function reportOf({ fleet, parts, bill, latencies, storm, stormLimits }: Computed): string {
  const { terminals, perDay, perAccount } = fleet;
  return [
    `${grouped(terminals)} terminals with ${grouped(perDay)} transfers a day each, ${grouped(perAccount)} in an account`,
    "",
    "What each part carries",
    ...parts.map(partLine),
    "",
    "What ends first",
    ...GROWTHS.map((grows) => {
      const { endsAt, part, wayPast } = endsFirst(parts, grows);
      return `  ${rounded(endsAt)} ${grows}: ${part}. Way past: ${wayPast}.`;
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
    "",
    ...stormLines(storm, stormLimits),
    "",
    "Not confirmed by a public page:",
    ...ASSUMED_FIGURES.map(({ value, what }) => `  ${grouped(value)}: ${what}`),
    "  round-trip times: read in stored copies of their pages",
    "Sources:",
    ...CONFIRMED_FIGURES.map(({ what, url, date }) => `  ${what}: ${url} (${date})`),
    "  prices: test/cost/prices.ts",
  ].join("\n");
}

function partLine({ part, what, load, limit, unit }: Part): string {
  const share = (load / limit) * 100;
  const used = `${share < 1 ? share.toPrecision(1) : share.toFixed(0)} %`;
  return `  ${part.padEnd(24)}${used.padStart(10)} of ${grouped(limit)} ${unit}: ${what}`;
}

function stormLines({ terminals, logins, whole }: Storm, { calmUpTo, inTimeUpTo }: StormLimits): string[] {
  return [
    `After an outage that ends all connections: ${grouped(terminals)} terminals`,
    `  D1 works ${rounded(logins)} seconds for their logins, and ${rounded(whole)} until it knows all as connected.`,
    terminals <= calmUpTo
      ? "  It stays within limits."
      : "  It does NOT stay within limits: D1 refuses calls meanwhile. Payments at connected terminals do not need it.",
    `  D1 refuses nothing up to ${rounded(calmUpTo)} terminals, and is done within ${BACK_WITHIN / 60} minutes up to ` +
      `${rounded(inTimeUpTo)}. Way past: logins from read replicas of D1, fewer notes of presence.`,
  ];
}

function grouped(value: number): string {
  return value.toLocaleString("en");
}

/** To two digits. */
function rounded(value: number): string {
  return grouped(Number(value.toPrecision(2)));
}
