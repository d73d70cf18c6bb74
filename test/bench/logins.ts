/** What a sale takes while tills log in: after midnight all of a chain do, and customers pay meanwhile. */
import { setTimeout } from "node:timers/promises";
import { withSignature } from "../../src/signing/signature.ts";
import { formatDatetime } from "../../src/time/datetime.ts";
import { drive, type Stretch } from "./measure.ts";
import type { Options } from "./options.ts";
import { quantile } from "./report.ts";
import type { Enrolled } from "./subjects/subject.ts";
import type { Gateway, Keeper } from "./subjects/gateway.ts";

/** Logins that are sent at once. The next as many follow when all are answered. */
const AT_ONCE = 30;

/** A sale's p99 beside them may be so many times that without. */
const GOAL = 3;

/** One till sells, sale after sale; each turn is so long. */
const TURN = 5_000;
const WARM_UP = 10_000;

/** Accounts with a chosen password. */
const CHOSEN = 6;

/** Milliseconds. */
const UNDISTURBED = 1_000;

/** It takes a while to make accounts with chosen passwords, and a silent terminal counts as gone. */
const HEARTBEAT = 15_000;

/** How a till says who it is: signed, with a password that the gateway drew, or with one that a person chose. */
const KINDS = ["signed", "drawn", "chosen"] as const;
type Kind = (typeof KINDS)[number];

interface Times {
  count: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
}

export interface BesideLogins {
  kind: Kind;
  without: Times;
  beside: Times;
  /** Of the sales' p99. */
  ratio: number;
  /** The logins, by the status of their answers: 429 tells a till to come back. */
  logins: Record<string, Times>;
  met: boolean;
}

interface Answered {
  status: number;
  milliseconds: number;
}

export async function measureLogins(gateway: Gateway, options: Options): Promise<BesideLogins[]> {
  const [own] = await gateway.connect(await gateway.enrol(1));
  if (own === undefined) throw new Error("no terminal is connected");
  const beats = setInterval(() => own.terminal.heartbeat(), HEARTBEAT);
  try {
    if (!options.quick) await drive(gateway, [own], WARM_UP);
    const results: BesideLogins[] = [];
    for (const kind of KINDS) results.push(await measure(gateway, own, kind, options));
    return results;
  } finally {
    clearInterval(beats);
    own.terminal.close();
  }
}

async function measure(gateway: Gateway, own: Enrolled, kind: Kind, options: Options): Promise<BesideLogins> {
  const turn = options.quick ? options.milliseconds : TURN;
  const keepers = await keepersOf(gateway, kind);
  const [without, beside]: [Stretch[], Stretch[]] = [[], []];
  const answers: Answered[] = [];
  for (let round = 0; round < (options.quick ? 1 : options.rounds); round++) {
    without.push(await drive(gateway, [own], turn));
    const stop = waves(gateway, kind, keepers, answers);
    try {
      beside.push(await drive(gateway, [own], turn));
    } finally {
      await stop();
    }
    // What was put off is done before the next turn, which is to be undisturbed.
    await setTimeout(UNDISTURBED);
  }
  const result = resultOf(kind, without, beside, answers);
  print(result);
  return result;
}

/** One after the other, and few that have a chosen password: each is hashed. */
async function keepersOf(gateway: Gateway, kind: Kind): Promise<Keeper[]> {
  const keepers: Keeper[] = [];
  while (keepers.length < (kind === "chosen" ? CHOSEN : AT_ONCE)) {
    keepers.push(await gateway.account(kind === "chosen" ? `a password of till ${keepers.length}` : undefined));
  }
  return keepers;
}

/** Logins at once, wave after wave. Returns how to end them, with the wave that is on its way. */
function waves(gateway: Gateway, kind: Kind, keepers: readonly Keeper[], answers: Answered[]): () => Promise<void> {
  const stopped = new AbortController();
  const tills = Array.from({ length: AT_ONCE }, (_, till) => keepers[till % keepers.length]).flatMap(
    (one) => one ?? [],
  );
  const all = (async () => {
    while (!stopped.signal.aborted) {
      answers.push(...(await Promise.all(tills.map((keeper) => login(gateway, kind, keeper)))));
    }
  })();
  return () => {
    stopped.abort();
    return all;
  };
}

async function login({ caller }: Gateway, kind: Kind, { posId, password, signingKey }: Keeper): Promise<Answered> {
  const message =
    kind === "signed"
      ? withSignature({ posId, datetime: formatDatetime(Date.now()), nonce: crypto.randomUUID() }, signingKey)
      : { posId, password };
  const sent = performance.now();
  const { status, text } = await caller.exchange("POST", "/auth/login", null, JSON.stringify(message));
  if (status === 400 || status === 401) throw new Error(`a login was answered with ${status}: ${text}`);
  return { status, milliseconds: performance.now() - sent };
}

function resultOf(kind: Kind, without: Stretch[], beside: Stretch[], answers: readonly Answered[]): BesideLogins {
  const [quiet, busy] = [without, beside].map((turns) => timesOf(turns.flatMap(({ latencies }) => latencies)));
  if (quiet === undefined || busy === undefined) throw new Error("nothing was measured");
  const byStatus = Object.groupBy(answers, ({ status }) => String(status));
  const logins = Object.entries(byStatus).map(
    ([status, some = []]) => [status, timesOf(some.map(({ milliseconds }) => milliseconds))] as const,
  );
  const ratio = busy.p99 / quiet.p99;
  return { kind, without: quiet, beside: busy, ratio, logins: Object.fromEntries(logins), met: ratio <= GOAL };
}

function timesOf(values: readonly number[]): Times {
  return { count: values.length, p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}

function print({ kind, without, beside, ratio, logins, met }: BesideLogins): void {
  console.log(`\n${AT_ONCE} logins at once, ${kind}`);
  console.log(`  sales without: ${shown(without)}`);
  console.log(`  sales beside:  ${shown(beside)}`);
  for (const [status, times] of Object.entries(logins)) console.log(`  logins answered ${status}: ${shown(times)}`);
  console.log(`  goal: p99 of sales at most × ${GOAL}: ${ratio.toFixed(2)}, ${met ? "met" : "missed"}`);
}

function shown({ count, p50, p99 }: Times): string {
  return `${count}, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`;
}
