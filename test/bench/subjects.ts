/** What is measured: the gateway, the floor below it, and the plain Node process that it might have been. */
import { join } from "node:path";
import { randomBytes } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { withSignature } from "../../src/signing/signature.ts";
import { formatDatetime } from "../../src/time/datetime.ts";
import { Caller } from "./http.ts";
import { type Pair, Terminal } from "./parties.ts";
import { listening, type RunningProcess, start, startWorker, type WorkerOptions } from "./workerd.ts";

const ROOT = join(import.meta.dirname, "../..");

export interface Subject {
  name: "gateway" | "floor" | "plain Node";
  pid: number;
  caller: Caller;
  /** Makes further tills and terminals. */
  enrol(count: number): Promise<Pair[]>;
  connect(pairs: readonly Pair[]): Promise<Enrolled[]>;
  stop(): Promise<void>;
}

export interface Enrolled {
  pair: Pair;
  terminal: Terminal;
}

/** Runs in workerd. */
export interface Measurable extends Subject {
  /** The folder with the databases of the terminals' objects. */
  databases: string;
  /** Stops it, and after `meanwhile` starts it on the same data. */
  restart(meanwhile?: () => Promise<void>): Promise<void>;
}

/** How its workerd runs, beside what all of them have in common. */
export type Extra = Pick<WorkerOptions, "v8Flags">;

/** An operator's token, for the run alone. */
const OPERATOR = randomBytes(16).toString("hex");

/** Terminals of one account, and of one prebind list. */
const PER_ACCOUNT = 50;
const LIST = 10;

/** Where midnight, at which every token ends, is some hours away. */
function zoneFarFromMidnight(): string {
  const hour = new Date().getUTCHours();
  return hour >= 6 && hour < 18 ? "UTC" : "Pacific/Auckland";
}

async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const rest = [...items.entries()];
  const worker = async (): Promise<void> => {
    for (let next = rest.shift(); next !== undefined; next = rest.shift()) results[next[0]] = await work(next[1]);
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  return results;
}

async function query(databasePort: number, sql: string, params: unknown[] = []): Promise<void> {
  const caller = new Caller(`http://127.0.0.1:${databasePort}`);
  await caller.call("POST", "/query", null, { sql, params });
  caller.close();
}

async function migrate(databasePort: number): Promise<void> {
  const migrations = join(ROOT, "migrations");
  for (const name of (await readdir(migrations)).toSorted()) {
    await query(databasePort, await readFile(join(migrations, name), "utf8"));
  }
}

/** The real Worker. Accounts, terminals and tokens are made at its front door. */
export async function startGateway(folder: string, port: number, extra: Extra = {}): Promise<Measurable> {
  const options: WorkerOptions = {
    entry: "src/index.ts",
    terminalClass: "Terminal",
    folder,
    port,
    databasePort: port + 1,
    variables: {
      MASTER_KEYS: `bench:${randomBytes(32).toString("base64")}`,
      OPERATOR_TOKENS: `bench:${OPERATOR}`,
      REQUEST_SECONDS: "90",
      CORS_ORIGINS: "",
    },
    ...extra,
  };
  let running = await startWorker(options);
  await migrate(port + 1);
  const caller = new Caller(`http://127.0.0.1:${port}`);
  let accounts = 0;
  let terminals = 0;

  async function account(size: number): Promise<Pair[]> {
    const ordinal = ++accounts;
    const posId = `pos-${ordinal}`;
    const merchantId = `shop-${ordinal}`;
    const terms = { posId, merchantId, currency: "MYR", timezone: zoneFarFromMidnight() };
    type Secrets = { signingKey: string; password: string };
    const { signingKey, password } = await caller.call<Secrets>("POST", "/operator/accounts", OPERATOR, terms);
    const login = { posId, password };
    const tokens = await caller.call<{ access: { token: string } }>("POST", "/auth/login", null, login);
    const accessToken = tokens.access.token;
    const pairs = await inParallel(Array.from({ length: size }), async () => {
      const terminalId = `term-${++terminals}`;
      const wanted = { terminalId, isVT: 0, merchantId };
      const { secret } = await caller.call<{ secret: string }>("POST", "/operator/terminals", OPERATOR, wanted);
      return { posId, merchantId, signingKey, accessToken, terminalId, secret };
    });
    for (let first = 0; first < size; first += LIST) {
      const uniqueIds = pairs.slice(first, first + LIST).map(({ terminalId }) => terminalId);
      await caller.call("POST", "/api/prebind-terminals", accessToken, { uniqueIds });
    }
    return pairs;
  }

  return {
    name: "gateway",
    get pid() {
      return running.pid;
    },
    caller,
    databases: join(folder, "storage", "terminals"),
    async enrol(count) {
      const pairs: Pair[] = [];
      while (pairs.length < count) pairs.push(...(await account(Math.min(PER_ACCOUNT, count - pairs.length))));
      return pairs;
    },
    connect: (pairs) =>
      inParallel(pairs, async (pair) => {
        const { terminalId, secret } = pair;
        const login = withSignature({ terminalId, datetime: formatDatetime(Date.now()) }, secret);
        const { token } = await caller.call<{ token: string }>("POST", "/terminal/login", null, login);
        return { pair, terminal: await Terminal.connect(`http://127.0.0.1:${port}/terminal/connect`, secret, token) };
      }),
    async restart(meanwhile) {
      await running.stop();
      await meanwhile?.();
      running = await startWorker(options);
    },
    stop: () => stop(running, caller),
  };
}

/** The floor: its rows are written straight into its database, its terminals need no login. */
export async function startFloor(folder: string, port: number, extra: Extra = {}): Promise<Measurable> {
  const options: WorkerOptions = {
    entry: "test/bench/workers/floor.ts",
    terminalClass: "FloorTerminal",
    folder,
    port,
    databasePort: port + 1,
    variables: {},
    ...extra,
  };
  let running = await startWorker(options);
  await migrate(port + 1);
  const caller = new Caller(`http://127.0.0.1:${port}`);
  let terminals = 0;
  return {
    name: "floor",
    get pid() {
      return running.pid;
    },
    caller,
    databases: join(folder, "storage", "terminals"),
    enrol: (count) =>
      inParallel(Array.from({ length: count }), async () => {
        const pair = madeUp(++terminals);
        await seed(port + 1, pair);
        return pair;
      }),
    connect: (pairs) => connectByName(port, pairs),
    async restart(meanwhile) {
      await running.stop();
      await meanwhile?.();
      running = await startWorker(options);
    },
    stop: () => stop(running, caller),
  };
}

/** The plain Node process makes its own accounts and terminals. */
export async function startPlainNode(folder: string, port: number): Promise<Subject> {
  const server = join(import.meta.dirname, "plain-node.ts");
  const running = start(process.execPath, ["--disable-warning=ExperimentalWarning", server, folder, `${port}`], ROOT);
  await listening(running, port);
  const caller = new Caller(`http://127.0.0.1:${port}`);
  return {
    name: "plain Node",
    pid: running.pid,
    caller,
    enrol: (count) => caller.call<Pair[]>("POST", "/enrol", null, { count }),
    connect: (pairs) => connectByName(port, pairs),
    stop: () => stop(running, caller),
  };
}

/** Without a login, where nobody asks for one. */
function connectByName(port: number, pairs: readonly Pair[]): Promise<Enrolled[]> {
  return inParallel(pairs, async (pair) => {
    const url = `http://127.0.0.1:${port}/terminal/connect?terminal=${pair.terminalId}`;
    return { pair, terminal: await Terminal.connect(url, pair.secret, "none") };
  });
}

async function stop(running: RunningProcess, caller: Caller): Promise<void> {
  caller.close();
  await running.stop();
}

/** A pair of the floor's: texts as long as the gateway's own. */
function madeUp(ordinal: number): Pair {
  const account = Math.ceil(ordinal / PER_ACCOUNT);
  return {
    posId: `pos-${account}`,
    merchantId: `shop-${account}`,
    signingKey: "k".repeat(43),
    accessToken: "t".repeat(300),
    terminalId: `term-${ordinal}`,
    secret: "s".repeat(43),
  };
}

async function seed(databasePort: number, { posId, merchantId, terminalId }: Pair): Promise<void> {
  const sealed = "x".repeat(110);
  const now = Date.now();
  await query(
    databasePort,
    `INSERT OR IGNORE INTO accounts (pos_id, merchant_id, currency, timezone, status, password_hash, signing_key,
       sealed_under, created_at) VALUES (?, ?, 'MYR', 'UTC', 'active', '', ?, 'bench', ?)`,
    [posId, merchantId, sealed, now],
  );
  await query(
    databasePort,
    `INSERT OR IGNORE INTO sessions (session_id, pos_id, created_at, expires_at, kid, timezone, issued_at, access_id,
       access_expires_at, refresh_id) VALUES (?, ?, ?, ?, 'bench', 'UTC', ?, '', ?, '')`,
    [posId, posId, now, now, now, now],
  );
  await query(
    databasePort,
    `INSERT INTO terminals (terminal_id, is_vt, merchant_id, status, created_at, sealed_under)
     VALUES (?, 0, ?, 'enrolled', ?, 'bench')`,
    [terminalId, merchantId, now],
  );
}
