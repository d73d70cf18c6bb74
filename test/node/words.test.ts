/** Words that make a reader stop: comments, messages, names of tests and documents use plain ones instead. */
import { globSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, it } from "vitest";
import { parseAst } from "vitest/node";
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
  { pattern: /\b(?:is|are|was|were|be) told\b|\btold %/iu, instead: "gets, receives; called with" },
  { pattern: /\btaken for\b|\b(?:does|do|is|are) not taken?\b(?! (?:over|off))/iu, instead: "accepted as, accepted" },
  { pattern: /\bhand(?:s|ed|ing)? (?:\w+ ){0,3}on\b/iu, instead: "pass on" },
  { pattern: /\bwhere %/iu, instead: "if, when" },
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

/** A node of a syntax tree (https://github.com/estree/estree). */
type Node = Record<string, unknown> & { type: string; start: number };

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}

/** Calls back with every call of a tree. */
function eachCall(value: unknown, found: (call: Node) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (isNode(value) && value.type === "CallExpression") found(value);
  for (const name in value) eachCall((value as Record<string, unknown>)[name], found);
}

/** `it` of `it("…")`, `it.each(…)("…")` and `it.skipIf(…).for(…)("…")`. */
function calledName(node: Node): unknown {
  const next = node["callee"] ?? node["object"];
  return isNode(next) ? calledName(next) : node["name"];
}

/** The text of a literal, or of a template with its expressions left out; null for other nodes. */
function literalText({ type, value, quasis }: Node): string | null {
  if (type === "Literal" && typeof value === "string") return value;
  if (type !== "TemplateLiteral") return null;
  return (quasis as { value: { cooked: string } }[]).map((part) => part.value.cooked).join("…");
}

/** The names of a file's tests, each on the line on which it begins; the other lines are empty. */
function testNames(text: string): string {
  const lines = text.split("\n").map(() => "");
  eachCall(parseAst(text, { lang: "ts" }).body, (call) => {
    if (!["it", "describe"].includes(String(calledName(call)))) return;
    const [name] = call["arguments"] as Node[];
    const words = name === undefined ? null : literalText(name);
    if (words !== null) lines[text.slice(0, name?.start).split("\n").length - 1] = words;
  });
  return lines.join("\n");
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
    expect(problems(paths, IN_TEST_NAMES, (path) => testNames(readFileSync(join(ROOT, path), "utf8")))).toEqual([]);
  });

  it("of pages, contracts and documents are plain", ({ expect }) => {
    const paths = files("README.md", "CONTRIBUTING.md", "SECURITY.md", "src/docs/*.md", "src/client/README.md");
    const contracts = files("src/contracts/**/*.ts", "src/http/openapi/introduction.ts");
    expect(paths.length).toBeGreaterThan(12);
    expect(contracts.length).toBeGreaterThan(5);
    expect(problems([...paths, ...contracts], IN_DOCUMENTS)).toEqual([]);
  });

  it("are found in a test's name, also on a later line than its table", ({ expect }) => {
    const text = [
      'describe("a login", () => {',
      '  it.skipIf(isSlow).for([["a token"]] as const)(',
      "    `is not taken for ${a} %s`, run);",
      '  it("takes a while", () => say("it is told"));',
      "});",
    ].join("\n");
    expect(testNames(text).split("\n")).toEqual(["a login", "", "is not taken for … %s", "takes a while", ""]);
    expect(problems(["a file"], IN_TEST_NAMES, () => testNames(text))).toHaveLength(1);
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
