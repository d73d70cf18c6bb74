import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import type { Summary } from "../bench/report.ts";

const BENCH = join(import.meta.dirname, "../bench/bench.ts");

describe("the bench", () => {
  it("carries approved sales through the gateway, both floors and plain Node, and writes what they took", async ({
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
      const { load } = JSON.parse(await readFile(json, "utf8")) as { load: Summary[] };
      expect(load.map(({ terminals }) => terminals)).toEqual([2]);
      expect(load[0]?.rows.map(({ name }) => name)).toEqual(["gateway", "account floor", "D1 floor", "plain Node"]);
      for (const { transfers, p50, p99 } of load[0]?.rows ?? []) {
        expect(transfers).toBeGreaterThan(0);
        expect(p50).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 120_000);
});
