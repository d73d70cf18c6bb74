/**
 * Time that passes faster, in the process of the tests: what tests of the clients and kits take is mostly waiting. Every clock
 * goes equally fast, so a wait of a second still is a second long.
 */

/** Not more: work takes as long as ever, and a test's limit of some seconds must not end it on a busy machine. */
const FASTER = 5;

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

type Start = (run: () => void, milliseconds?: number, ...given: unknown[]) => unknown;

function faster(start: Start): Start {
  const fast: Start = (run, milliseconds = 0, ...given) => start(run, milliseconds / FASTER, ...given);
  // `promisify` looks for Node's own form.
  return Object.assign(fast, start);
}

/** Again after each test: it may have put others in their place, or Vitest its own. */
export function installFastClock(): void {
  Object.assign(globalThis, {
    Date: FastDate,
    setTimeout: faster(setTimeout as Start),
    setInterval: faster(setInterval as Start),
  });
  performance.now = () => monotonic() * FASTER;
}

installFastClock();
