/** The examples of the client's README, unchanged, in a project that has installed the package. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import { createAccount, enrolTerminal, freshProject, posOf } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";
import type { OutsideAccount } from "../support/fresh-project.ts";
import { ROOT } from "../support/outside.ts";

let project: string;
let account: OutsideAccount;
let terminal: { terminalId: string; secret: string };
let readme: string;
let terminalProgram: Program;

beforeAll(async () => {
  [project, account, terminal] = await Promise.all([freshProject(), createAccount(), enrolTerminal()]);
  readme = await readFile(join(ROOT, "src", "sdk", "README.md"), "utf8");
  await writeFile(join(project, "terminal.js"), example("js", "new TerminalClient"));
  const { key } = await posOf(account).bindKey();
  const env = { TERMINAL_SECRET: terminal.secret, BIND_KEY: key };
  terminalProgram = new Program(["terminal.js"], { cwd: project, env });
  await terminalProgram.says(`Bound to ${account.posId}`);
});

afterAll(async () => {
  await terminalProgram.end("SIGTERM");
});

/** The block in this language that has `text` in it, with this test's names in the place of the demo's. */
function example(language: string, text: string): string {
  const blocks = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gmsu)];
  const found = blocks.find(([, of, code = ""]) => of === language && code.includes(text))?.[2];
  if (found === undefined) throw new Error(`The README has no ${language} example with ${text}.`);
  return found
    .replaceAll("http://127.0.0.1:8787", inject("gateway").baseUrl)
    .replaceAll("POS-DEMO", account.posId)
    .replaceAll("M-DEMO", account.merchantId)
    .replaceAll(/T-DEMO|T-1001/gu, terminal.terminalId);
}

describe("the examples", () => {
  it("run a terminal, and a POS that sells, inquires and voids", async ({ expect }) => {
    const { password, signingKey } = account;
    await writeFile(join(project, "till.js"), example("js", "new PosClient") + example("js", "pos.cancel"));
    const till = new Program(["till.js"], { cwd: project, env: { PASSWORD: password, SIGNING_KEY: signingKey } });
    expect(await till.end(), till.output).toBe(0);
    // The terminal of the README refuses voids: the sample has no host that could return the money.
    expect(till.stdout).toMatch(/^00 .*\d{10}\n00 00 11\n$/u);
    expect(till.stderr).toMatch(/^\d+ undefined undefined\n(?:\d+ \w+ undefined\n)*$/u);
    await terminalProgram.says("Please pay MYR 12.50");
  });

  it("name only existing commands", async ({ expect }) => {
    const { scripts } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
    const texts = await Promise.all(
      ["README.md", ".github/CONTRIBUTING.md", "src/docs/tools.md"].map((path) => readFile(join(ROOT, path), "utf8")),
    );
    const named = [...texts.join("\n").matchAll(/npm run (?:--silent )?([\w:]+)/gu)].map(([, name]) => name);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ""))).toEqual([]);
  });
});
