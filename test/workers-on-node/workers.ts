/** `cloudflare:workers` on Node. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repetition } from "../support/repetition.ts";
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { DATABASE } from "./database.ts";
import { installGlobals } from "./globals.ts";
import { namespace } from "./objects.ts";
import { RateLimit } from "./rate-limit.ts";

installGlobals();

export class DurableObject {
  readonly ctx: DurableObjectState;
  readonly env: Env;

  constructor(context: DurableObjectState, env: Env) {
    this.ctx = context;
    this.env = env;
  }
}

/** As much of wrangler.toml as the tests need. */
const CONFIGURATION = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");

const settings = CONFIGURATION.match(/^\[vars\][^[]*/mu)?.[0].matchAll(/^(\w+) = "(.*)"$/gmu) ?? [];

const rateLimits = CONFIGURATION.matchAll(/^\[\[ratelimits\]\]\nname = "(\w+)"\n.*\nsimple = \{ limit = (\d+),/gmu);

export const env = {
  ...Object.fromEntries([...settings].map(([, name, value]) => [name, value])),
  ...Object.fromEntries([...rateLimits].map(([, name, limit]) => [name, new RateLimit(Number(limit))])),
  ...TEST_SECRETS,
  ...repetition(process.env),
  DATABASE,
} as unknown as Env;
Object.assign(env, {
  ACCOUNT: namespace("Account", env),
  COORDINATOR: namespace("Coordinator", env),
  TERMINAL: namespace("Terminal", env),
});

declare global {
  /** Resolves once the Worker is loaded. */
  var workerLoaded: Promise<typeof import("./front-door.ts")> | undefined;
}

/** The Worker's files import this one, so it cannot wait for them. */
const worker = import("./front-door.ts");
globalThis.workerLoaded = worker;

export const exports = {
  default: { fetch: async (request: Request): Promise<Response> => (await worker).frontDoor(request, env) },
};
