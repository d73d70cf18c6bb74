/** What the Workers runtime has as globals, and Node has not. */
import { socketPair } from "./sockets.ts";

/** How many rounds of the event loop a short wait may take: nothing that tests wait for takes more. */
const ROUNDS = 20;

/** Waits of a second and more give up on something, which may be at work in another thread. */
const LONG = 1_000;

/** How much faster those pass than on the platform. */
const FASTER = 50;

// A test may put false timers in their place.
const { setTimeout } = globalThis;

/** Shorter than on the platform, as nothing here takes long: the longer of two waits still ends later. */
async function wait(milliseconds: number): Promise<void> {
  if (milliseconds >= LONG) {
    await new Promise((resolve) => setTimeout(resolve, milliseconds / FASTER).unref());
    return;
  }
  for (let round = 0; round < Math.min(milliseconds, ROUNDS); round++) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Node's, which may also be an upgrade. */
class UpgradeResponse extends Response {
  static readonly isUpgradable = true;

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
  if (!("isUpgradable" in Response)) Object.assign(globalThis, { Response: UpgradeResponse });
  Object.assign(globalThis, { scheduler: { wait }, WebSocketPair, WebSocketRequestResponsePair });
}
