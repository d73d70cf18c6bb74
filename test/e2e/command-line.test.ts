/** `npm run pos` and `npm run terminal` as a shell sees them: arguments, environment, output, exit status. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, inject, it } from "vitest";
import type { TransferAnswer } from "../../src/sdk/client/pos.ts";
import { sessionPath } from "../../src/sdk/command-line/pos/token-file.ts";
import { Settings } from "../../src/sdk/command-line/settings.ts";
import { createAccount, enrolTerminal, operator, posOf } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";
import type { OutsideAccount } from "../support/fresh-project.ts";
import { ROOT } from "../support/outside.ts";
import { TerminalProcess } from "../support/terminal-process.ts";

let account: OutsideAccount;
let terminal: TerminalProcess;

beforeAll(async () => {
  account = await createAccount();
  terminal = new TerminalProcess("T-SHELL", account);
  await terminal.start("--pace", "20");
});

afterAll(async () => {
  await pos("logout");
  await terminal.program.end("SIGTERM");
});

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

function begin(...args: string[]): Program {
  const { posId, merchantId, password, signingKey } = account;
  const names = { POS_ID: posId, MERCHANT_ID: merchantId, DEVICE_ID: terminal.terminalId };
  return new Program([join(ROOT, "src", "sdk", "command-line", "pos.ts"), ...args], {
    cwd: ROOT,
    env: {
      GATEWAY_URL: inject("gateway").baseUrl,
      PERSIST_TO: inject("gateway").folder,
      ...names,
      PASSWORD: password,
      SIGNING_KEY: signingKey,
    },
  });
}

async function pos(...args: string[]): Promise<Ran> {
  const program = begin(...args);
  const status = await program.end();
  return { status, stdout: program.stdout, stderr: program.stderr };
}

async function answered(...args: string[]): Promise<TransferAnswer> {
  const { stdout, stderr } = await pos(...args, "--json");
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`not JSON: ${stdout}${stderr}`);
  }
}

describe("npm run pos", () => {
  it.for([
    [["sale", "12.50"], 0, "00  00  Approved."],
    [["sale", "10.05"], 1, "11  05  Declined by the issuer."],
    [["cashOut", "5.00", "20.00"], 0, "cashAmt             20.00"],
    [["getLast"], 0, "originalTransType   cashOut"],
    [["terminal", "T-SHELL"], 0, "simulator 1"],
    [["channels", "MYR"], 0, "Example Pay"],
    [["prebind", "T-A", "T-B"], 0, "Not assigned to this merchant by the operator: T-A, T-B."],
    [["prebound"], 0, "T-A\nT-B"],
    [["prebind", "--none"], 0, "The prebind list is replaced."],
    [["bindKey"], 0, "expiresAt"],
    [["events"], 0, "transaction.completed  00  sale          12.50 MYR  T-SHELL  "],
    [["transactions"], 0, "sale          12.50 MYR  T-SHELL  "],
    [["transactions", "--status", "11", "--limit", "1"], 0, "11  sale          10.05 MYR  T-SHELL  "],
    [["totals"], 0, "cashOut  MyDebit   1   5.00 MYR  20.00   0"],
    [
      ["totals", "--day", "2026-01-01"],
      0,
      "2026-01-01  closed  Asia/Kuala_Lumpur  all terminals\n  Nothing was completed.",
    ],
    [["refresh"], 0, "Done."],
    [["--help"], 0, "Exit status"],
    [["--version"], 0, "payment-terminal-client 0."],
    [
      ["totals", "--help"],
      0,
      "Usage: npm run pos -- totals [options]\n\nshows the totals of a business day, by default of the open one\n\nOptions:\n  --day <DATE> ",
    ],
  ] as const)("exits for %j with %i, and prints “%s”", async ([args, status, text], { expect }) => {
    const ran = await pos(...args);
    expect(ran, ran.stderr).toMatchObject({ status, stdout: expect.stringContaining(text) });
  });

  it.for([
    [["sale", "12.5"], 3, "transData.transAmt"],
    [["sale", "12.50", "--url", "http://127.0.0.1:9", "--within", "1"], 3, "This call moved no money."],
    [["sale", "12.50", "--url", "http://127.0.0.1:9", "--within", "1"], 3, "The gateway at http://127.0.0.1:9 could"],
    [["sale"], 5, "Missing required argument 'AMOUNT'"],
    [["sael", "1.00"], 5, "Unknown command 'sael' (Did you mean sale?)"],
    [["prebind"], 5, "Name the terminals, or use --none."],
    [["prebind", "T-A", "--none"], 5, "Name the terminals, or use --none."],
    [["sale", "1.00", "--method", "cheque"], 5, "Allowed choices are qrCustScan, qrMerchScan, bankCard."],
    [["sale", "1.00", "--method", "qrCustScan"], 5, "--method qrCustScan needs --channel WALLET"],
    [["sale", "1.00", "--day", "2026-01-01"], 5, "Unknown option '--day'"],
    [["sale", "1.00", "--within", "0"], 5, "'--within <SECONDS>' is invalid. Use a whole number from 1"],
    [["sale", "1.00", "--password", "secret"], 5, "--password"],
    [["sale", "1.00", "--url", "http://shop.example"], 5, "baseUrl must be https"],
    [["bindKey", "--image", "/dev/null/key.png"], 5, "The file /dev/null/key.png cannot be written."],
    [["sale", "1.00", "--env", "no-such-file"], 5, "File not found: no-such-file"],
    [["inquiry"], 4, "it may still arrive. To ask about another transaction, send transData.referenceId or"],
    [["events", "--url", "http://127.0.0.1:9", "--within", "1"], 3, "The gateway at http://127.0.0.1:9 could"],
    [["transactions", "--status", "33"], 3, "statusCode: Send one of 00, 11, 22."],
    [["transactions", "--limit", "0"], 5, "'--limit <NUMBER>' is invalid."],
    [["totals", "--day", "yesterday"], 3, "day: Send a date as YYYY-MM-DD"],
    [["events", "--after", "yesterday"], 5, "'--after <NUMBER>' is invalid."],
    [["events", "--after", "999999"], 3, "after: Events 1 to"],
  ] as const)("complains of %j with status %i: “%s”", async ([args, status, text], { expect }) => {
    expect(await pos(...args)).toMatchObject({ status, stdout: "", stderr: expect.stringContaining(text) });
  });

  it.for([
    [["sale"], "Missing required argument 'AMOUNT'"],
    [["sale", "1.00", "--colour", "red"], "Unknown option '--colour'"],
    [["prebind"], "Name the terminals, or use --none."],
  ] as const)("refuses %j with --json as JSON, in the members of every error", async ([args, message], { expect }) => {
    const { status, stdout, stderr } = await pos(...args, "--json");
    expect({ status, stderr, said: JSON.parse(stdout) }).toEqual({
      status: 5,
      stderr: "",
      said: { error: "wrong_usage", outcomeUnknown: false, next: "none", message },
    });
  });

  it("prints the reference before sending, and repeats the answer under it", async ({ expect }) => {
    const first = await pos("sale", "7.80", "--json");
    const { referenceId, transData }: TransferAnswer = JSON.parse(first.stdout);
    expect(first.stderr).toBe(`referenceId ${referenceId}\n`);
    const again = await answered("sale", "7.80", "--reference", referenceId);
    expect(again.transData).toEqual(transData);
    expect(terminal.ledger.of(account.posId, referenceId)).toHaveLength(1);
  });

  it("follows events after a number, one line of JSON each, until interrupted", async ({ expect }) => {
    const { stdout } = await pos("events", "--json");
    const before = stdout.trimEnd().split("\n");
    const after = String(JSON.parse(before.at(-1) ?? "").number - 1);
    const following = begin("events", "--follow", "--json", "--after", after);
    await following.says(before.at(-1) ?? "");
    const { referenceId } = await answered("sale", "7.90");
    await following.says(referenceId);
    expect(await following.end("SIGINT")).toBe(0);
    const numbers = following.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line).number - Number(after));
    expect(numbers).toEqual([1, 2]);
  });

  it("voids, inquires and cancels", async ({ expect }) => {
    const { transData, referenceId } = await answered(
      "sale",
      "4.00",
      "--label",
      "Bill",
      "--note",
      "Tea",
      "--copies",
      "1",
    );
    const transId = transData?.transId ?? "";
    expect(await answered("void", transId)).toMatchObject({ statusCode: "00", transData: { transId } });
    expect(await answered("inquiry", transId)).toMatchObject({ originalReferenceId: referenceId, voidStatus: "00" });
    expect(await answered("inquiry", "--about", referenceId)).toMatchObject({ originalReferenceId: referenceId });
    expect(await answered("cancel", "never-begun")).toMatchObject({ statusCode: "11", responseCode: "CANCELLED" });
    expect(terminal.program.output).toContain(`Bill: ${referenceId}`);
  });

  it("reports an unknown outcome if interrupted, and finds it by its reference", async ({ expect }) => {
    const referenceId = "R-INTERRUPTED";
    const sale = begin("sale", "11.89", "--reference", referenceId, "--json");
    await terminal.program.says("SALE  MYR 11.89");
    expect(await sale.end("SIGINT")).toBe(4);
    expect(JSON.parse(sale.stdout)).toMatchObject({ error: "aborted", outcomeUnknown: true });
    expect((await answered("sale", "11.89", "--reference", referenceId)).statusCode).toBe("00");
    expect(terminal.ledger.of(account.posId, referenceId)).toHaveLength(1);
  });

  it("refuses a wrong password despite a kept session, which stays for others", async ({ expect }) => {
    await pos("login");
    const { baseUrl, folder } = inject("gateway");
    const path = sessionPath(await Settings.read(undefined, { PERSIST_TO: folder }), baseUrl, account.posId);
    const before = await readFile(path, "utf8");
    const right = account;
    account = { ...right, password: "not its password" };
    const wrong = await pos("terminals");
    account = right;
    expect(wrong).toMatchObject({ status: 3, stdout: "", stderr: expect.stringContaining("password") });
    expect(wrong.stderr).not.toContain("not its password");
    expect(await readFile(path, "utf8")).toBe(before);
    expect(before).not.toContain(right.password);
    expect((await pos("terminals")).status).toBe(0);
    expect(await readFile(path, "utf8")).toBe(before);
  });

  it("logs in with the signing key alone, which the kept session needs", async ({ expect }) => {
    await pos("logout");
    const { baseUrl, folder } = inject("gateway");
    const path = sessionPath(await Settings.read(undefined, { PERSIST_TO: folder }), baseUrl, account.posId);
    const known = account;
    account = { ...known, password: "" };
    const statuses = [(await pos("terminals")).status, (await pos("terminals")).status];
    const kept = await readFile(path, "utf8");
    account = { ...known, password: "", signingKey: "not its signing key" };
    const wrong = await pos("terminals");
    account = known;
    expect(statuses).toEqual([0, 0]);
    expect(wrong).toMatchObject({ status: 3, stdout: "", stderr: expect.stringContaining("signingKey is wrong") });
    expect(kept).not.toContain(known.signingKey);
    expect(await readFile(path, "utf8")).toBe(kept);
  });
});

describe("npm run terminal", () => {
  it("does what the customer types, even before the POS waits for it", async ({ expect }) => {
    const keyed = new TerminalProcess("T-KEYED", account);
    await keyed.start("--keys", "--pace", "20");
    // The customer waits for this call's end, however long a busy machine takes for it: one answer in time is enough.
    const reference = ["--reference", "R-KEYED", "--device", keyed.terminalId];
    const early = await pos("sale", "29.00", ...reference, "--wait", "1", "--within", "12");
    expect(early, early.stderr).toMatchObject({ status: 2, stdout: expect.stringContaining("22  IN_PROGRESS") });
    keyed.program.type("t");
    expect(await answered("sale", "29.00", ...reference)).toMatchObject({ statusCode: "00" });
    const lines = [
      ["m", { statusCode: "00", transData: { entryMode: "Manual" } }],
      ["d", { statusCode: "00", transData: { paymentChannel: "MyDebit", entryMode: "Chip" } }],
      ["x", { statusCode: "11", responseCode: "17" }],
    ] as const;
    for (const [index, [line, expected]] of lines.entries()) {
      const transAmt = `${index + 30}.00`;
      const sale = answered("sale", transAmt, "--device", keyed.terminalId);
      await keyed.program.says("Enter or t: tap", { after: `SALE  MYR ${transAmt}` });
      keyed.program.type(line);
      expect(await sale).toMatchObject(expected);
    }
    expect(await keyed.program.end("SIGTERM")).toBe(0);
  });

  it("is a fleet when several terminals are asked for", async ({ expect }) => {
    const { baseUrl, operatorToken, folder } = inject("gateway");
    const args = ["--count", "12", "--id", "F-098", "--bind", "--url", baseUrl, "--data", join(folder, "fleet")];
    const secrets = { PASSWORD: account.password, OPERATOR_TOKEN: operatorToken };
    const env = { POS_ID: account.posId, PERSIST_TO: folder, ...secrets };
    const fleet = new Program([join(ROOT, "src", "sdk", "command-line", "terminal.ts"), ...args], { cwd: ROOT, env });
    await fleet.says("All 12 terminals are connected");
    const connected = (await posOf(account).terminals()).filter((one) => one.connected).map((one) => one.terminalId);
    expect(connected).toEqual(expect.arrayContaining(["F-098", "F-099", "F-100", "F-109"]));
    expect(await answered("sale", "12.00", "--device", "F-109")).toMatchObject({ statusCode: "00" });
    expect(await fleet.end("SIGTERM")).toBe(0);
  });

  it.for([
    [[], "Pass a terminal's id with --id"],
    [["--id", "../x"], "Use at most 100 letters"],
    [["--id", "T-1", "--fault", "fire"], "'--fault <NAME>' is invalid. Allowed choices are"],
    [["--id", "T-1", "--secret", "x"], "--secret"],
    [["--count", "3", "--keys"], "with one terminal"],
  ] as const)("shows what is wrong if called with %j", async ([args, text], { expect }) => {
    const program = new Program([join(ROOT, "src", "sdk", "command-line", "terminal.ts"), ...args], { cwd: ROOT });
    expect(await program.end()).toBe(5);
    expect(program.stderr).toContain(text);
  });

  it("gets its secret by an activation code, and keeps it", async ({ expect }) => {
    const { baseUrl, folder } = inject("gateway");
    const { terminalId } = await enrolTerminal();
    const code = await operator().must("POST", `/terminals/${terminalId}/activation-code`, {}, "activationCode");
    const start = (data: string): Program => {
      const args = ["--id", terminalId, "--url", baseUrl, "--data", join(folder, data), "--activation-code", code];
      return new Program([join(ROOT, "src", "sdk", "command-line", "terminal.ts"), ...args], { cwd: ROOT });
    };
    for (const time of ["first", "again"]) {
      const activated = start("activated");
      await activated.says("Connected");
      expect(await activated.end("SIGTERM"), time).toBe(0);
    }
    const other = start("other-device");
    expect(await other.end()).toBe(1);
    expect(other.stderr).toContain(`Could not activate ${terminalId}: The activation code was used.`);
  });

  it("ends with a message if the gateway refuses its secret", async ({ expect }) => {
    const { baseUrl, folder } = inject("gateway");
    const args = ["--id", "T-STRANGER", "--url", baseUrl, "--data", join(folder, "stranger")];
    const env = { TERMINAL_SECRET: "not its secret" };
    const program = new Program([join(ROOT, "src", "sdk", "command-line", "terminal.ts"), ...args], { cwd: ROOT, env });
    expect(await program.end()).toBe(1);
    expect(program.stdout).toContain("Login failed");
    expect(program.output).not.toContain("not its secret");
  });
});
