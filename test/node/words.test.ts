/** Words that make a reader stop: comments, messages, names of tests and documents use plain ones instead. */
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, it } from "vitest";
import { ROOT } from "../support/outside.ts";

interface Rule {
  /** Matched against single lines, in any case. */
  pattern: RegExp;
  /** What to write. */
  instead: string;
}

const EVERYWHERE: Rule[] = [
  { pattern: /\bmend(?:s|ed|ing)?\b/iu, instead: "fix" },
  { pattern: /\bfor ever\b/iu, instead: "forever, without end, permanently" },
  { pattern: /\bfor good\b/iu, instead: "permanently" },
  { pattern: /\bunder way\b/iu, instead: "in progress, in transit" },
  { pattern: /\bwhoever\b/iu, instead: "anyone who, or a noun: the caller, the user, an attacker" },
  { pattern: /\brelieved of\b/iu, instead: "acknowledged" },
  { pattern: /\b(?:is|are) said to be\b/iu, instead: "the fact itself" },
  { pattern: /\b(?:has|have) not (?:\d|\$\{)/iu, instead: "must be" },
];

/** For the code, its comments and messages, and the documents. */
const IN_SOURCES: Rule[] = [
  { pattern: /(?<!["\w-])anew\b(?!["(])/iu, instead: "again, from the beginning" },
  {
    pattern: /\bwhat is no\b|\bthat is no (?:frame|event|number)\b/iu,
    instead: "an invalid …, a text that is not a …",
  },
  { pattern: /\bas good as\b/iu, instead: "the fact itself" },
  { pattern: /\bsigns? of life\b/iu, instead: "activity" },
  { pattern: /\b(?:is|are) good (?:once|for|to|until|under|where)\b/iu, instead: "is valid" },
  { pattern: /\bcarr(?:y|ies|ied|ying) (?:\w+ )?out\b/iu, instead: "process, perform" },
  { pattern: /\bso many (?:milli)?seconds\b/iu, instead: "this many" },
];

/** For the names of tests. */
const IN_TEST_NAMES: Rule[] = [
  ...IN_SOURCES,
  { pattern: /\bwhatever\b/iu, instead: "any, regardless of, every kind of" },
  { pattern: /\bwhat (?:became|becomes|will become) of\b/iu, instead: "the outcome, the result" },
];

/** For pages, contracts and this repository's documents. */
const IN_DOCUMENTS: Rule[] = [
  { pattern: /\bwhatever\b/iu, instead: "any, every, regardless of" },
  { pattern: /\bsigns? (?:\w+ )?anew\b/iu, instead: "sign again" },
  { pattern: /\bwhich are none\b|\bthat (?:is|are) none\b/iu, instead: "not a …" },
  { pattern: /\bis dead at once\b/iu, instead: "stops working at once" },
  { pattern: /\bis good (?:once|for)\b/iu, instead: "is valid" },
  { pattern: /\bmisused\b/iu, instead: "wrong usage" },
];

const SKIPPED = /(?:^|\/)(?:node_modules|dist|typed-client)\//u;

function files(...patterns: string[]): string[] {
  return globSync(patterns, { cwd: ROOT })
    .map((path) => relative(ROOT, join(ROOT, path)))
    .filter((path) => !SKIPPED.test(path) && path !== join("test", "node", "words.test.ts"));
}

/** `path:line: what it says; write …` of every line that breaks a rule. */
function problems(paths: string[], rules: Rule[], read = (path: string) => readFileSync(join(ROOT, path), "utf8")) {
  return paths.flatMap((path) =>
    read(path)
      .split("\n")
      .flatMap((line, index) =>
        rules
          .filter(({ pattern }) => pattern.test(line))
          .map(({ pattern, instead }) => `${path}:${index + 1}: “${pattern.exec(line)?.[0]}”; write: ${instead}`),
      ),
  );
}

/** A file's lines with the names of tests; the others are empty. */
function namesOf(path: string): string {
  const lines = readFileSync(join(ROOT, path), "utf8").split("\n");
  return lines.map((line) => (/^\s*(?:it|describe)\b.*\(["`]/u.test(line) ? line : "")).join("\n");
}

describe("the words", () => {
  it("of code, comments, messages, tests and documents are plain", ({ expect }) => {
    const paths = files(
      "*.md",
      "src/**/*.{ts,tsx,mjs,css,md,html}",
      "test/**/*.ts",
      "migrations/*.sql",
      "wrangler.toml",
    );
    expect(paths.length).toBeGreaterThan(500);
    expect(problems(paths, EVERYWHERE)).toEqual([]);
  });

  it("of code, comments, messages and documents are usual ones", ({ expect }) => {
    const paths = files("README.md", "CONTRIBUTING.md", "SECURITY.md", "src/**/*.{ts,tsx,mjs,md}");
    expect(paths.length).toBeGreaterThan(400);
    expect(problems(paths, IN_SOURCES)).toEqual([]);
  });

  it("of the names of tests are usual ones", ({ expect }) => {
    const paths = files("test/**/*.test.ts");
    expect(paths.length).toBeGreaterThan(150);
    expect(problems(paths, IN_TEST_NAMES, namesOf)).toEqual([]);
  });

  it("of pages, contracts and documents are plain", ({ expect }) => {
    const paths = files("README.md", "CONTRIBUTING.md", "SECURITY.md", "src/docs/*.md", "src/client/README.md");
    const contracts = files("src/contracts/**/*.ts", "src/http/openapi/introduction.ts");
    expect(paths.length).toBeGreaterThan(12);
    expect(contracts.length).toBeGreaterThan(5);
    expect(problems([...paths, ...contracts], IN_DOCUMENTS)).toEqual([]);
  });

  it.for([
    ["Mend the field.", 1],
    ["It waits for ever, and whoever asks waits too.", 2],
    ["The key of entry 1 has not 32 bytes.", 1],
    ["Recommend a good amendment.", 0],
    ["Fix the field. The caller waits forever.", 0],
  ] as const)("are found by their rules: %s", ([text, count], { expect }) => {
    expect(problems(["a text"], EVERYWHERE, () => text)).toHaveLength(count);
  });
});
