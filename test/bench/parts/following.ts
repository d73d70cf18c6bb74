/**
 * What it adds to a sale that somebody follows the account's events: a reader that waits for the next one, or a webhook.
 * Three gateways, each with all of its accounts alike. Every terminal has an account of its own: as no two sales share a
 * reading or a delivery, this is the most that it can add.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type { FollowingFigures } from "../../../src/docs/build/speed-figures.ts";
import { withSignature } from "../../../src/signing/signature.ts";
import { formatDatetime } from "../../../src/time/datetime.ts";
import { Caller } from "../http.ts";
import { cpuPerThousand, drive, pooled, type Stretch } from "../measure.ts";
import type { Pair } from "../parties.ts";
import { type Contender, inRounds } from "../rounds.ts";
import { quantile, shown, spreadOfPairs } from "../spread.ts";
import { Gateway } from "../subjects/gateway.ts";
import { type Enrolled, eightAtOnce } from "../subjects/subject.ts";
import { type Run, withStopped } from "./part.ts";

const TERMINALS = 50;
const WARM_UP = 10_000;

/** Seconds that a call waits for the next event. */
const WAIT = 60;

/** How long events may take to arrive after the last sale. */
const PATIENCE = 30_000;
const LOOK_EVERY = 100;

/** Who follows, and what has arrived. */
interface Followers {
  events: number;
  stop(): Promise<void>;
}

type What = "reader" | "webhook";

interface Followed {
  what: What | "alone";
  subject: Gateway;
  fleet: Enrolled[];
  followers: Followers | null;
}

export async function measureFollowing(run: Run): Promise<FollowingFigures[]> {
  const most = run.size(TERMINALS, 2);
  return withStopped(async (add) => {
    const all: Followed[] = [];
    for (const what of ["alone", "reader", "webhook"] as const) {
      const subject = add(await Gateway.start(await run.folder(what), { reaches: "local" }));
      const fleet = await subject.connect(await subject.enrol(most, 1));
      const pairs = fleet.map(({ pair }) => pair);
      all.push({ what, subject, fleet, followers: what === "alone" ? null : add(await FOLLOW[what](subject, pairs)) });
      await drive(subject, fleet, run.size(WARM_UP, 1));
    }
    const figures: FollowingFigures[] = [];
    for (const terminals of [1, most]) figures.push(await measure(run, all, terminals));
    for (const { fleet } of all) for (const { terminal } of fleet) terminal.close();
    return figures;
  });
}

async function measure({ options }: Run, all: readonly Followed[], terminals: number): Promise<FollowingFigures> {
  const before = new Map(all.map(({ what, followers }) => [what, followers?.events ?? 0]));
  const sales = new Map<string, number>();
  const contenders = new Map<What | "alone", Contender>(
    all.map(({ what, subject, fleet }) => [
      what,
      {
        subject,
        async turn(milliseconds) {
          const stretch = await drive(subject, fleet, milliseconds, terminals);
          sales.set(what, (sales.get(what) ?? 0) + stretch.latencies.length);
          return stretch;
        },
      },
    ]),
  );
  const turns = await inRounds(contenders, options);
  const alone = turns.get("alone") ?? [];
  const rows: FollowingFigures["rows"] = [];
  for (const { what, followers } of all) {
    if (what === "alone" || followers === null) continue;
    const events = await arrived(followers, before.get(what) ?? 0, sales.get(what) ?? 0);
    rows.push({ what, events, ...compared(turns.get(what) ?? [], alone) });
  }
  const together = pooled(alone);
  const figures: FollowingFigures = {
    terminals,
    rounds: alone.length,
    alone: { p50: quantile(together.latencies, 0.5), cpu: cpuPerThousand(together) },
    rows,
  };
  print(figures);
  return figures;
}

function compared(
  followed: readonly Stretch[],
  alone: readonly Stretch[],
): Pick<FollowingFigures["rows"][number], "addedMedian" | "addedCpu"> {
  const knowsCpu = [...followed, ...alone].every(({ cpuSeconds }) => cpuSeconds !== null);
  return {
    addedMedian: spreadOfPairs(followed, alone, (one, other) => median(one) - median(other)),
    addedCpu: knowsCpu ? spreadOfPairs(followed, alone, (one, other) => cpuOf(one) - cpuOf(other)) : null,
  };
}

function median({ latencies }: Stretch): number {
  return quantile(latencies, 0.5);
}

function cpuOf(stretch: Stretch): number {
  return cpuPerThousand(stretch) ?? NaN;
}

/** Waits until there is an event for every sale; returns how many. Events of sales before may come with them. */
async function arrived(followers: Followers, before: number, sales: number): Promise<number> {
  const started = performance.now();
  while (followers.events - before < sales) {
    if (performance.now() - started > PATIENCE)
      throw new Error(`${followers.events - before} events of ${sales} sales`);
    await setTimeout(LOOK_EVERY);
  }
  return followers.events - before;
}

const FOLLOW: Record<What, (gateway: Gateway, pairs: readonly Pair[]) => Promise<Followers>> = {
  async reader(gateway, pairs) {
    const reader = new Reader(new Caller(gateway.url));
    for (const pair of pairs) void reader.read(pair);
    return reader;
  },

  async webhook(gateway, pairs) {
    const receiver = await Receiver.listen();
    await eightAtOnce(pairs, async ({ posId, signingKey, accessToken }) => {
      const call = {
        posId,
        datetime: formatDatetime(Date.now()),
        nonce: crypto.randomUUID(),
        call: "POST /api/webhooks",
      };
      const signed = withSignature({ ...call, url: receiver.url }, signingKey);
      await gateway.caller.call("POST", "/api/webhooks", accessToken, signed);
    });
    return receiver;
  },
};

/** Reads events of accounts, each as soon as it is there. */
class Reader implements Followers {
  events = 0;
  #stopped = false;
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async read({ accessToken }: Pair): Promise<void> {
    const headers = { Prefer: `wait=${WAIT}` };
    try {
      for (let next = 0; !this.#stopped;) {
        type Page = { data: unknown[]; next: number };
        const path = `/api/events?after=${next}`;
        const page = await this.#caller.call<Page>("GET", path, accessToken, undefined, headers);
        this.events += page.data.length;
        next = page.next;
      }
    } catch (error) {
      // A call that waits is cut off at the end.
      if (!this.#stopped) throw error;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#caller.close();
  }
}

/** Takes what webhooks deliver. */
class Receiver implements Followers {
  events = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      request.resume();
      this.events++;
      response.writeHead(204).end();
    });
  }

  static listen(): Promise<Receiver> {
    const receiver = new Receiver();
    return new Promise((resolve) => receiver.#server.listen(0, "127.0.0.1", () => resolve(receiver)));
  }

  get url(): string {
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/events`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

function print({ terminals, rounds, alone, rows }: FollowingFigures): void {
  const cpu = alone.cpu === null ? "" : `, CPU ${alone.cpu.toFixed(2)} s per 1,000`;
  console.log(`\n${terminals} at work, ${rounds} rounds: p50 ${alone.p50.toFixed(2)} ms${cpu}`);
  for (const { what, events, addedMedian, addedCpu } of rows) {
    const added = addedCpu === null ? "" : `, CPU + ${shown(addedCpu)} s per 1,000`;
    console.log(`  with a ${what}: ${events} events; median + ${shown(addedMedian)} ms${added}`);
  }
}
