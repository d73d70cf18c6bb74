/** `cloudflare:workers` on Node. */
import { TEST_SECRETS } from "../support/test-secrets.ts";
import { DATABASE } from "./database.ts";
import { installGlobals } from "./globals.ts";
import { namespace } from "./objects.ts";

installGlobals();

export class DurableObject {
  readonly ctx: DurableObjectState;
  readonly env: Env;

  constructor(context: DurableObjectState, env: Env) {
    this.ctx = context;
    this.env = env;
  }
}

export const env = { ...TEST_SECRETS, DATABASE, REQUEST_SECONDS: "90" } as unknown as Env;
Object.assign(env, {
  ACCOUNT: namespace("Account", env),
  KEEPER: namespace("Keeper", env),
  TERMINAL: namespace("Terminal", env),
});
