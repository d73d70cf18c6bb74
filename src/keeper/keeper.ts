/**
 * The keeper's Durable Object: one for the whole service, for what must outlive D1. It counts transaction numbers: a D1
 * that is restored to an earlier time, full or away neither rewinds the counter nor stops it. No transfer waits for it,
 * because every terminal has numbers in reserve.
 */
import { DurableObject } from "cloudflare:workers";
import { migrate } from "../objects/storage/migrate.ts";
import type { KeeperCalls, NumberBlock } from "./calls.ts";
import { reserveNumbers } from "./storage/numbers.ts";
import { MIGRATIONS } from "./storage/schema.ts";

export class Keeper extends DurableObject<Env> implements KeeperCalls {
  constructor(context: DurableObjectState, env: Env) {
    super(context, env);
    migrate(context.storage, MIGRATIONS);
  }

  async reserveNumbers(size: number, above: number): Promise<NumberBlock | null> {
    return reserveNumbers(this.ctx.storage.sql, size, above);
  }
}
