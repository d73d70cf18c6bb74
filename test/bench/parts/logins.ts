/** What a sale takes while tills log in: after midnight all of a chain do, and customers pay meanwhile. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Caller } from "../http.ts";
import { drive, type Stretch } from "../measure.ts";
import { quantile, spreadOfPairs } from "../spread.ts";
import { GATEWAY, type Keeper, newAccount } from "../subjects/gateway.ts";
import type { Enrolled, Subject } from "../subjects/subject.ts";
import { type Answered, LOGINS, type LoginTills } from "./login-tills.ts";
import { closeAll, type Run } from "./run.ts";

type Kind = LoginTills["kind"];

/** Logins that are sent at once. The next as many follow when all are answered. */
const AT_ONCE = 30;

/** One till sells, sale after sale; each turn is this long, in milliseconds. */
const TURN = 5_000;
const ROUNDS = 12;
const WARM_UP = 10_000;

/** Accounts with a chosen password. */
const CHOSEN = 6;

/** Milliseconds. */
const UNDISTURBED = 1_000;

/** It takes a while to make accounts with chosen passwords, and a silent terminal counts as gone. */
const HEARTBEAT = 15_000;

export async function measureLogins(run: Run) {
  const gateway = await run.start(GATEWAY);
  const fleet = await gateway.connect(await gateway.enrol(1));
  const beats = setInterval(() => fleet.forEach(({ terminal }) => terminal.send("ping")), HEARTBEAT);
  try {
    await drive(gateway, fleet, run.size(WARM_UP, 1));
    const figures = [];
    for (const kind of LOGINS) figures.push(await measure(run, gateway, fleet, kind));
    return figures;
  } finally {
    clearInterval(beats);
    closeAll(fleet);
  }
}

async function measure(run: Run, gateway: Subject, fleet: readonly Enrolled[], kind: Kind) {
  const turn = run.size(TURN, 500);
  // In a process of their own: what they compute must not delay the till and the terminal that are measured.
  const others = fork(join(import.meta.dirname, "login-tills.ts"));
  others.send({ url: gateway.url, kind, tills: await tillsOf(gateway.caller, kind) } satisfies LoginTills);
  const [without, beside]: [Stretch[], Stretch[]] = [[], []];
  const answers: Answered[] = [];
  try {
    for (let round = 0; round < run.size(ROUNDS, 1); round++) {
      without.push(await drive(gateway, fleet, turn));
      others.send("start");
      beside.push(await drive(gateway, fleet, turn));
      others.send("end");
      answers.push(...(await answersOf(others)));
      // What was put off is done before the next turn, which is to be undisturbed.
      await setTimeout(UNDISTURBED);
    }
  } finally {
    others.disconnect();
  }
  return figuresOf(kind, without, beside, answers);
}

async function answersOf(tills: ChildProcess): Promise<Answered[]> {
  const ended = once(tills, "exit").then(() => Promise.reject(new Error("the tills that log in ended")));
  const [answers] = (await Promise.race([once(tills, "message"), ended])) as [Answered[]];
  ended.catch(() => undefined);
  return answers;
}

/** Each till's account. One after the other, and few that have a chosen password: each is hashed. */
async function tillsOf(caller: Caller, kind: Kind): Promise<Keeper[]> {
  const keepers: Keeper[] = [];
  while (keepers.length < (kind === "chosen" ? CHOSEN : AT_ONCE)) {
    keepers.push(await newAccount(caller, kind === "chosen" ? `a password of till ${keepers.length}` : undefined));
  }
  return Array.from({ length: AT_ONCE }, (_, till) => keepers[till % keepers.length]).flatMap((one) => one ?? []);
}

/** Of the logins by status: 429 tells a till to come back. */
function figuresOf(kind: Kind, without: Stretch[], beside: Stretch[], answers: readonly Answered[]) {
  const [quiet, busy] = [without, beside].map((turns) => timesOf(turns.flatMap(({ latencies }) => latencies)));
  if (quiet === undefined || busy === undefined) throw new Error("nothing was measured");
  const byStatus = Object.groupBy(answers, ({ status }) => String(status));
  const logins = Object.entries(byStatus).map(([status, some = []]) => {
    return { status, ...timesOf(some.map(({ milliseconds }) => milliseconds)) };
  });
  return {
    kind,
    atOnce: AT_ONCE,
    without: quiet,
    beside: busy,
    ratio: busy.p99 / quiet.p99,
    ratios: spreadOfPairs(beside, without, (one, other) => p99Of(one) / p99Of(other)),
    logins,
  };
}

function p99Of({ latencies }: Stretch): number {
  return quantile(latencies, 0.99);
}

function timesOf(values: readonly number[]) {
  return { count: values.length, p50: quantile(values, 0.5), p99: quantile(values, 0.99) };
}
