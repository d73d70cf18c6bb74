/** The examples of the client's README, unchanged, in a project that has installed the package. */
import { mkdir, mkdtemp, readdir, readFile, writeFile } from "node:fs/promises";
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

/** What the Electron sample uses of Electron. The first instance has the lock. */
const ELECTRON = `
export const app = {
  requestSingleInstanceLock: () => process.env.IS_SECOND === undefined,
  quit: () => console.log("quits"),
  whenReady: async () => {},
  getPath: () => ".",
};
export const safeStorage = { decryptString: (bytes) => bytes.toString().replace("sealed ", "") };
export const ipcMain = { handle: (channel, listener) => Object.assign(globalThis, { [channel]: listener }) };
`;
/** A window that asks for a sale with a double click, then lets the sample's minute pass. */
const WINDOW = `
import { readdirSync, writeFileSync } from "node:fs";
let minute;
const { setInterval } = globalThis;
globalThis.setInterval = (run, wait) => (wait === 60_000 ? (minute = run) : setInterval(run, wait));
await import("./main.js");
await new Promise((resolve) => setImmediate(resolve));
if (globalThis.sale === undefined) process.exit();
const order = { deviceId: process.env.TERMINAL_ID, transAmt: "12.50" };
const [first, second] = await Promise.allSettled([globalThis.sale({}, order), globalThis.sale({}, order)]);
console.log(first.value?.statusCode, second.reason?.message, ...readdirSync("open-sales"));
writeFileSync("open-sales/" + process.env.LATE, JSON.stringify(order));
minute();
await globalThis.sale({}, order); // waits until the minute's questions are answered
console.log(...readdirSync("open-sales"));
process.exit();
`;

describe("the Electron sample", () => {
  let folder: string;
  const [lost, late] = ["R", "L"].map((letter) => `${letter}${crypto.randomUUID().slice(0, 8)}`) as [string, string];

  beforeAll(async () => {
    const { posId, merchantId, signingKey } = account;
    folder = await mkdtemp(join(project, "electron-"));
    await mkdir(join(folder, "node_modules", "electron"), { recursive: true });
    await writeFile(join(folder, "node_modules", "electron", "package.json"), '{"type":"module","main":"index.js"}');
    await writeFile(join(folder, "node_modules", "electron", "index.js"), ELECTRON);
    await writeFile(join(folder, "package.json"), '{"type":"module"}');
    await writeFile(join(folder, "main.js"), example("javascript", "ipcMain"));
    await writeFile(join(folder, "window.js"), WINDOW);
    const sealed = Buffer.from(`sealed ${signingKey}`).toString("base64");
    const settings = { baseUrl: inject("gateway").baseUrl, posId, merchantId, signingKey: sealed };
    await writeFile(join(folder, "account.json"), JSON.stringify(settings));
    await mkdir(join(folder, "open-sales"));
    await writeFile(join(folder, "open-sales", "DAMAGED"), "{");
    const record = { deviceId: terminal.terminalId, transAmt: "12.50" };
    await writeFile(join(folder, "open-sales", lost), JSON.stringify(record));
  });

  it("asks about nothing and sells nothing as a second instance", async ({ expect }) => {
    const program = new Program(["window.js"], { cwd: folder, env: { IS_SECOND: "yes" } });
    expect(await program.end(), program.output).toBe(0);
    expect(program.stdout).toBe("quits\n");
    expect(await readdir(join(folder, "open-sales"))).toEqual(["DAMAGED", lost]);
  });

  it("sells once, and ends open records but the damaged one", async ({ expect }) => {
    const env = { TERMINAL_ID: terminal.terminalId, LATE: late };
    const program = new Program(["window.js"], { cwd: folder, env });
    expect(await program.end(), program.output).toBe(0);
    expect(program.stdout).toBe("00 A sale is in progress. DAMAGED\nDAMAGED\n");
    for (const referenceId of [lost, late]) {
      const sale = {
        deviceId: terminal.terminalId,
        referenceId,
        transAmt: "12.50",
        paymentMethod: "bankCard",
      } as const;
      expect(await posOf(account).sale(sale)).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    }
  });
});

describe("the examples", () => {
  it("run a terminal, and a POS that sells, inquires and voids", async ({ expect }) => {
    const { password, signingKey } = account;
    await writeFile(join(project, "pos.js"), example("js", "new PosClient") + example("js", "pos.cancel"));
    const pos = new Program(["pos.js"], { cwd: project, env: { PASSWORD: password, SIGNING_KEY: signingKey } });
    expect(await pos.end(), pos.output).toBe(0);
    // The terminal of the README refuses voids: the sample has no host that could return the money.
    expect(pos.stdout).toMatch(/^00 .*\d{10}\n00 00 11\n$/u);
    expect(pos.stderr).toMatch(/^\d+ undefined undefined\n(?:\d+ \w+ undefined\n)*$/u);
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
