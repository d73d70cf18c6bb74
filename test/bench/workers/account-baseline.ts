/**
 * The account baseline: an account is an object, as the gateway has it. A transfer is one call to it, which claims the
 * reference; when the result is there, the terminal's object calls it once, and it writes the outcome to the claim and
 * records one event. D1 is not asked.
 */
import { DurableObject } from "cloudflare:workers";
import { type Bindings, BaselineTerminal as Terminal, inOneCall, serve, type Transfer } from "./baseline.ts";

export interface AccountBindings extends Bindings {
  ACCOUNT: DurableObjectNamespace;
}

/** What others see of the account's object. */
interface Stub {
  admit(transfer: Transfer): Promise<object>;
  record(outcome: Outcome): Promise<number>;
  newest(): Promise<number>;
}

/** Of a transaction, as its account records it. */
interface Outcome {
  requestId: number;
  referenceId: string;
  event: string;
}

/** Bytes of an event. */
const EVENT = 800;

/** As many bytes as the gateway's own answer: a sealed key, and the account's terms. */
const ADMITTED = {
  kind: "admitted",
  terms: { posId: "pos-1", merchantId: "shop-1", currency: "MYR", timezone: "UTC", version: 1 },
  key: { sealed: "x".repeat(110), kind: "account-signing-key" },
  recorded: false,
};

function accountStub(env: AccountBindings, posId: string): Stub {
  return env.ACCOUNT.getByName(posId) as unknown as Stub;
}

export class BaselineAccount extends DurableObject<AccountBindings> {
  #next: number;

  constructor(context: DurableObjectState, env: AccountBindings) {
    super(context, env);
    const { sql } = context.storage;
    sql.exec(`
      CREATE TABLE IF NOT EXISTS claims (
        reference_id TEXT PRIMARY KEY,
        device_id TEXT NOT NULL,
        claimed_at INTEGER NOT NULL,
        request_id INTEGER,
        event INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS events (number INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
    `);
    const newest = sql.exec<{ newest: number | null }>("SELECT MAX(number) AS newest FROM events").one();
    this.#next = (newest.newest ?? 0) + 1;
  }

  async admit({ referenceId, deviceId }: Transfer): Promise<object> {
    this.ctx.storage.sql.exec(
      "INSERT INTO claims (reference_id, device_id, claimed_at) VALUES (?, ?, ?) ON CONFLICT (reference_id) DO NOTHING",
      referenceId,
      deviceId,
      Date.now(),
    );
    return ADMITTED;
  }

  async newest(): Promise<number> {
    return this.#next - 1;
  }

  async record({ requestId, referenceId, event }: Outcome): Promise<number> {
    const { sql } = this.ctx.storage;
    const number = this.#next++;
    sql.exec("UPDATE claims SET request_id = ?, event = ? WHERE reference_id = ?", requestId, number, referenceId);
    sql.exec("INSERT INTO events (number, body) VALUES (?, ?)", number, event);
    return number;
  }
}

export class BaselineTerminal extends Terminal<AccountBindings> {
  protected override completed(requestId: number, result: string): void {
    const { posId, referenceId } = this.row(requestId);
    const event = result.padEnd(EVENT).slice(0, EVENT);
    this.ctx.waitUntil(accountStub(this.env, posId).record({ requestId, referenceId, event }));
  }
}

export default {
  async fetch(request, env) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/account") return Response.json(await accountStub(env, searchParams.get("posId") ?? "").newest());
    return serve(request, env, {
      admit: (transfer) => accountStub(env, transfer.posId).admit(transfer),
      submit: inOneCall,
    });
  },
} satisfies ExportedHandler<AccountBindings>;
