/** The code in the documents: JSON is JSON, shell commands are well formed, and what they call exists. */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";
import { openApi } from "../../../src/gateway/http/openapi/openapi.ts";
import { ROOT } from "../../support/outside.ts";

interface Block {
  /** `src/docs/events.md:12` */
  place: string;
  language: string;
  code: string;
}

const FILES = globSync(["*.md", "src/docs/*.md", "src/sdk/README.md"], { cwd: ROOT });

const BLOCKS: Block[] = FILES.flatMap((path) => {
  const text = readFileSync(join(ROOT, path), "utf8");
  return [...text.matchAll(/^```(\w*)(?: \[.*\])?\n(.*?)^```$/gmsu)].map(
    ({ index, 1: language = "", 2: code = "" }) => {
      const line = text.slice(0, index).split("\n").length;
      return { place: `${path}:${line}`, language, code };
    },
  );
});

function blocksIn(language: string): Block[] {
  return BLOCKS.filter((block) => block.language === language);
}

/** What each tool prints with --help, and each of its commands. */
const usages = new Map<string, string>();

function usageOf(tool: string, ...command: string[]): string {
  const key = [tool, ...command].join(" ");
  const known = usages.get(key);
  if (known !== undefined) return known;
  const folder = tool === "operator" ? "src/tools" : "src/sdk/command-line";
  const words = [join(ROOT, folder, `${tool}.ts`), ...command, "--help"];
  const { stdout } = spawnSync(process.execPath, words, { encoding: "utf8" });
  usages.set(key, stdout);
  return stdout;
}

interface Invocation {
  place: string;
  command: string;
  words: string[];
}

/** Every call of a command-line tool of this project, without comments. */
function invocations(): Invocation[] {
  const tools =
    /(?:npm run (?:--silent )?(pos|terminal|operator|conformance) --|npx payment-terminal-client (pos|terminal|conformance))(.*)/gu;
  return BLOCKS.filter(({ language }) => language === "bash").flatMap(({ place, code }) =>
    [...code.replaceAll("\\\n", " ").matchAll(tools)].map(([, own, packaged, rest = ""]) => ({
      place,
      command: own ?? packaged ?? "",
      words: rest
        .replace(/ # .*$| \|.*$/u, "")
        .trim()
        .split(/\s+/u),
    })),
  );
}

describe("a code block", () => {
  it("can be parsed if in JSON", ({ expect }) => {
    const blocks = blocksIn("json");
    expect(blocks.length).toBeGreaterThan(5);
    const broken = blocks.filter(({ code }) => {
      try {
        JSON.parse(code);
        return false;
      } catch {
        return true;
      }
    });
    expect(broken.map(({ place }) => place)).toEqual([]);
  });

  it("is well formed if in bash", ({ expect, skip }) => {
    if (spawnSync("bash", ["--version"]).status !== 0) skip("There is no bash.");
    const blocks = blocksIn("bash");
    expect(blocks.length).toBeGreaterThan(20);
    const broken = blocks.filter(({ code }) => spawnSync("bash", ["-n"], { input: code }).status !== 0);
    expect(broken.map(({ place }) => place)).toEqual([]);
  });

  it("calls the command-line tools with commands and flags that their usage names", ({ expect }) => {
    const calls = invocations();
    expect(calls.length).toBeGreaterThan(20);
    const unknown = calls.flatMap(({ place, command, words }) => {
      const flags = words.filter((word) => word.startsWith("--"));
      // A command may belong to a group: accounts create.
      const names = words.slice(0, 2).filter((word) => /^[a-z][a-zA-Z-]*$/u.test(word));
      const usage = names.map((_, index) => usageOf(command, ...names.slice(0, index + 1))).join("") + usageOf(command);
      const named = [...names, ...flags];
      return named
        .filter((name) => !new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "u").test(usage))
        .map((name) => `${place}: ${command} ${name}`);
    });
    expect(unknown).toEqual([]);
  });

  it("calls only paths and methods of the HTTP contract", ({ expect }) => {
    const patterns = Object.entries(openApi().paths).map(([path, item]) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u"),
      methods: Object.keys(item).map((method) => method.toUpperCase()),
    }));
    const calls = blocksIn("bash").flatMap(({ place, code }) =>
      [...code.replaceAll("\\\n", " ").matchAll(/\bcurl (.*)/gu)].flatMap(([, rest = ""]) => {
        const path = /(?:\$GATEWAY_URL|https?:\/\/[\w.:]+)(\/[\w/.-]*)/u.exec(rest)?.[1];
        const method = /-X (\w+)/u.exec(rest)?.[1] ?? (/ (?:-d|--data\S*) /u.test(rest) ? "POST" : "GET");
        return path === undefined ? [] : [{ place, method, path }];
      }),
    );
    expect(calls.length).toBeGreaterThan(8);
    const unknown = calls.filter(
      ({ method, path }) => !patterns.some(({ pattern, methods }) => pattern.test(path) && methods.includes(method)),
    );
    expect(unknown).toEqual([]);
  });
});
