/** What the Workers runtime has as globals, and Node has not. */
import { socketPair } from "./sockets.ts";

/** How many rounds of the event loop a short wait may take: nothing that tests wait for takes more. */
const ROUNDS = 20;

/** Waits of a second and more give up on something, which may be at work in another thread. */
const LONG = 1_000;

/**
 * How much faster those pass than the clock, because nothing real is waited for. Not more: on a busy machine, requests would
 * be given up while their work goes on.
 */
const FASTER = 2;

/** Milliseconds of one look at the clock. By looks, a wait is longer on a busy machine, where the work takes longer, too. */
const LOOK = 5;

// A test may put false timers in their place.
const { setImmediate, setTimeout } = globalThis;

/** Shorter than on the platform, as nothing here takes long: the longer of two waits still ends later. */
async function wait(milliseconds: number): Promise<void> {
  if (milliseconds >= LONG) {
    for (let looks = milliseconds / FASTER / LOOK; looks > 0; looks--) {
      await new Promise((resolve) => setTimeout(resolve, LOOK).unref());
    }
    return;
  }
  for (let round = 0; round < Math.min(milliseconds, ROUNDS); round++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  // Other threads, such as those of WebCrypto, get their turn, too.
  await new Promise((resolve) => setTimeout(resolve, 1));
}

const NodeResponse = Response;

/** Node's, which may also be an upgrade. */
class UpgradeResponse extends Response {
  static readonly isUpgradable = true;

  /** `Response.json` and `fetch` make Node's own. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return Object.prototype.isPrototypeOf.call(NodeResponse.prototype, value as object);
  }

  constructor(body?: BodyInit | null, init: ResponseInit = {}) {
    const isUpgrade = init.status === 101;
    super(body, isUpgrade ? { headers: init.headers ?? {} } : init);
    if (isUpgrade) Object.defineProperties(this, { status: { value: 101 }, webSocket: { value: init.webSocket } });
  }
}

class WebSocketPair {
  readonly 0: unknown;
  readonly 1: unknown;

  constructor() {
    [this[0], this[1]] = socketPair();
  }
}

class WebSocketRequestResponsePair {
  readonly request: string;
  readonly response: string;

  constructor(request: string, response: string) {
    this.request = request;
    this.response = response;
  }
}

export function installGlobals(): void {
  // The file may be evaluated again.
  if (!("isUpgradable" in Response)) {
    // Also of those that Node makes itself.
    Object.assign(NodeResponse.prototype, { webSocket: null });
    Object.assign(globalThis, { Response: UpgradeResponse });
  }
  Object.assign(globalThis, { scheduler: { wait }, WebSocketPair, WebSocketRequestResponsePair });
}
