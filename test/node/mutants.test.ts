/** The mutants that may survive are mutants of the code as it is now; and small code shows what each operator does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { compiling } from "../mutants/compiled.ts";
import { mutantsOf } from "../mutants/mutants.ts";
import { readOptions } from "../mutants/options.ts";
import { numberedMutants, type Numbered } from "../mutants/rooms.ts";
import { withCountedLoops, withMutants } from "../mutants/schemata.ts";
import { figuresOf, keyOf, type Outcome, readSurvivors } from "../mutants/survivors.ts";
import { ROOT } from "../support/outside.ts";

describe("the list of surviving mutants", () => {
  const survivors = readSurvivors();

  it("has only mutants of the code, each with a reason", ({ expect }) => {
    const files = new Set(survivors.map(({ file }) => file));
    const known = new Set(
      [...files].flatMap((file) => mutantsOf(file, readFileSync(join(ROOT, file), "utf8")).map(keyOf)),
    );
    expect(survivors.filter((survivor) => !known.has(keyOf(survivor)))).toEqual([]);
    expect(survivors.filter(({ reason }) => reason.length < 10)).toEqual([]);
  });

  it("names every mutant once", ({ expect }) => {
    const keys = survivors.map(keyOf);
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([]);
  });
});

/** The changes that are made to a piece of code. */
function changes(source: string): string[] {
  return mutantsOf("a.ts", source).map(({ change }) => change);
}

describe("a mutant", () => {
  it.for([
    ["if (a < b) f();", ["a < b → true", "a < b → false", "a < b → <=", "a < b → >=", "f(); → removed"]],
    ["x = a ?? b;", ["x = a ?? b; → removed", "a ?? b → a", "a ?? b → b"]],
    ["x = !a;", ["x = !a; → removed", "!a → a"]],
    ["const x = list.some(f);", ["list.some(f) → every"]],
    ["const x = a?.b;", ["a?.b → ."]],
    ["const x = { a, message: 'text' };", ["{ a, message: 'text' } → {}", "a → left out"]],
    ["const x: 'type' = y as 'type';", []],
    ["throw new Error('no ' + 7);", []],
    ["log('info', 'event', { a: 1 });", []],
    ["logError('event', error, { a: 1 });", []],
    ["const x = list[1] ?? 0;", ["list[1] ?? 0 → list[1]", "list[1] ?? 0 → 0", "1 → 2"]],
    ["const [x = ''] = [y ?? ''];", ["[y ?? ''] → []", "y ?? '' → y", "y ?? '' → ''"]],
  ] as const)("is made of %s", ([source, expected], { expect }) => {
    expect(changes(source)).toEqual(expected);
  });
});

it("has no optional chain where it had one, also behind parentheses", ({ expect }) => {
  const changed = ["a?.b", "(await a)?.b", "(await a)?.[0]", "(f)?.()", "a?.b.c"].map((source) =>
    mutantsOf("a.ts", source),
  );
  const becomes = changed.map((mutants) => mutants.find(({ change }) => change.endsWith("→ ."))?.instead);
  expect(becomes).toEqual(["a.b", "(await a).b", "(await a)[0]", "(f)()", "a.b.c"]);
});

it("has the parentheses of the operands", ({ expect }) => {
  const [mutant] = mutantsOf("a.ts", "const x = (a + b) / (c + d);");
  expect(mutant).toMatchObject({ change: "(a + b) / (c + d) → *", instead: "(a + b) * (c + d)" });
});

it("is run only if it compiles", ({ expect }) => {
  const mutants = numberedMutants(ROOT, new Set(["src/client/backoff.ts"]));
  const known = mutants.map(({ change }) => change);
  const run = compiling(ROOT, mutants).map(({ change }) => change);
  expect([known.includes("signal?.aborted → ."), run.includes("signal?.aborted → .")]).toEqual([true, false]);
  expect(run).toContain("bound / 2 + random() * (bound / 2) → -");
});

function numbered(source: string): Numbered[] {
  return mutantsOf("a.ts", source).map((mutant, index) => ({ ...mutant, number: index + 1, room: "src" }));
}

/** The value of `a?.b.c ?? 7` for null, with one of its mutants. */
function evaluated(active: number): unknown {
  const source = "const f = (a) => a?.b.c ?? 7;";
  const mutants = { isActive: (number: number): boolean => number === active };
  const text = withMutants(source, numbered(source)).replaceAll("globalThis.mutants", "mutants");
  // oxlint-disable-next-line no-implied-eval -- the text is this test's own
  return new Function("mutants", `${text} return f(null);`)(mutants);
}

describe("the text with all mutants", () => {
  it("is the original as long as none is active, and otherwise the one that is", ({ expect }) => {
    // The sides of `??`, 8 in place of 7, and at last `.` in place of `?.`.
    expect([0, 1, 2, 4].map(evaluated)).toEqual([7, undefined, 7, 8]);
    expect(() => evaluated(3)).toThrow(TypeError);
  });

  it("counts the rounds of every loop", ({ expect }) => {
    expect(withCountedLoops("for (const a of b) while (c) d();")).toBe(
      "for (const a of b) { globalThis.mutants.countLoop(); while (c) { globalThis.mutants.countLoop(); d(); } }",
    );
  });
});

describe("the share of mutants that are killed", () => {
  const [listed, other] = numbered("f(); g();");

  it("leaves out those that may survive", ({ expect }) => {
    if (listed === undefined || other === undefined) throw new Error("there are no mutants");
    const reasons = new Set([keyOf(listed)]);
    const run = new Map<Numbered, Outcome>([
      [listed, "survived"],
      [other, "killed"],
    ]);
    expect(figuresOf(run, reasons)).toMatchObject({ share: 1, unexplained: [] });
    expect(figuresOf(run, new Set())).toMatchObject({ share: 0.5, unexplained: [listed] });
    expect(figuresOf(run.set(listed, "killed"), reasons)).toMatchObject({ outdated: [listed] });
  });
});

describe("the command line of a run", () => {
  it.for(["--sample=x", "--sample=0", "--seed=x", "--sampel=1"])(
    "names the flag of %s, which is wrong",
    (flag, { expect }) => {
      const [name] = flag.split("=");
      expect(() => readOptions([flag])).toThrow(name);
    },
  );

  it("takes a glob, a sample and a seed", ({ expect }) => {
    const options = { glob: "src/keeper/**/*.ts", sample: 60, seed: 11 };
    expect(readOptions([options.glob, "--sample", "60", "--seed", "11"])).toEqual(options);
    expect(readOptions([])).toEqual({ glob: null, sample: null, seed: 1 });
  });
});
