import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, it } from "vitest";
import type { Summary } from "../bench/report.ts";
import { freePort } from "../support/free-port.ts";

const BENCH = join(import.meta.dirname, "../bench/bench.ts");

/** How many ports the bench takes from the one that it is given. */
const PORTS = 6;

describe("the bench", () => {
  it("carries approved sales through the gateway, the floor and plain Node, and writes what they took", async ({
    expect,
  }) => {
    const folder = await mkdtemp(join(tmpdir(), "bench-test-"));
    const json = join(folder, "bench.json");
    try {
      const words = ["--quick", "--terminals", "2", "--rounds", "1", "--folder", folder, "--json", json];
      const port = ["--port", String(await freePort(PORTS))];
      const node = ["--disable-warning=ExperimentalWarning", BENCH, ...words, ...port];
      const { stdout } = await promisify(execFile)(process.execPath, node);
      expect(stdout).toContain("gateway to floor: throughput × ");
      const { load } = JSON.parse(await readFile(json, "utf8")) as { load: Summary[] };
      expect(load.map(({ terminals }) => terminals)).toEqual([2]);
      expect(load[0]?.rows.map(({ name }) => name)).toEqual(["gateway", "floor", "plain Node"]);
      for (const { transfers, p50, p99 } of load[0]?.rows ?? []) {
        expect(transfers).toBeGreaterThan(0);
        expect(p50).toBeGreaterThan(0);
        expect(p99).toBeGreaterThanOrEqual(p50);
      }
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);
});
