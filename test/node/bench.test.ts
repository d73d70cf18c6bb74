import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import { isCarried } from "../../src/docs/build/speed.ts";
import { judge, type SpeedFigures } from "../bench/figures.ts";
import { Caller } from "../bench/http.ts";
import type { Stretch } from "../bench/measure.ts";
import type { RateFigures } from "../bench/parts/account.ts";
import { type LoadFigures, summarise } from "../bench/parts/load.ts";
import { spreadOf } from "../bench/spread.ts";

const BENCH = join(import.meta.dirname, "../bench/bench.ts");

async function bench(...words: string[]): Promise<{ stdout: string; figures: SpeedFigures }> {
  const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
  const json = join(folder, "bench.json");
  try {
    const node = ["--disable-warning=ExperimentalWarning", BENCH, "--quick", "--rounds", "1", "--folder", folder];
    const { stdout } = await promisify(execFile)(process.execPath, [...node, "--json", json, ...words]);
    return { stdout, figures: JSON.parse(await readFile(json, "utf8")) as SpeedFigures };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe("the bench", () => {
  it("sends approved sales through the gateway and the baseline, and writes the times", async ({ expect }) => {
    const { stdout, figures } = await bench("--terminals", "2");
    expect(stdout).toMatch(/throughput: \{ median: [\d.]+, lower: /u);
    expect(Object.keys(figures)).toEqual(["load"]);
    const load = figures.load?.figures ?? [];
    expect(load.map(({ terminals }) => terminals)).toEqual([2]);
    expect(load[0]?.rows.map(({ name }) => name)).toEqual(["gateway", "account baseline"]);
    for (const { transfers, p50, p99 } of load[0]?.rows ?? []) {
      expect(transfers).toBeGreaterThan(0);
      expect(p50).toBeGreaterThan(0);
      expect(p99).toBeGreaterThanOrEqual(p50);
    }
  });

  it("sends one account more and more sales, and compares what is paid with what terminals were asked", async ({
    expect,
  }) => {
    const { figures } = await bench("--account");
    expect(figures.account?.figures.rates.map(({ perSecond, answers }) => [perSecond, answers])).toEqual([
      [20, [{ kind: "00", count: 20 }]],
      [40, [{ kind: "00", count: 40 }]],
    ]);
  });

  it("makes a first sale when both objects are out of memory", async ({ expect }) => {
    const { figures } = await bench("--cold");
    expect(figures.cold?.figures.rows.map(({ name }) => name)).toEqual(["gateway", "account baseline"]);
    for (const { sale } of figures.cold?.figures.rows ?? []) expect(sale.median).toBeGreaterThan(0);
  });
});

describe("a call of the bench", () => {
  it("is sent again on another connection if its own was closed as idle, and fails if a new one is closed", async ({
    expect,
  }) => {
    const served = new Map<unknown, number>();
    const server = createServer(({ socket, url }, response) => {
      const before = served.get(socket) ?? 0;
      served.set(socket, before + 1);
      if (before > 0 || url === "/closed") socket.destroy();
      else response.end("served");
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const caller = new Caller(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const path of ["/first", "/again"]) {
      expect(await caller.exchange("POST", path, { body: {} })).toEqual({ status: 200, text: "served" });
    }
    expect([...served.values()]).toEqual([2, 1]);
    await expect(caller.exchange("POST", "/closed", { body: {} })).rejects.toMatchObject({ code: "ECONNRESET" });
    caller.close();
    server.close();
  });
});

describe("a rate of sales", () => {
  it("is carried if all are approved, 99 of 100 within a quarter of a second", ({ expect }) => {
    expect(isCarried(rate(100, 250))).toBe(true);
    expect(isCarried(rate(100, 250.1))).toBe(false);
    expect(isCarried(rate(100, 1, { kind: "429", count: 1 }))).toBe(false);
  });
});

/** A second with this many transfers of this duration, and this much CPU in total. */
function second(transfers: number, milliseconds: number, cpuSeconds: number | null): Stretch {
  return { latencies: Array<number>(transfers).fill(milliseconds), seconds: 1, cpuSeconds, loadSeconds: 0.1 };
}

/** Seconds, one after the other, in which transfers took this long. */
function seconds(...milliseconds: number[]): Stretch[] {
  return milliseconds.map((time) => second(100, time, 1));
}

function loadOf(terminals: number, gateway: Stretch, baseline: Stretch): LoadFigures {
  return summarise(
    terminals,
    new Map([
      ["gateway", [gateway]],
      ["account baseline", [baseline]],
    ]),
  );
}

function measured<Figures>(figures: Figures, onDisk = true) {
  return { at: "2026-11-22T20:00:00.000Z", machine: "a machine", onDisk, othersPercent: 0, seconds: 60, figures };
}

const BASELINE = second(200, 5, 1.6);
const ONE = spreadOf([1]);

function rate(perSecond: number, p99: number, ...refused: RateFigures["answers"]): RateFigures {
  return {
    perSecond,
    approved: perSecond,
    p50: 1,
    p99,
    answers: [{ kind: "00", count: 99 }, ...refused],
    thread: 1,
    loadCpu: 1,
  };
}

/** Everything but the load, with numbers that are as much above the goals. */
function others(above: number): SpeedFigures {
  const times = { count: 1, p50: 1, p99: 1 };
  const kinds = ["signed", "drawn", "chosen"] as const;
  return {
    cold: measured({ rounds: 20, rows: [], ratio: 2 + above, ratios: ONE }),
    logins: measured(
      kinds.map((kind) => {
        return { kind, atOnce: 30, without: times, beside: times, ratio: 1, ratios: spreadOf([3 + above]), logins: [] };
      }),
    ),
    account: measured({ terminals: 1_000, rates: [rate(100, 250 + above), rate(400, 9_000)] }),
  };
}

describe("the bench's goals", () => {
  it("are met by a gateway that is near the account baseline", ({ expect }) => {
    const fifty = loadOf(50, second(100, 10, 1.04), BASELINE);
    const one = loadOf(1, second(100, 5.75, 1.04), BASELINE);
    const verdicts = judge({ load: measured([one, fifty]), ...others(0) });
    expect(verdicts.map(({ met }) => met)).toEqual(Array(7).fill(true));
    expect(verdicts.map(({ measured: value }) => value?.toFixed(2))).toEqual([
      "1.30",
      "0.75",
      "2.00",
      "3.00",
      "3.00",
      "3.00",
      "250.00",
    ]);
    expect(verdicts.map(({ atMost }) => atMost).slice(0, 3)).toEqual([1.3, 0.9, 2]);
  });

  it("are each missed by a slightly worse gateway", ({ expect }) => {
    const fifty = loadOf(50, second(99, 10, 1.1), BASELINE);
    const one = loadOf(1, second(99, 6, 1.1), BASELINE);
    expect(judge({ load: measured([one, fifty]), ...others(0.01) }).map(({ met }) => met)).toEqual(
      Array(7).fill(false),
    );
  });

  it("are judged by the median of the rounds, not by their sum", ({ expect }) => {
    const stretches = { gateway: seconds(10, 11, 500), "account baseline": seconds(9.5, 10.6, 400) };
    const one = summarise(1, new Map(Object.entries(stretches) as [keyof typeof stretches, Stretch[]][]));
    const [, median] = judge({ load: measured([one]) });
    expect(median?.measured).toBeCloseTo(0.5);
    expect(median?.rounds).toMatchObject({ lower: expect.closeTo(0.4), upper: 100 });
  });

  it("are not judged on what was not measured, by a machine that hides CPU, or with databases in memory", ({
    expect,
  }) => {
    const blind = loadOf(50, second(100, 10, null), second(200, 5, null));
    expect(judge({ load: measured([blind]) }).map(({ met }) => met)).toEqual(Array(7).fill(null));
    expect(judge({ load: measured([blind], false) }).map(({ met }) => met)).toEqual(Array(7).fill(null));
    expect(judge({}).map(({ measured: value }) => value)).toEqual(Array(7).fill(null));
  });
});
