/** `npm run capacity` as it is called. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

function capacity(...words: string[]) {
  const args = ["--disable-warning=ExperimentalWarning", join(ROOT, "test/capacity/capacity.ts"), ...words];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  return { status, stdout, stderr };
}

describe("the command", () => {
  it("says what a fleet does to each part, what it costs, and how long an outage lasts for it", ({ expect }) => {
    const { status, stdout } = capacity("--terminals", "2000", "--per-account", "2000");
    expect(status).toBe(0);
    expect(stdout).toContain("terminals: 2000, perDay: 50, perAccount: 2000, webhooks: 10");
    // It is full before.
    expect(stdout).toMatch(/'An account's size'|"An account's size"/u);
    expect(stdout).toMatch(/│ 870 +│/u);
    expect(stdout).toContain("'A month, USD'");
    expect(stdout).toContain("After an outage, D1 works 2 s for logins");
  });

  it("ends with status 2 and one sentence if it is called wrongly", ({ expect }) => {
    for (const [words, sentence] of [
      [["--terminals", "many"], "--terminals must be a number above 0."],
      [["--per-day=-1"], "--per-day must be a number above 0."],
      [["--tills", "5"], "There is no option --tills. Use --help."],
    ] as const) {
      const { status, stdout, stderr } = capacity(...words);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(sentence);
    }
    expect(capacity("--help").stdout).toMatch(/^npm run capacity -- \[flags\]/u);
  });
});
