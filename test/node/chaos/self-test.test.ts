/** The faults with which a chaos run tests itself. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { transformSync } from "esbuild";
import { describe, it } from "vitest";
import { INSERTED } from "../../chaos/self-test/faults.ts";
import { chaosProgram } from "../../chaos/options.ts";
import { optionsOf } from "../../support/options-of.ts";
import { ROOT } from "../../support/outside.ts";
import { replaced } from "../../support/source-copy.ts";

describe("a fault of a chaos run's self-test", () => {
  it.for(Object.entries(INSERTED))("changes the gateway's code as it is now: %s", ([, fault], { expect }) => {
    for (const [file, right, wrong] of fault.changes) {
      const text = readFileSync(join(ROOT, "src", file), "utf8");
      const code = transformSync(replaced(text, right, wrong), { loader: "ts" }).code;
      expect(code).not.toBe(transformSync(text, { loader: "ts" }).code);
    }
  });

  it("is one of ten, which break six of the seven promises", ({ expect }) => {
    const faults = Object.values(INSERTED);
    // The terminal keeps the fifth itself: it refuses what comes while it works.
    expect([faults.length, [...new Set(faults.map(({ breaks }) => breaks))]]).toEqual([
      10,
      ["I1", "I2", "I3", "I4", "I6", "I7"],
    ]);
  });

  it("is chosen by its name, and no other name is taken", async ({ expect }) => {
    const options = await optionsOf(chaosProgram, ["--self-test", "--fault", "logs-tokens"]);
    expect(options).toMatchObject({ selfTest: true, fault: "logs-tokens" });
    await expect(optionsOf(chaosProgram, ["--fault", "toString"])).rejects.toThrow(
      "Allowed choices are charges-otherwise",
    );
  });
});
