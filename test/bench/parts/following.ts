/**
 * What it adds to a sale that somebody follows the account's events: a reader that waits for the next one, or a webhook.
 * Three gateways, each with all of its accounts alike. Every terminal has an account of its own: as no two sales share a
 * reading or a delivery, this is the most that it can add.
 */
import { createServer } from "node:http";
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
import { GATEWAY } from "../subjects/gateway.ts";
import { type Enrolled, eightAtOnce, type WorkerSubject } from "../subjects/subject.ts";
import { closeAll, type Run } from "./part.ts";

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
  subject: WorkerSubject;
  fleet: Enrolled[];
  followers: Followers | null;
}

export async function measureFollowing(run: Run): Promise<FollowingFigures[]> {
  const most = run.size(TERMINALS, 2);
  const all: Followed[] = [];
  for (const what of ["alone", "reader", "webhook"] as const) {
    const subject = await run.start(GATEWAY, { reaches: "local" });
    const fleet = await subject.connect(await subject.enrol(most, 1));
    const pairs = fleet.map(({ pair }) => pair);
    const followers = what === "alone" ? null : run.add(await FOLLOW[what](subject, pairs));
    all.push({ what, subject, fleet, followers });
    await drive(subject, fleet, run.size(WARM_UP, 1));
  }
  const figures: FollowingFigures[] = [];
  for (const terminals of [1, most]) figures.push(await measure(run, all, terminals));
  closeAll(all.flatMap(({ fleet }) => fleet));
  return figures;
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

const FOLLOW: Record<What, (gateway: WorkerSubject, pairs: readonly Pair[]) => Promise<Followers>> = {
  /** Reads the events of each account as soon as they are there. */
  async reader({ url }, pairs) {
    const caller = new Caller(url);
    let isStopped = false;
    const followers = {
      events: 0,
      async stop() {
        isStopped = true;
        caller.close();
      },
    };
    const read = async (token: string): Promise<void> => {
      for (let after = 0; ;) {
        const call = { token, headers: { Prefer: `wait=${WAIT}` } };
        type Page = { data: unknown[]; next: number };
        const page = await caller.call<Page>("GET", `/api/events?after=${after}`, call);
        followers.events += page.data.length;
        after = page.next;
      }
    };
    for (const { accessToken } of pairs) {
      read(accessToken).catch((error: unknown) => {
        // A call that waits is cut off at the end.
        if (!isStopped) throw error;
      });
    }
    return followers;
  },

  /** Takes what a webhook of each account delivers. */
  async webhook({ caller }, pairs) {
    const server = createServer((request, response) => {
      request.resume();
      followers.events++;
      response.writeHead(204).end();
    });
    const followers = {
      events: 0,
      async stop() {
        server.closeAllConnections();
        server.close();
      },
    };
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const url = `http://localhost:${(server.address() as AddressInfo).port}/events`;
    await eightAtOnce(pairs, async ({ posId, signingKey, accessToken: token }) => {
      const datetime = formatDatetime(Date.now());
      const call = { posId, datetime, nonce: crypto.randomUUID(), call: "POST /api/webhooks", url };
      await caller.call("POST", "/api/webhooks", { token, body: withSignature(call, signingKey) });
    });
    return followers;
  },
};

function print({ terminals, rounds, alone, rows }: FollowingFigures): void {
  const cpu = alone.cpu === null ? "" : `, CPU ${alone.cpu.toFixed(2)} s per 1,000`;
  console.log(`\n${terminals} at work, ${rounds} rounds: p50 ${alone.p50.toFixed(2)} ms${cpu}`);
  for (const { what, events, addedMedian, addedCpu } of rows) {
    const added = addedCpu === null ? "" : `, CPU + ${shown(addedCpu)} s per 1,000`;
    console.log(`  with a ${what}: ${events} events; median + ${shown(addedMedian)} ms${added}`);
  }
}
