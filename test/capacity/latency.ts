/** How long a sale takes beside its customer: its round trips, times public figures for each. */
import type { Source } from "./platform.ts";

/**
 * Round trips before the till has its answer. The till's connection is open. The record of the outcome comes after the
 * answer.
 */
export const ROUND_TRIPS = {
  /** The till's request and its answer. */
  till: 1,
  /** From the Worker to the terminal's object. The account admits while that object wakes and pings the terminal. */
  objects: 1,
  /** From the terminal's object over its edge to the terminal: is it there, and the request with its result. */
  terminal: 2,
};

export interface Region {
  name: string;
  /** Milliseconds of one round trip from an edge to the objects. */
  toObjects: number;
  source: Source;
}

/** A figure of a stored copy of the page: it could not be compared with the page of today. */
function read(url: string, date: string): Source {
  return { url, date, confirmed: false };
}

const CLOUDPING = read("https://www.cloudping.co/", "2026");

export const REGIONS: readonly Region[] = [
  {
    name: "Objects in the same city (Singapore)",
    toObjects: 12.3,
    source: read("https://www.prisma.io/blog/cloud-connectivity-report-2024", "2024-07-04"),
  },
  { name: "Shop in Hong Kong, objects in Singapore", toObjects: 34.0, source: CLOUDPING },
  { name: "Shop in Cape Town, objects in London", toObjects: 150.1, source: CLOUDPING },
  { name: "Shop in Hong Kong, objects in Virginia", toObjects: 202.5, source: CLOUDPING },
];

/** Milliseconds of a round trip between a till or terminal and the edge: most of the world, and 95 % of it. */
export const TO_EDGE = {
  most: 20,
  almostAll: 50,
  source: { url: "https://www.cloudflare.com/network/", date: "2026", confirmed: false } satisfies Source,
};

export interface Latency {
  region: string;
  toObjects: number;
  /** Milliseconds of a sale, without the customer, the host and the code. */
  most: number;
  almostAll: number;
  source: Source;
}

export function latencies(): Latency[] {
  return REGIONS.map(({ name, toObjects, source }) => {
    const sale = (toEdge: number): number =>
      ROUND_TRIPS.till * toEdge + ROUND_TRIPS.objects * toObjects + ROUND_TRIPS.terminal * (toObjects + toEdge);
    return { region: name, toObjects, most: sale(TO_EDGE.most), almostAll: sale(TO_EDGE.almostAll), source };
  });
}
