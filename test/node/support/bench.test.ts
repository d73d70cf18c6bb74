import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

describe("the bench", () => {
  it("sells through the gateway and the baseline, and prints both", ({ expect }) => {
    const bench = join(ROOT, "test/bench/bench.ts");
    const words = ["--disable-warning=ExperimentalWarning", bench, "--rounds", "1", "--seconds", "0.2"];
    const { status, stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
    expect(status).toBe(0);
    expect(stdout.match(/'(?:gateway|baseline)' +│ (?:1|50) +│ '[\d.]+ /gu)).toHaveLength(4);
    expect(stdout.match(/First sale, (?:gateway|baseline): [\d.]+ /gu)).toHaveLength(2);
  });
});
