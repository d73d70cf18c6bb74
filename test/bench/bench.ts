/**
 * `npm run bench`: what a sale takes in the gateway, and beside it in a baseline Worker that makes the same calls to the platform
 * and decides nothing. POS, terminals and workerd share one machine, so times depend on it: compare the rows of one run.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { format } from "prettier";
import { WebSocket } from "ws";
import { OperatorClient } from "../../src/sdk/command-line/operator-client.ts";
import { openShop } from "../../src/sdk/command-line/operator-shop.ts";
import { withSignature } from "../../src/protocol/signing/signature.ts";
import type { SpeedRow, SpeedFigures, Spread } from "../../src/docs/build/speed.ts";
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import { MASKED_RESULT } from "../cost/card-result.ts";
import { LocalWorker } from "../support/local-worker.ts";
import { Terminal as ScriptedTerminal, type RequestFrame } from "../support/terminal.ts";

const ABOUT = `npm run bench -- [--against DIR] [--rounds N] [--seconds N] [--save]

Measures sales at one terminal and at fifty, and the first sale of a new process. The Workers take turns in short rounds; each
figure is the median of the rounds, with the quartiles in parentheses. CPU is what workerd uses.

  --against DIR  measures another checkout of the gateway, too, with its packages installed
  --rounds N     turns of each Worker (5)
  --seconds N    length of a turn (4)
  --save         writes them to src/docs/speed.json, which /docs/speed shows`;

const ROOT = join(import.meta.dirname, "../..");
const TERMINALS = 50;
/** Terminals that work at the same time. */
const SIZES = [1, TERMINALS];
/** A terminal sends two frames for a sale, and the gateway accepts 50 a second from one. */
const MILLISECONDS_BETWEEN_SALES = 50;

interface Subject {
  name: string;
  start: () => Promise<LocalWorker>;
  /** Enrols the terminals of one account. */
  enrol: (url: string) => Promise<Pair[]>;
  logInTerminal: (url: string, pair: Pair) => Promise<{ path: string; token: string }>;
}

/** A POS and its terminal, with everything that either needs. */
interface Pair {
  posId: string;
  merchantId: string;
  signingKey: string;
  accessToken: string;
  terminalId: string;
  secret: string;
}

/** Sends JSON, and returns the answer. Throws if the status is not 200. */
async function post<Body>(url: string, path: string, token: string, body: string): Promise<Body> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const response = await fetch(new URL(path, url), { method: "POST", headers, body });
  if (response.status !== 200) throw new Error(await response.text());
  return (await response.json()) as Body;
}

let references = 0;

/** Sells once. Returns the milliseconds until the answer. Throws unless it is approved. */
async function sell(url: string, { posId, merchantId, terminalId, signingKey, accessToken }: Pair): Promise<number> {
  const sale = {
    transType: "sale",
    posId,
    merchantId,
    deviceId: terminalId,
    referenceId: `bench-${++references}`,
    transData: { transAmt: "12.50", paymentMethod: "bankCard", note: "two coffees", metadata: "table 7" },
    apiVersion: "v1",
    datetime: formatDatetime(Date.now()),
  };
  const body = JSON.stringify(withSignature(sale, signingKey));
  const startedAt = performance.now();
  const { statusCode } = await post<{ statusCode: string }>(url, "/api/transfer", accessToken, body);
  if (statusCode !== "00") throw new Error(`A sale was not approved, but ${statusCode}.`);
  return performance.now() - startedAt;
}

/** Approves at once: it reads a request, sends `accepted`, and once that has left, its signed result. */
class Terminal extends ScriptedTerminal {
  readonly #ready = Promise.withResolvers<void>();

  static async connect(url: string, secret: string, token: string): Promise<() => void> {
    const socket = new WebSocket(url, ["pos-terminal.v1", token], { perMessageDeflate: false });
    const terminal = new Terminal({ secret }, socket as never);
    socket.on("error", (error) => terminal.#ready.reject(error));
    await terminal.#ready.promise;
    return () => socket.terminate();
  }

  protected override take(text: string): void {
    if (text === "ping") this.send("pong");
    if (!text.startsWith("{")) return;
    const frame = JSON.parse(text) as RequestFrame & { nonce: string };
    if (frame.type === "welcome") this.sendHello(frame.nonce);
    if (frame.type === "ready") this.#ready.resolve();
    if (frame.type !== "request") return;
    this.accept(frame);
    setImmediate(() => this.result(frame, "00", MASKED_RESULT));
  }
}

const operatorToken = randomBytes(16).toString("hex");

function gateway(name: string, project: string, folder: string): Subject {
  const variables = {
    MASTER_KEYS: `bench:${randomBytes(32).toString("base64")}`,
    OPERATOR_TOKENS: `bench:${operatorToken}`,
  };
  return {
    name,
    start: () => LocalWorker.start({ project, folder, variables }),
    async enrol(url) {
      const terminalIds = Array.from({ length: TERMINALS }, (_, index) => `term-${index}`);
      // Every token expires at midnight of the account's time zone, which must be some hours away.
      const zone = new Date().getUTCHours() < 12 ? "UTC" : "Pacific/Auckland";
      const names = { posId: "pos-1", merchantId: "shop-1", name: "Shop" };
      const plan = { ...names, currency: "MYR", timezone: zone, terminalIds };
      const { posId, merchantId, signingKey, secrets } = await openShop(
        url,
        new OperatorClient(url, operatorToken),
        plan,
      );
      const login = { posId, datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() };
      const body = JSON.stringify(withSignature(login, signingKey));
      const { access } = await post<{ access: { token: string } }>(url, "/auth/login", "", body);
      const account = { posId, merchantId, signingKey, accessToken: access.token };
      return terminalIds.map((terminalId) => ({ ...account, terminalId, secret: secrets[terminalId] ?? "" }));
    },
    async logInTerminal(url, { terminalId, secret }) {
      const login = withSignature(
        { terminalId, datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() },
        secret,
      );
      const { token } = await post<{ token: string }>(url, "/terminal/login", "", JSON.stringify(login));
      return { path: "/terminal/connect", token };
    },
  };
}

function baseline(folder: string): Subject {
  return {
    name: "baseline",
    start: () => LocalWorker.start({ project: ROOT, folder, variables: {}, entry: "test/bench/baseline.ts" }),
    // Texts as long as the gateway's own.
    enrol: async () =>
      Array.from({ length: TERMINALS }, (_, index) => ({
        posId: "pos-1",
        merchantId: "shop-1",
        signingKey: "k".repeat(43),
        accessToken: "t".repeat(300),
        terminalId: `term-${index}`,
        secret: "s".repeat(43),
      })),
    logInTerminal: async (_, { terminalId }) => ({ path: `/terminal/connect?terminal=${terminalId}`, token: "none" }),
  };
}

interface Running extends Subject {
  worker: LocalWorker;
  pairs: Pair[];
  disconnect: () => void;
}

async function run(subject: Subject, enrolled?: Pair[]): Promise<Running> {
  const worker = await subject.start();
  const pairs = enrolled ?? (await subject.enrol(worker.url));
  const closes: (() => void)[] = [];
  for (const pair of pairs) {
    const { path, token } = await subject.logInTerminal(worker.url, pair);
    closes.push(await Terminal.connect(new URL(path, worker.url.replace("http", "ws")).href, pair.secret, token));
  }
  return { ...subject, worker, pairs, disconnect: () => closes.forEach((close) => close()) };
}

type Turn = Record<"perSecond" | "p50" | "p99" | "cpu", number>;

/** Sale after sale at each of `places`, each when the one before is answered; a place goes round its share of the terminals. */
async function drive({ worker, pairs }: Running, places: number, milliseconds: number): Promise<Turn> {
  const latencies: number[] = [];
  const before = await worker.cpuSeconds();
  const startedAt = performance.now();
  const work = async (place: number): Promise<void> => {
    const own = pairs.filter((_, index) => index % places === place);
    for (let turn = 0; performance.now() < startedAt + milliseconds; turn++) {
      const pair = own[turn % own.length];
      if (pair === undefined) return;
      const [latency] = await Promise.all([
        sell(worker.url, pair),
        own.length === 1 ? new Promise((resolve) => setTimeout(resolve, MILLISECONDS_BETWEEN_SALES)) : null,
      ]);
      latencies.push(latency);
    }
  };
  await Promise.all(Array.from({ length: places }, (_, place) => work(place)));
  const seconds = (performance.now() - startedAt) / 1_000;
  const cpu = ((await worker.cpuSeconds()) - before) * 1_000;
  const count = latencies.length;
  return {
    perSecond: count / seconds,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    cpu: cpu / count,
  };
}

/** The smallest value that this share of all does not exceed. */
function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? NaN;
}

/** With four digits: more would be noise. */
function spreadOf(values: readonly number[]): Spread {
  const at = (share: number): number => Number(quantile(values, share).toPrecision(4));
  return { median: at(0.5), lower: at(0.25), upper: at(0.75) };
}

function summarise(worker: string, terminals: number, turns: readonly Turn[]): SpeedRow {
  const spread = (name: keyof Turn): Spread => spreadOf(turns.map((turn) => turn[name]));
  const cpu = isNaN(turns[0]?.cpu ?? NaN) ? null : spread("cpu");
  return { worker, terminals, perSecond: spread("perSecond"), p50: spread("p50"), p99: spread("p99"), cpu };
}

/** The first round is not counted: compilers and caches take thousands of sales to settle. The order changes each time. */
async function measureLoad(running: Running[], rounds: number, milliseconds: number): Promise<SpeedRow[]> {
  const turns = new Map(running.map((one) => [one, SIZES.map((): Turn[] => [])]));
  for (let round = 0; round <= rounds; round++) {
    for (const one of round % 2 === 0 ? running : running.toReversed()) {
      for (const [index, terminals] of SIZES.entries()) {
        const turn = await drive(one, terminals, milliseconds);
        if (round > 0) turns.get(one)?.[index]?.push(turn);
      }
    }
  }
  return SIZES.flatMap((terminals, index) =>
    running.map((one) => summarise(one.name, terminals, turns.get(one)?.[index] ?? [])),
  );
}

/** Each time in a new process, on the same data; the terminal has connected before. */
async function measureFirstSales(running: Running[], rounds: number): Promise<SpeedFigures["firstSale"]> {
  const found: [string, Spread][] = [];
  for (const before of running) {
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const one = await run(before, before.pairs.slice(0, 1));
      times.push(await sell(one.worker.url, one.pairs[0]!));
      await end(one);
    }
    found.push([before.name, spreadOf(times)]);
  }
  return Object.fromEntries(found);
}

async function end({ worker, disconnect }: Running): Promise<void> {
  disconnect();
  await worker.stop();
}

function shown({ median, lower, upper }: Spread): string {
  return `${median} (${lower} to ${upper})`;
}

function print({ rows, firstSale }: SpeedFigures): void {
  console.table(
    rows.map(({ worker, terminals, perSecond, p50, p99, cpu }) => ({
      worker,
      terminals,
      "sales a second": shown(perSecond),
      "p50, ms": shown(p50),
      "p99, ms": shown(p99),
      "CPU of a sale, ms": cpu === null ? "unknown" : shown(cpu),
    })),
  );
  for (const [name, spread] of Object.entries(firstSale)) console.log(`First sale, ${name}: ${shown(spread)} ms`);
}

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "4" },
    save: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(ABOUT);
  process.exit(0);
}
const folder = await mkdtemp(join(tmpdir(), "bench-"));
try {
  const subjects = [gateway("gateway", ROOT, join(folder, "gateway")), baseline(join(folder, "baseline"))];
  if (values.against !== undefined) subjects.push(gateway(values.against, values.against, join(folder, "other")));
  const rounds = Number(values.rounds);
  const running: Running[] = [];
  for (const subject of subjects) running.push(await run(subject));
  const rows = await measureLoad(running, rounds, Number(values.seconds) * 1_000);
  for (const one of running) await end(one);
  const firstSale = await measureFirstSales(running, rounds);
  const machine = `${availableParallelism()} cores, ${process.platform}`;
  const figures: SpeedFigures = { at: new Date().toISOString(), machine, rounds, rows, firstSale };
  print(figures);
  if (values.save) {
    const json = await format(JSON.stringify(figures), { parser: "json", printWidth: 120 });
    await writeFile(join(ROOT, "src/docs/speed.json"), json);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
