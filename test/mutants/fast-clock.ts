/**
 * Time that passes faster, in the process of the tests: what tests of the clients and kits take is mostly waiting. Every clock
 * goes equally fast, so a wait of a second still is a second long.
 */

/** Not more: work takes as long as ever, and a test's limit of some seconds must not end it on a busy machine. */
const FASTER = 5;

interface Clocks {
  Date: DateConstructor;
  setTimeout: unknown;
  setInterval: unknown;
  now: () => number;
}

declare global {
  var fastClocks: Clocks | undefined;
}

type Start = (run: () => void, milliseconds?: number, ...given: unknown[]) => unknown;

function faster(start: Start): Start {
  const fast: Start = (run, milliseconds = 0, ...given) => start(run, milliseconds / FASTER, ...given);
  // `promisify` looks for Node's own form.
  return Object.assign(fast, start);
}

function makeClocks(): Clocks {
  const { setTimeout, setInterval, Date: RealDate } = globalThis;
  const monotonic = performance.now.bind(performance);
  const origin = RealDate.now() - monotonic() * FASTER;

  class FastDate extends RealDate {
    constructor(...given: unknown[]) {
      super(...((given.length === 0 ? [FastDate.now()] : given) as [number]));
    }

    static override now(): number {
      return Math.floor(origin + monotonic() * FASTER);
    }
  }

  return {
    Date: FastDate as DateConstructor,
    setTimeout: faster(setTimeout as Start),
    setInterval: faster(setInterval as Start),
    now: () => monotonic() * FASTER,
  };
}

/** Global, because this module may be evaluated again: then all clocks are fast already. */
const { now, ...others } = (globalThis.fastClocks ??= makeClocks());

/** Again after each test: it may have put others in their place, or Vitest its own. */
export function installFastClock(): void {
  Object.assign(globalThis, others);
  performance.now = now;
}

installFastClock();
