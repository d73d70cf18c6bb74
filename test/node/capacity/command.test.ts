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
  it("says whether the fleet comes back after an outage without a call that D1 refuses", ({ expect }) => {
    const small = capacity("--terminals", "2000", "--per-account", "7.5");
    expect(small.status).toBe(0);
    expect(small.stdout).toContain("2,000 terminals with 50 transfers a day each, 7.5 in an account");
    expect(small.stdout).toContain("It stays within limits.");
    expect(capacity("--terminals", "20000").stdout).toContain("It does NOT stay within limits");
  });

  it("prints the same as JSON", ({ expect }) => {
    const { status, stdout } = capacity("--json", "--terminals", "2000", "--per-account", "2000");
    const { parts, bill } = JSON.parse(stdout) as Computed;
    expect(status).toBe(0);
    const full = parts.find(({ part }) => part === "An account's size");
    expect(full?.endsAt).toBeLessThan(2_000);
    expect(full?.load).toBeGreaterThan(full?.limit ?? Infinity);
    expect(bill.terms.reduce((sum, { dollars }) => sum + dollars, 0)).toBeCloseTo(bill.total, 6);
  });

  it("ends with status 2 and one sentence if it is called wrongly", ({ expect }) => {
    expect(capacity("--terminals", "many")).toEqual({
      status: 2,
      stdout: "",
      stderr: "--terminals takes a number from 1 to 10000000, not many.\n",
    });
    expect(capacity("--help").stdout).toMatch(/^npm run capacity -- \[flags\]/u);
  });
});
