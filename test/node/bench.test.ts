import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import { judge, type Verdict } from "../bench/goals.ts";
import type { Stretch } from "../bench/measure.ts";
import { summarise, type Summary } from "../bench/report.ts";

const BENCH = join(import.meta.dirname, "../bench/bench.ts");

describe("the bench", () => {
  it("sends approved sales through the gateway, both floors and plain Node, and writes the times", async ({
    expect,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
    const json = join(folder, "bench.json");
    try {
      const words = ["--quick", "--terminals", "2", "--rounds", "1", "--folder", folder, "--json", json];
      const node = ["--disable-warning=ExperimentalWarning", BENCH, ...words];
      const { stdout } = await promisify(execFile)(process.execPath, node);
      expect(stdout).toContain("gateway to account floor: throughput × ");
      expect(stdout).toContain("gateway to D1 floor: throughput × ");
      const { load, goals } = JSON.parse(await readFile(json, "utf8")) as { load: Summary[]; goals: Verdict[] };
      expect(load.map(({ terminals }) => terminals)).toEqual([2]);
      expect(load[0]?.rows.map(({ name }) => name)).toEqual(["gateway", "account floor", "D1 floor", "plain Node"]);
      for (const { transfers, p50, p99 } of load[0]?.rows ?? []) {
        expect(transfers).toBeGreaterThan(0);
        expect(p50).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
      }
      expect(goals.map(({ met }) => met)).toEqual([null, null, null, null]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);
});

/** A second in which so many transfers each took as long, and all of them so much CPU. */
function second(transfers: number, milliseconds: number, cpuSeconds: number | null): Stretch {
  return { latencies: Array<number>(transfers).fill(milliseconds), seconds: 1, cpuSeconds, loadSeconds: 0.1 };
}

function summaryOf(terminals: number, gateway: Stretch, d1Floor: Stretch, accountFloor: Stretch): Summary {
  const stretches = { gateway, "D1 floor": d1Floor, "account floor": accountFloor };
  return summarise(
    terminals,
    new Map(Object.entries(stretches).map(([name, stretch]) => [name as keyof typeof stretches, [stretch]])),
  );
}

const D1_FLOOR = second(100, 10, 1);
const ACCOUNT_FLOOR = second(200, 5, 1.6);

describe("the bench's goals", () => {
  it("are met by a gateway that equals the D1 floor and is near the account floor", ({ expect }) => {
    const fifty = summaryOf(50, second(100, 10, 0.95), D1_FLOOR, ACCOUNT_FLOOR);
    const one = summaryOf(1, second(100, 5.5, 0.95), D1_FLOOR, ACCOUNT_FLOOR);
    const verdicts = judge([one, fifty], true);
    expect(verdicts.map(({ met }) => met)).toEqual([true, true, true, true]);
    expect(verdicts.map(({ measured }) => measured?.toFixed(2))).toEqual(["1.00", "0.95", "1.19", "0.50"]);
    expect(verdicts.map(({ goal }) => goal)).toEqual([
      "50 terminals, throughput × D1 floor: at least 1",
      "50 terminals, CPU per transfer × D1 floor: at most 1",
      "50 terminals, CPU per transfer × account floor: at most 1.2",
      "1 terminal, median, milliseconds above account floor: at most 0.5",
    ]);
  });

  it("are each missed by a slightly worse gateway", ({ expect }) => {
    const fifty = summaryOf(50, second(99, 10, 1), D1_FLOOR, ACCOUNT_FLOOR);
    const one = summaryOf(1, second(99, 5.6, 1), D1_FLOOR, ACCOUNT_FLOOR);
    expect(judge([one, fifty], true).map(({ met }) => met)).toEqual([false, false, false, false]);
  });

  it("are not judged on what was not measured, by a machine that hides CPU, or with databases in memory", ({
    expect,
  }) => {
    const blind = summaryOf(50, second(100, 10, null), second(100, 10, null), second(200, 5, null));
    expect(judge([blind], true).map(({ met }) => met)).toEqual([true, null, null, null]);
    expect(judge([blind], false).map(({ met }) => met)).toEqual([null, null, null, null]);
  });
});
