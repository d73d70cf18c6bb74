/** What `capacity.json` holds: computed by `npm run capacity -- --docs`, which a test holds it against. */

export interface CapacityFigures {
  parts: {
    part: string;
    what: string;
    percent: number;
    limit: number;
    unit: string;
    grows: string;
    endsAt: number;
    wayPast: string;
  }[];
  /** Bytes that D1 keeps: of an account, of a terminal, and of the whole service's statistics. */
  kept: { account: number; terminal: number; service: number };
  bills: { terminals: number; dollars: number }[];
  /** Milliseconds. */
  latencies: { region: string; toObjects: number; most: number; almostAll: number; url: string }[];
  toEdge: { most: number; almostAll: number; url: string };
  /** Seconds that D1 works for a fleet after an outage: for the logins alone, and with the notes of its presence. */
  storms: { terminals: number; logins: number; whole: number }[];
  /** Terminals up to which D1 refuses nothing after an outage, and up to which it is done within fifteen minutes. */
  stormLimits: { calmUpTo: number; inTimeUpTo: number };
  assumed: { value: number; what: string }[];
  sources: { value: number; what: string; url: string; date: string }[];
}
