/** The clients as an installed package, in a project that knows nothing of this one. */
import { execFile } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, inject, it } from "vitest";
import { ROOT } from "../support/outside.ts";
import { Program, createAccount, enrolTerminal, freshProject, posOf } from "../support/fresh-project.ts";

const run = promisify(execFile);
let project: string;

beforeAll(async () => {
  project = await freshProject();
});

const TERMINAL = `
import { FileStore } from "payment-terminal-gateway/file-store";
import { TerminalClient } from "payment-terminal-gateway/terminal";

const { BASE_URL, TERMINAL_ID, TERMINAL_SECRET, BIND_KEY } = process.env;
const client = new TerminalClient({
  baseUrl: BASE_URL,
  terminalId: TERMINAL_ID,
  secret: TERMINAL_SECRET,
  softwareVersion: "shop 1",
  terminalSn: "SN-1",
  store: new FileStore("terminal.json"),
  handler: {
    async onRequest(request, { reachedHost }) {
      await reachedHost();
      return { statusCode: "00", responseCode: "00", transData: { paymentChannel: "VISA", invNo: "000001" } };
    },
  },
});
await client.start();
await client.connected();
await client.bind(BIND_KEY);
console.log("bound");
`;

const POS = `
import { PosClient, newReferenceId } from "payment-terminal-gateway/pos";

const { BASE_URL, POS_ID, PASSWORD, MERCHANT_ID, SIGNING_KEY, TERMINAL_ID } = process.env;
const pos = new PosClient({
  baseUrl: BASE_URL,
  posId: POS_ID,
  password: PASSWORD,
  merchantId: MERCHANT_ID,
  signingKey: SIGNING_KEY,
});
const sale = { referenceId: newReferenceId(), transAmt: "12.50", paymentMethod: "bankCard" };
const answer = await pos.sale({ deviceId: TERMINAL_ID, ...sale });
console.log(JSON.stringify(answer));
`;

const TYPED = `
import { FileStore } from "payment-terminal-gateway/file-store";
import { IndexedDbStore } from "payment-terminal-gateway/indexed-db-store";
import { PosClient, PosError } from "payment-terminal-gateway/pos";
import type { TransferAnswer } from "payment-terminal-gateway/pos";
import { TerminalClient } from "payment-terminal-gateway/terminal";
import type { TerminalHandler, TerminalStore } from "payment-terminal-gateway/terminal";

export const stores: TerminalStore[] = [new FileStore("memory.json"), new IndexedDbStore("memory")];
export const handler: TerminalHandler = { onRequest: async () => ({ statusCode: "11", responseCode: "05" }) };
export async function sell(pos: PosClient): Promise<TransferAnswer | PosError> {
  // @ts-expect-error -- an amount is a text
  const wrong = { deviceId: "T", referenceId: "R", transAmt: 12.5, paymentMethod: "bankCard" } satisfies Parameters<PosClient["sale"]>[0];
  return pos.sale({ ...wrong, transAmt: "12.50" });
}
export type Client = TerminalClient;
`;

describe("the package", () => {
  it("brings the clients, and nothing else", async ({ expect }) => {
    const installed = await readdir(join(project, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["payment-terminal-gateway"]);
    const files = await readdir(join(project, "node_modules", "payment-terminal-gateway"));
    expect(files.toSorted()).toEqual(["LICENSE", "README.md", "dist", "package.json"]);
    const text = await readFile(join(project, "node_modules/payment-terminal-gateway/dist/client/pos.js"), "utf8");
    expect(text).not.toMatch(/from "[^.]/u);
  });

  it("sells in Node: a till and a terminal, each a program of a few lines", async ({ expect }) => {
    const [account, { terminalId, secret }] = await Promise.all([createAccount(), enrolTerminal()]);
    const { posId, merchantId, password, signingKey } = account;
    await writeFile(join(project, "terminal.js"), TERMINAL);
    await writeFile(join(project, "pos.js"), POS);
    const { key } = await posOf(account).bindKey();
    const env = {
      BASE_URL: inject("gateway").baseUrl,
      TERMINAL_ID: terminalId,
      TERMINAL_SECRET: secret,
      BIND_KEY: key,
      POS_ID: posId,
      MERCHANT_ID: merchantId,
      PASSWORD: password,
      SIGNING_KEY: signingKey,
    };
    const terminal = new Program(["terminal.js"], { cwd: project, env });
    await terminal.says("bound");
    const pos = new Program(["pos.js"], { cwd: project, env });
    expect(await pos.end(), pos.output).toBe(0);
    expect(JSON.parse(pos.output)).toMatchObject({
      statusCode: "00",
      softwareVersion: "shop 1",
      transData: { transAmt: "12.50", paymentChannel: "VISA" },
    });
    await terminal.end("SIGTERM");
  });

  it.for(["nodenext", "bundler"])(
    "has declarations that a strict compiler takes (%s)",
    async (resolution, { expect }) => {
      await writeFile(join(project, "typed.ts"), TYPED);
      const compiler = join(ROOT, "node_modules", "typescript", "bin", "tsc");
      const module = resolution === "bundler" ? "esnext" : resolution;
      const strict = ["--strict", "--exactOptionalPropertyTypes", "--noUncheckedIndexedAccess", "--noEmit"];
      const how = ["--module", module, "--moduleResolution", resolution, "--target", "es2022", "--lib", "es2023,dom"];
      const types = ["--types", "node", "--typeRoots", join(ROOT, "node_modules", "@types")];
      const compiled = run(process.execPath, [compiler, ...strict, ...how, ...types, "typed.ts"], { cwd: project });
      const { stdout } = await compiled.catch((error: { stdout: string }) => error);
      expect(stdout).toBe("");
    },
  );
});
