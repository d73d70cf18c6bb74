/** The baselines below the gateway: their rows are written straight into their databases, their terminals need no login. */
import type { Pair } from "../parties.ts";
import type { RunningProcess } from "../process.ts";
import { startWorker, type WorkerOptions } from "../workerd.ts";
import {
  connectByName,
  type Enrolled,
  type Extra,
  type HasAccounts,
  eightAtOnce,
  PER_ACCOUNT,
  type Till,
  WorkerSubject,
} from "./subject.ts";

abstract class Baseline extends WorkerSubject {
  #accounts = 0;
  #terminals = 0;

  override async enrol(count: number, perAccount = PER_ACCOUNT): Promise<Pair[]> {
    const pairs = Array.from({ length: count }, (_, index) => {
      if (index % perAccount === 0) this.#accounts++;
      return madeUp(this.#accounts, ++this.#terminals);
    });
    await eightAtOnce(pairs, (pair) => this.seed(pair));
    return pairs;
  }

  override connect(pairs: readonly Pair[]): Promise<Enrolled[]> {
    return connectByName(this.url, pairs);
  }

  /** Writes what a transfer of the pair will read. */
  protected abstract seed(pair: Pair): Promise<void>;
}

/** Where an account is an object, which a transfer reads nothing of. */
export class AccountBaseline extends Baseline implements HasAccounts {
  readonly name = "account baseline";

  static async start(folder: string, extra: Extra = {}): Promise<AccountBaseline> {
    const options: WorkerOptions = {
      entry: "test/bench/workers/account-baseline.ts",
      objects: { ACCOUNT: "BaselineAccount", TERMINAL: "BaselineTerminal" },
      folder,
      variables: {},
      ...extra,
    };
    return new AccountBaseline(options, await startWorker(options));
  }

  async tills(count: number): Promise<Till[]> {
    return Array.from({ length: count }, (_, index) => ({ posId: `till-${index}`, accessToken: "none" }));
  }

  async wake({ posId }: Till): Promise<void> {
    await this.caller.call("GET", `/account?posId=${posId}`, null);
  }

  protected override like(options: WorkerOptions, running: RunningProcess): this {
    return new AccountBaseline(options, running) as this;
  }

  protected override async seed(): Promise<void> {}
}

/** Where an account is rows of D1. */
export class D1Baseline extends Baseline {
  readonly name = "D1 baseline";

  static async start(folder: string, extra: Extra = {}): Promise<D1Baseline> {
    const options: WorkerOptions = {
      entry: "test/bench/workers/d1-baseline.ts",
      objects: { TERMINAL: "BaselineTerminal" },
      folder,
      variables: {},
      ...extra,
    };
    const baseline = new D1Baseline(options, await startWorker(options));
    await baseline.query(TABLES);
    return baseline;
  }

  protected override like(options: WorkerOptions, running: RunningProcess): this {
    return new D1Baseline(options, running) as this;
  }

  protected override async seed({ posId, merchantId, terminalId }: Pair): Promise<void> {
    const now = Date.now();
    await this.query(
      "INSERT OR IGNORE INTO accounts VALUES (?, ?, 'MYR', 'UTC', NULL, 'active', '', ?, NULL, NULL, 'bench', ?)",
      [posId, merchantId, "x".repeat(110), now],
    );
    await this.query("INSERT OR IGNORE INTO sessions VALUES (?, ?, ?, ?, NULL, 'bench', 'UTC', ?, '', ?, '')", [
      posId,
      posId,
      now,
      now,
      now,
      now,
    ]);
    await this.query("INSERT INTO terminals VALUES (?, 0, ?, 'enrolled', ?)", [terminalId, merchantId, now]);
  }
}

/** The baseline's own, as a gateway that keeps all of it in D1 would have them. */
const TABLES = `
  CREATE TABLE accounts (
    pos_id TEXT PRIMARY KEY,
    merchant_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    timezone TEXT NOT NULL,
    name TEXT,
    status TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    signing_key TEXT NOT NULL,
    previous_signing_key TEXT,
    previous_signing_key_until INTEGER,
    sealed_under TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    pos_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    revoked_at INTEGER,
    kid TEXT NOT NULL,
    timezone TEXT NOT NULL,
    issued_at INTEGER NOT NULL,
    access_id TEXT NOT NULL,
    access_expires_at INTEGER NOT NULL,
    refresh_id TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE terminals (
    terminal_id TEXT PRIMARY KEY,
    is_vt INTEGER NOT NULL,
    merchant_id TEXT,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reference_claims (
    pos_id TEXT NOT NULL,
    reference_id TEXT NOT NULL,
    device_id TEXT NOT NULL,
    messages INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,
    PRIMARY KEY (pos_id, reference_id)
  ) STRICT, WITHOUT ROWID;`;

/** A pair of a baseline's: texts as long as the gateway's own. */
function madeUp(account: number, ordinal: number): Pair {
  return {
    posId: `pos-${account}`,
    merchantId: `shop-${account}`,
    signingKey: "k".repeat(43),
    accessToken: "t".repeat(300),
    terminalId: `term-${ordinal}`,
    secret: "s".repeat(43),
  };
}
