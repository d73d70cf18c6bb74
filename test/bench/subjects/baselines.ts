/** The baselines below the gateway: their rows are written straight into their databases, their terminals need no login. */
import type { Pair } from "../parties.ts";
import { type AccountKind, connectByName, eightAtOnce, type Kind, type Query } from "./subject.ts";

const connect: Kind["connect"] = ({ url }, pair) => connectByName(url, pair);

/** Where an account is an object, which a transfer reads nothing of. */
export const ACCOUNT_BASELINE: AccountKind = {
  name: "account baseline",
  worker: {
    entry: "test/bench/workers/account-baseline.ts",
    objects: { ACCOUNT: "BaselineAccount", TERMINAL: "BaselineTerminal" },
    variables: {},
  },
  enrol: async (_subject, count, perAccount) => madeUp(count, perAccount),
  connect,
  tills: async (_subject, count) => {
    return Array.from({ length: count }, (_, index) => ({ posId: `till-${index}`, accessToken: "none" }));
  },
  wake: ({ caller }, { posId }) => caller.call("GET", `/account?posId=${posId}`),
};

/** Where an account is rows of D1. */
export const D1_BASELINE: Kind = {
  name: "D1 baseline",
  worker: {
    entry: "test/bench/workers/d1-baseline.ts",
    objects: { TERMINAL: "BaselineTerminal" },
    variables: {},
  },
  prepare: (query) => query(TABLES),
  async enrol({ query }, count, perAccount) {
    const pairs = madeUp(count, perAccount);
    await eightAtOnce(pairs, (pair) => seed(query, pair));
    return pairs;
  },
  connect,
};

/** Writes what a transfer of the pair will read. */
async function seed(query: Query, { posId, merchantId, terminalId }: Pair): Promise<void> {
  const now = Date.now();
  await query(
    "INSERT OR IGNORE INTO accounts VALUES (?, ?, 'MYR', 'UTC', NULL, 'active', '', ?, NULL, NULL, 'bench', ?)",
    [posId, merchantId, "x".repeat(110), now],
  );
  await query("INSERT OR IGNORE INTO sessions VALUES (?1, ?1, ?2, ?2, NULL, 'bench', 'UTC', ?2, '', ?2, '')", [
    posId,
    now,
  ]);
  await query("INSERT INTO terminals VALUES (?, 0, ?, 'enrolled', ?)", [terminalId, merchantId, now]);
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

let accounts = 0;
let terminals = 0;

/** Pairs with texts as long as the gateway's own. */
function madeUp(count: number, perAccount: number): Pair[] {
  return Array.from({ length: count }, (_, index) => {
    if (index % perAccount === 0) accounts++;
    return {
      posId: `pos-${accounts}`,
      merchantId: `shop-${accounts}`,
      signingKey: "k".repeat(43),
      accessToken: "t".repeat(300),
      terminalId: `term-${++terminals}`,
      secret: "s".repeat(43),
    };
  });
}
