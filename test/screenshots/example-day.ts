/** A day's numbers for the picture of the overview: the demo has only just begun. What is broken is the demo's own. */
import type { Overview } from "../../src/protocol/overview.ts";
import type { HourFigures, Percentiles } from "../../src/protocol/statistics.ts";

const HOUR = 3_600_000;

function times(p50: number): Percentiles {
  return { p50, p95: Math.round(p50 * 2.3), p99: Math.round(p50 * 4.1) };
}

/** Shops are busy at noon and in the evening. `hour`: of the day, from 0 to 23. */
function hourOf(at: number, hour: number): HourFigures {
  const busy = Math.max(0, Math.sin(((hour - 6) / 17) * Math.PI)) + Math.max(0, 1 - Math.abs(hour - 18) / 3) / 2;
  const approved = Math.round(busy * 64);
  const declined = Math.round(busy * 4.5);
  return {
    hour: new Date(at).toISOString(),
    transactions: { "00": approved, "11": declined },
    approvalRate: approved === 0 ? null : approved / (approved + declined),
    gateway: approved === 0 ? null : times(11 + Math.round(busy * 4)),
    queue: null,
    delivery: approved === 0 ? null : times(48 + Math.round(busy * 22)),
    customer: approved === 0 ? null : times(6_400),
    recording: approved === 0 ? null : times(24),
  };
}

/** The demo's overview at the end of an example day. */
export function exampleDay(overview: Overview): Overview {
  const last = Math.floor(Date.parse(overview.at) / HOUR) * HOUR;
  // The picture is the same whenever it is taken: it ends at eight in the evening.
  const hours = Array.from({ length: 25 }, (_, index) => hourOf(last - (24 - index) * HOUR, (20 + index) % 24));
  const sum = (status: "00" | "11"): number =>
    hours.reduce((total, { transactions }) => total + transactions[status], 0);
  const [approved, declined] = [sum("00"), sum("11")];
  const shares = [
    ["05", 0.52],
    ["51", 0.27],
    ["55", 0.13],
    ["CANCELLED", 0.08],
  ] as const;
  const latest = hours.at(-1)?.transactions ?? { "00": 0, "11": 0 };
  return {
    ...overview,
    hours,
    lastHour: { ...overview.lastHour, transactions: latest },
    lastDay: {
      ...overview.lastDay,
      transactions: { "00": approved, "11": declined },
      approvalRate: approved / (approved + declined),
      gateway: times(14),
      queue: times(3),
      delivery: times(61),
      customer: times(6_400),
      recording: times(24),
    },
    declines: shares.map(([responseCode, share]) => ({
      responseCode,
      statusCode: "11",
      count: Math.round(declined * share),
    })),
  };
}
