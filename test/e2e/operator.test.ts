/** `npm run operator` as a shell sees it: arguments, environment, output, files, exit status. */
import { appendFile, mkdtemp, readFile, stat, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, inject, it } from "vitest";
import { OperatorClient } from "../../src/sdk/command-line/operator-client.ts";
import { newReferenceId } from "../../src/sdk/client/pos.ts";
import { activateTerminal } from "../../src/sdk/client/terminal.ts";
import { SimulatedTerminal } from "../../src/sdk/simulator/simulated-terminal.ts";
import { boundTerminal, createAccount, enrolTerminal, operator, posOf } from "../support/fresh-project.ts";
import { Program } from "../support/program.ts";
import type { OutsideAccount, OutsideTerminal } from "../support/fresh-project.ts";
import { ROOT } from "../support/outside.ts";

let account: OutsideAccount;
let terminal: OutsideTerminal;
let folder: string;

beforeAll(async () => {
  account = await createAccount();
  terminal = await boundTerminal(account);
  folder = await mkdtemp(join(inject("gateway").folder, "operator-"));
  const shop = { name: "Corner shop", timezone: "Asia/Kuala_Lumpur" };
  await operator().must("PUT", `/shops/${account.merchantId}`, shop);
});

interface Ran {
  status: number | null;
  stdout: string;
  stderr: string;
}

async function run(args: string[], env: Record<string, string> = {}): Promise<Ran> {
  const { baseUrl, operatorToken } = inject("gateway");
  const program = new Program([join(ROOT, "src", "tools", "operator.ts"), ...args], {
    cwd: ROOT,
    env: { GATEWAY_URL: baseUrl, PERSIST_TO: folder, OPERATOR_TOKEN: operatorToken, ...env },
  });
  const status = await program.end();
  return { status, stdout: program.stdout, stderr: program.stderr };
}

async function json(...args: string[]): Promise<unknown> {
  const { stdout, stderr } = await run([...args, "--json"]);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout);
}

describe("npm run operator", () => {
  it("lists offline terminals with their shop, as a table and as JSON", async ({ expect }) => {
    const args = ["terminals", "--offline", "--id", terminal.terminalId];
    const { status, stdout } = await run(args);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^terminalId +name +shop .*\nT-\S+ +- +Corner shop /u)]);
    expect(await json(...args)).toMatchObject([{ terminalId: terminal.terminalId, connected: false }]);
    expect(await json("terminals", "--connected", "--id", terminal.terminalId)).toEqual([]);
    expect(await json("terminals", "--offline", "--since", "1m", "--id", terminal.terminalId)).toEqual([]);
    expect(await json("terminals", "--bound", account.posId)).toMatchObject([{ terminalId: terminal.terminalId }]);
    expect(await json("terminals", "--shop", account.merchantId)).toMatchObject([{ terminalId: terminal.terminalId }]);
    expect(await json("terminals", "--unbound", "--id", terminal.terminalId)).toEqual([]);
  });

  it("changes an account by any call, such as to require signed changes", async ({ expect }) => {
    const { posId } = account;
    const change = (value: unknown) => json("patch", `/accounts/${posId}`, JSON.stringify({ signedChanges: value }));
    expect(await change(true)).toMatchObject({ posId, signedChanges: true });
    expect(await change(false)).toMatchObject({ posId, signedChanges: false });
    expect(await run(["patch", `/accounts/${posId}`, "perhaps"])).toMatchObject({ status: 5, stdout: "" });
    const perhaps = await run(["patch", `/accounts/${posId}`, '{"signedChanges":"perhaps"}']);
    expect(perhaps).toMatchObject({ status: 3, stderr: expect.stringContaining("signedChanges: ") });
    expect((await run(["patch", "/accounts/NOBODY", '{"signedChanges":true}'])).status).toBe(3);
  });

  it("opens, changes and deletes an account, and asks before irreversible steps", async ({ expect }) => {
    const posId = `POS-${crypto.randomUUID().slice(0, 8)}`;
    const create = ["accounts", "create", posId, "--merchant", account.merchantId, "--currency", "MYR"];
    expect(await run(create)).toMatchObject({ status: 3, stderr: expect.stringContaining("timezone: ") });
    const made = (await json(...create, "--timezone", "Asia/Kuala_Lumpur")) as Record<string, string>;
    expect(made).toMatchObject({ posId, status: "active" });
    const logIn = (password = "") =>
      posOf({ ...account, posId, password, signingKey: made["signingKey"] ?? "" }).login();
    await logIn(made["password"]);
    expect(await json("accounts", "suspend", posId, "--yes")).toMatchObject({ status: "suspended" });
    expect(await json("accounts", "activate", posId, "--yes")).toMatchObject({ status: "active" });
    const drawn = (await json("post", `/accounts/${posId}/password`)) as Record<string, string>;
    await expect(logIn(made["password"])).rejects.toMatchObject({ kind: "unauthorized" });
    await logIn(drawn["password"]);
    const keys = ["accounts", "rotate-key", posId, "--yes"];
    expect(await json(...keys)).toMatchObject({ posId, previousValidUntil: expect.any(String) });
    expect(await json(...keys, "--revoke-previous")).toMatchObject({ posId, previousValidUntil: null });
    expect(await run(["accounts", "delete", posId])).toMatchObject({
      status: 5,
      stderr: expect.stringContaining("--yes"),
    });
    expect(await json("accounts", "delete", posId, "--yes")).toMatchObject({ code: 20000 });
    expect(await run(["accounts", "activate", posId, "--yes"])).toMatchObject({ status: 3 });
    expect(await run(["accounts", "delete", "NOBODY", "--yes"])).toMatchObject({ status: 1, stdout: "None.\n" });
    expect(await run(["accounts", "paint", posId])).toMatchObject({ status: 5, stdout: "" });
  });

  it("replaces a terminal's secret, unbinds it and retires it", async ({ expect }) => {
    const { terminalId, secret } = await enrolTerminal();
    const { secret: second } = (await json("post", `/terminals/${terminalId}/secret`)) as { secret: string };
    expect(second).toMatch(/^[\w-]{43}$/u);
    expect(second).not.toBe(secret);
    const unbound = await run(["delete", `/terminals/${terminalId}/binding`, "--yes"]);
    expect(unbound).toMatchObject({ status: 3, stderr: expect.stringContaining("404 ") });
    const retire = ["delete", `/terminals/${terminalId}`];
    expect(await run(retire)).toMatchObject({ status: 5, stderr: expect.stringContaining("Add --yes") });
    expect(await json(...retire, "--yes")).toMatchObject({ code: 20000 });
    expect(await json("terminals", "--id", terminalId)).toMatchObject([{ status: "retired" }]);
  });

  it("shows what an acquirer asks for", async ({ expect }) => {
    const own = await createAccount();
    const device = await boundTerminal(own);
    const simulated = new SimulatedTerminal({ baseUrl: inject("gateway").baseUrl, ...device });
    await simulated.start();
    const sale = { deviceId: device.terminalId, referenceId: newReferenceId(), paymentMethod: "bankCard" } as const;
    const { transData } = await posOf(own).sale({ ...sale, transAmt: "12.50" });
    await simulated.stop();
    const { stdout } = await run(["find", String(transData?.transId)]);
    expect(stdout).toMatch(/^ {2}cardNo +x+\d{4}$\n^ {2}apprCode +\S+$\n^ {2}rrn +\d+$/mu);
  });

  it("shows a payment by its number, and resolves it", async ({ expect }) => {
    const simulated = new SimulatedTerminal({ baseUrl: inject("gateway").baseUrl, ...terminal });
    await simulated.start();
    // The terminal answers 22 about these cents, and the POS asks no more.
    const controller = new AbortController();
    const sale = { deviceId: terminal.terminalId, referenceId: newReferenceId(), paymentMethod: "bankCard" } as const;
    const selling = posOf(account).sale(
      { ...sale, transAmt: "10.22" },
      { signal: controller.signal, onProgress: ({ pending }) => void (pending !== null && controller.abort()) },
    );
    await expect(selling).rejects.toMatchObject({ outcomeUnknown: true });
    await simulated.stop();
    const { body } = await operator().call("GET", `/terminals/${terminal.terminalId}/transactions`);
    const [{ requestId: number, state }] = body["data"] as [{ requestId: string; state: string }];
    expect(state).toBe("pending");
    expect((await run(["find", number])).stdout).toMatch(/^ {2}terminalId +T-.*\n.*\n {2}posId +POS-/u);
    const byReference = ["find", sale.referenceId, "--pos", account.posId];
    expect(await json(...byReference)).toMatchObject([{ requestId: number, statusCode: "22" }]);
    expect((await run(byReference)).stdout).toMatch(/^requestId +receivedAt +transAmt /u);
    expect(await json("find", sale.referenceId)).toMatchObject([{ kind: "payment", id: number, status: "22" }]);
    const found = [{ requestId: number, posId: account.posId, transAmt: "10.22" }];
    expect(await json("find", sale.referenceId, "--amount", "10.22", "--since", "1h")).toMatchObject(found);
    expect(await json("find", "--id", terminal.terminalId)).toMatchObject(found);
    expect(await run(["find", "--card", "9999", "--id", terminal.terminalId])).toMatchObject({ status: 1 });
    expect(await json("find", "--pos", account.posId, "--since", "1h")).toMatchObject([{ requestId: number }]);
    expect(await run(["find", "--pos", account.posId, "--until", "1h"])).toMatchObject({ status: 1 });
    expect(await run(["find"])).toMatchObject({ status: 5 });
    expect(await json("pending", "--id", terminal.terminalId)).toMatchObject([{ requestId: number }]);
    expect(await run(["pending", "--pos", account.posId])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining(number),
    });
    const resolution = ["resolve", number, "11", "The acquirer has no such payment."];
    expect(await run(resolution)).toMatchObject({
      status: 5,
      stderr: expect.stringMatching(
        /^Resolve sale of 10\.22 MYR by POS-\S+ on T-\S+ \(pending\) permanently as 11\? Add --yes/u,
      ),
    });
    expect(await run([...resolution, "--yes"])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining("RESOLVED"),
    });
    await expect.poll(() => run(["pending", "--pos", account.posId])).toMatchObject({ status: 0, stdout: "None.\n" });
    expect(await json("find", "--pos", account.posId, "--code", "RESOLVED")).toMatchObject([{ requestId: number }]);
    expect(await run(["find", "--pos", account.posId, "--code", "51"])).toMatchObject({ status: 1 });
    expect(await run(["get", "/statistics?by=week"])).toMatchObject({ status: 3 });
    expect(await run([...resolution, "--yes"])).toMatchObject({ status: 3, stderr: expect.stringContaining("409") });
  });

  it("shows what is wrong in one line, with a status for scripts", async ({ expect }) => {
    expect(await run(["fly"])).toMatchObject({ status: 5, stderr: expect.stringContaining("Unknown command 'fly'") });
    expect(await run(["terminals", "--offline", "--connected"])).toMatchObject({ status: 5 });
    expect(await run(["terminals", "--status", "broken"])).toMatchObject({
      status: 3,
      stderr: expect.stringContaining("status: Send enrolled or retired."),
    });
    const refused = await run(["terminals"], { OPERATOR_TOKEN: "nobody-has-this-token-here" });
    expect(refused).toMatchObject({ status: 3, stdout: "", stderr: expect.stringContaining("401") });
    expect((await run(["--help"])).stdout).toContain("Exit status");
    expect((await run(["audit", "--help"])).stdout).toMatch(/--actor <TEXT> +only changes by this actor\n/u);
    const foreign = await run(["audit", "--offline"]);
    expect(foreign).toMatchObject({ status: 5, stderr: "Unknown option '--offline'\n" });
    const password = ["put", "/accounts/X/password", '{"password":"twenty-letters-or-more"}'];
    expect(await run(password)).toMatchObject({ status: 5, stderr: expect.stringContaining("standard input, with -") });
  });

  it("gives up on a port that never answers or is no gateway", async ({ expect }) => {
    const silent = createServer(() => {});
    const other = createServer((_, response) => response.end("<html>"));
    const [silentUrl, otherUrl] = await Promise.all([silent, other].map(listening));
    await expect(overviewOf(silentUrl, 100)).rejects.toThrow("does not answer within 0.1 seconds");
    await expect(overviewOf(otherUrl, 60_000)).rejects.toThrow("answers 200, and not with JSON");
    for (const server of [silent, other]) server.closeAllConnections();
    for (const server of [silent, other]) server.close();
  });
});

function overviewOf(url = "", within: number): Promise<unknown> {
  return new OperatorClient(url, "token", within).get("/overview");
}

/** Resolves to its address. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function outcomes({ stdout }: Ran): string[] {
  return (JSON.parse(stdout) as { outcome: string }[]).map(({ outcome }) => outcome);
}

/** The terminals whose secrets a file has, as they come. */
function terminalsIn(secrets: string): string[] {
  const [head, ...rows] = secrets.trimEnd().split("\n");
  if (head !== "terminalId,secret") throw new Error(`not a file of secrets: ${head}`);
  return rows.map((row) => /^(.*),[\w-]{43}$/u.exec(row)?.[1] ?? row);
}

describe("npm run operator -- enrol", () => {
  it("enrols a CSV's terminals, and stores each secret for its owner only", async ({ expect }) => {
    const prefix = `T-${crypto.randomUUID().slice(0, 8)}`;
    const [csv, secrets] = [join(folder, `${prefix}.csv`), join(folder, `${prefix}-secrets.csv`)];
    const taken = await enrolTerminal();
    const ids = [1, 2, 3, 4, 5, 6, 7].map((number) => `${prefix}-${number}`);
    const lines = [...ids.map((id) => `${id},"Counter, ${id}",M-NOBODY`), `${taken.terminalId},x`, "no good,x"];
    await writeFile(csv, `terminalId,name,merchantId\n${lines.join("\n")}\n`);
    const args = ["enrol", "--csv", csv, "--secrets-to", secrets];
    const first = await run([...args, "--json"]);
    expect(first.status).toBe(1);
    expect(first.stderr).toContain("No account has the merchant M-NOBODY.");
    expect(outcomes(first)).toEqual([...ids.map(() => "enrolled"), "taken", "refused"]);
    expect((await stat(secrets)).mode & 0o777).toBe(0o600);
    const kept = await readFile(secrets, "utf8");
    expect(new Set(terminalsIn(kept))).toEqual(new Set(ids));
    expect(first.stdout).not.toContain(kept.split(",").at(-1)?.trim());

    // Run again: nothing is enrolled a second time, no secret changes.
    expect(outcomes(await run([...args, "--json"]))).toEqual([...ids.map(() => "enrolled before"), "taken", "refused"]);
    expect(await readFile(secrets, "utf8")).toBe(kept);
  });

  it("stores activation codes, which terminals exchange for their secrets", async ({ expect }) => {
    const prefix = `T-${crypto.randomUUID().slice(0, 8)}`;
    const [csv, codes] = [join(folder, `${prefix}.csv`), join(folder, `${prefix}-codes.csv`)];
    await writeFile(csv, `terminalId\n${prefix}-1\n${prefix}-2\n`);
    const args = ["enrol", "--csv", csv, "--codes-to", codes, "--code-hours", "2", "--json"];
    expect(outcomes(await run(args))).toEqual(["enrolled", "enrolled"]);
    expect((await stat(codes)).mode & 0o777).toBe(0o600);
    const [head, ...rows] = (await readFile(codes, "utf8")).trimEnd().split("\n");
    expect(head).toBe("terminalId,activationCode,expiresAt");
    for (const [terminalId, activationCode = "", expiresAt = ""] of rows.map((row) => row.split(","))) {
      expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now() + 3_600_000);
      const activated = await activateTerminal({ baseUrl: inject("gateway").baseUrl, activationCode });
      expect(activated).toMatchObject({ ok: true, value: { terminalId } });
    }
    expect(outcomes(await run(args))).toEqual(["enrolled before", "enrolled before"]);
  });

  it("continues after a stop, and replaces only the secret that was lost", async ({ expect }) => {
    const prefix = `T-${crypto.randomUUID().slice(0, 8)}`;
    const [csv, secrets] = [join(folder, `${prefix}.csv`), join(folder, `${prefix}-secrets.csv`)];
    const [begun = "", foreign = "", cut = ""] = ["begun", "foreign", "cut"].map((name) => `${prefix}-${name}`);
    await writeFile(csv, `terminalId\n${begun}\n${foreign}\n${cut}\n`, { mode: 0o600 });
    // As a run leaves it that was stopped: enrolled and not written down, not yet enrolled, and lines that were cut off.
    const ids = new Map([begun, foreign, cut].map((terminalId) => [terminalId, crypto.randomUUID()]));
    for (const terminalId of [begun, foreign, cut]) {
      const enrolmentId = terminalId === foreign ? undefined : ids.get(terminalId);
      await operator().must("POST", "/terminals", { terminalId, isVT: 0, enrolmentId });
    }
    const lines = [...ids].map((pair) => `\n${pair.join(" ")}`);
    await writeFile(`${secrets}.begun`, `${lines.join("")}\n${prefix}-4 12`, { mode: 0o600 });
    await writeFile(secrets, "terminalId,secret\n", { mode: 0o600 });
    await appendFile(secrets, `${cut},half`);
    const ran = await run(["enrol", "--csv", csv, "--secrets-to", secrets, "--json"]);
    expect(JSON.parse(ran.stdout)).toMatchObject([
      { terminalId: begun, outcome: "enrolled" },
      { terminalId: foreign, outcome: "taken" },
      { terminalId: cut, outcome: "enrolled" },
    ]);
    expect(new Set(terminalsIn(await readFile(secrets, "utf8")))).toEqual(new Set([begun, cut]));
    await expect(stat(`${secrets}.begun`)).rejects.toThrow("ENOENT");
  });
});
