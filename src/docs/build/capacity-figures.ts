/** What `capacity.json` holds: computed by `npm run capacity -- --docs`, which a test holds it against. */

/** A simulation. Its lines have a number for each step; times are seconds. */
export interface PlayedFigures {
  step: number;
  /** Where on the time line the outage ends; null: there is none. */
  outageEnds: number | null;
  lines: {
    /** Tries a second. */
    tries: number[];
    /** Logins, or connections, a second. */
    arrived: number[];
    /** Percent of the time that D1 is busy. */
    d1Percent: number[];
    /** Tries a second that D1 refuses. */
    turnedAway: number[];
  };
}

export interface StormFigures extends PlayedFigures {
  terminals: number;
  /** Until half, 99 % and all terminals are back after the outage; null: not within twelve hours. */
  back: { half: number | null; most: number | null; all: number | null };
  triesPerSecond: number;
  turnedAway: number;
}

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
  midnight: PlayedFigures & { tills: number; refused: number; busiestPercent: number };
  storms: StormFigures[];
  /** Terminals up to which nobody is turned away, and up to which 99 % are back within fifteen minutes; null: more. */
  stormLimits: { calmUpTo: number | null; inTimeUpTo: number | null };
  assumed: { value: number; what: string }[];
  sources: { value: number; what: string; url: string; date: string }[];
}
