/** `cloudflare:workers` on Node, for `npm run path`, with what the Workers runtime has as globals and Node has not. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { MemoryD1 } from "./database.ts";
import { namespace } from "./objects.ts";
import { socketPair } from "./sockets.ts";

/** Node's, which may also be an upgrade. */
class UpgradeResponse extends Response {
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

// Also of responses that Node makes itself.
Object.assign(Response.prototype, { webSocket: null });
Object.assign(globalThis, {
  Response: UpgradeResponse,
  WebSocketPair,
  WebSocketRequestResponsePair: Object,
  scheduler: { wait: (milliseconds: number) => delay(milliseconds, undefined, { ref: false }) },
});

export class DurableObject {
  readonly ctx: DurableObjectState;
  readonly env: Env;

  constructor(context: DurableObjectState, env: Env) {
    this.ctx = context;
    this.env = env;
  }
}

/** As much of wrangler.toml as is needed; no rate is limited. */
const CONFIGURATION = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");

const settings = CONFIGURATION.match(/^\[vars\][^[]*/mu)?.[0].matchAll(/^(\w+) = "(.*)"$/gmu) ?? [];

const rateLimits = CONFIGURATION.matchAll(/^\[\[ratelimits\]\]\nname = "(\w+)"/gmu);

export const env = {
  ...Object.fromEntries([...settings].map(([, name, value]) => [name, value])),
  ...Object.fromEntries([...rateLimits].map(([, name]) => [name, { limit: async () => ({ success: true }) }])),
  ...TEST_SECRETS,
  DATABASE: new MemoryD1(),
} as unknown as Env;

/** The Worker's files import this one, so it cannot wait for them. */
const worker = import("../../src/gateway/index.ts");
Object.assign(env, {
  ACCOUNT: namespace(async () => (await worker).Account, env),
  COORDINATOR: namespace(async () => (await worker).Coordinator, env),
  TERMINAL: namespace(async () => (await worker).Terminal, env),
});

const context = {
  waitUntil: (work: Promise<unknown>) => void work.catch(() => undefined),
  passThroughOnException: () => undefined,
  props: {},
} as unknown as ExecutionContext;

export const exports = {
  default: { fetch: async (request: Request) => (await worker).default.fetch(request, env, context) },
};
