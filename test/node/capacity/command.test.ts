/** `npm run capacity` as it is called. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "vitest";
import type { Computed } from "../../capacity/computed.ts";
import { ROOT } from "../../support/outside.ts";

function capacity(...words: string[]) {
  const file = join(ROOT, "test", "capacity", "capacity.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...words], { encoding: "utf8" });
  return { status, stdout, stderr: stderr.replaceAll(/^.*(?:ExperimentalWarning|--trace-warnings).*\n/gmu, "") };
}

describe("the command", () => {
  it("says of a small fleet that midnight and an outage stay within limits", ({ expect }) => {
    const { status, stdout } = capacity("--terminals", "2000", "--seed", "3");
    expect(status).toBe(0);
    expect(stdout.match(/It stays within limits/gu)).toHaveLength(2);
    expect(stdout).toContain("2,000 of 2,000 are connected at the end; D1 does not know of 0.");
    expect(stdout).toContain("Seed of the simulations: 3");
  });

  it("prints the same as JSON, without the simulations if they are left out", ({ expect }) => {
    const { status, stdout } = capacity("--json", "--quick", "--terminals", "2000", "--per-account", "2000");
    const { parts, bill, midnight, storm } = JSON.parse(stdout) as Computed;
    expect([status, midnight, storm]).toEqual([0, null, null]);
    const full = parts.find(({ part }) => part === "An account's size");
    expect(full?.endsAt).toBeLessThan(2_000);
    expect(full?.load).toBeGreaterThan(full?.limit ?? Infinity);
    expect(bill.terms.reduce((sum, { dollars }) => sum + dollars, 0)).toBeCloseTo(bill.total, 6);
  });

  it("ends with status 2 and one sentence if it is called wrongly", ({ expect }) => {
    expect(capacity("--terminals", "many")).toEqual({
      status: 2,
      stdout: "",
      stderr: "--terminals takes a whole number from 1 to 2000000, not many.\n",
    });
    expect(capacity("--help").stdout).toMatch(/^npm run capacity -- \[flags\]/u);
  });
});
