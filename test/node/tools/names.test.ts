/** Names that CONTRIBUTING.md asks for. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { execFileSync } from "node:child_process";
import { describe, it } from "vitest";
import { ROOT } from "../../support/outside.ts";

/** Words that the code had for things which have a name in the field: outbox, coordinator, conflict, pending, POS, orphan, incident. */
const PRIVATE_WORDS =
  /(?:^|_)(?:untold|retold|keeper|contrary|unresolved|till|tills|stray|matter|matters|sought|owed|news)(?=_|$)/u;

/** One word that is a participle: a function's name is a verb and its object. */
const PARTICIPLE = /^(?:[a-z]+ed|shown|said|heard|known|kept|told|done|found|made|seen|left|read|taken)$/u;

/**
 * A function may be called `xOf` if it only picks a field or a trivial part of its argument: `hostOf(address)`. What
 * computes, looks up, waits, makes or formats has a verb. So an `xOf` is synchronous, and there are few of them.
 */
const MOST_ACCESSORS = 11;

function filesOf(...patterns: string[]): string[] {
  return execFileSync("git", ["ls-files", ...patterns], { cwd: ROOT, encoding: "utf8" })
    .trim()
    .split("\n");
}

function sourceOf(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}

function withoutTexts(source: string): string {
  return source.replaceAll(/\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gu, "");
}

/** `pendingRowsOf` is `_pending_rows_of`. */
function wordsOf(identifier: string): string {
  return identifier.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/gu, (letters) => `_${letters.toLowerCase()}`);
}

const sources = filesOf("src/**/*.ts", "src/**/*.tsx").map((path) => ({ path, source: sourceOf(path) }));

const exported = sources.flatMap(({ path, source }) =>
  [...source.matchAll(/^export (?:async )?(function\*?|class|const|type|interface) (\w+)/gmu)].map(
    ([, kind = "", name = ""]) => ({ path, kind, name }),
  ),
);

describe("the identifiers of src", () => {
  it("have no private word for what has a name in the field", ({ expect }) => {
    const identifiers = sources.flatMap(({ path, source }) =>
      [...withoutTexts(source).matchAll(/[A-Za-z_$][\w$]*/gu)].map(([name]) => ({ path, name })),
    );
    expect(identifiers.length).toBeGreaterThan(10_000);
    expect(identifiers.filter(({ name }) => PRIVATE_WORDS.test(wordsOf(name)))).toEqual([]);
  });

  it("export no function whose name is a bare participle", ({ expect }) => {
    const found = exported.filter(({ kind, name }) => kind.startsWith("function") && PARTICIPLE.test(name));
    expect(found).toEqual([]);
  });

  it("export no name that another module exports", ({ expect }) => {
    const byName = Map.groupBy(exported, ({ name }) => name);
    const shared = [...byName].filter(([, places]) => new Set(places.map(({ path }) => path)).size > 1);
    expect(shared).toEqual([]);
  });

  it("end in Of only for synchronous accessors", ({ expect }) => {
    const waiting = sources.flatMap(({ source }) => [...source.matchAll(/\basync (?:function\*? )?\w+Of\(/gu)]);
    expect(waiting.map(([text]) => text)).toEqual([]);
    const found = exported.filter(({ kind, name }) => kind.startsWith("function") && name.endsWith("Of"));
    expect(found.length, found.map(({ name }) => name).join(" ")).toBeLessThanOrEqual(MOST_ACCESSORS);
  });

  it("stand in files that no other folder calls calls.ts or limits.ts", ({ expect }) => {
    const files = sources.filter(({ path }) => /\/(?:calls|limits)\.ts$/u.test(path)).map(({ path }) => path);
    expect(files).toEqual(["src/docs/build/limits.ts", "src/protocol/limits.ts"]);
  });
});

describe("the names of tests", () => {
  it("have at most twelve words", ({ expect }) => {
    const names = filesOf("test/**/*.test.ts").flatMap((path) =>
      [...sourceOf(path).matchAll(/\bit(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?\(\s*"((?:[^"\\]|\\.)+)"/gu)].map(
        ([, name = ""]) => `${path}: ${name}`,
      ),
    );
    expect(names.length).toBeGreaterThan(1_000);
    expect(names.filter((name) => name.split(" ").length > 13)).toEqual([]);
  });
});
