import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { HOUR } from "../../../../src/protocol/time/units.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import {
  accessToken,
  bindTerminal,
  call,
  createAccount,
  enrolTerminal,
  operator,
  uniqueAddress,
  uniqueId,
} from "../../../support/gateway.ts";

interface Entry {
  id: number;
  at: string;
  actor: string;
  action: string;
  target: string;
  details: Record<string, unknown>;
}

interface Page {
  data: Entry[];
  next: string | null;
}

async function entriesOf(target: string): Promise<Entry[]> {
  const { body } = await operator<Page>("GET", "/operator/audit");
  return body.data.filter((entry) => entry.target === target);
}

const CHANNEL = { status: 1, currency: ["MYR"], logoUrl3: "https://logos.test/w.png" };

useFakeClock();

describe("the audit log", () => {
  it("has a row for every change, with the operator's name", async ({ expect }) => {
    const { posId } = await createAccount();
    await operator("PATCH", `/operator/accounts/${posId}`, { currency: "SGD", password: "a new password of it" });
    await operator("POST", `/operator/accounts/${posId}/password`);
    await operator("POST", `/operator/accounts/${posId}/signing-key`, { revokePrevious: true });
    await operator("DELETE", `/operator/accounts/${posId}`);
    const entries = await entriesOf(posId);
    expect(entries.map(({ action }) => action)).toEqual([
      "account.delete",
      "account.signing-key",
      "account.change",
      "account.change",
      "account.create",
    ]);
    expect(new Set(entries.map(({ actor }) => actor))).toEqual(new Set(["tester"]));
    expect(entries[2]?.details).toEqual({ password: true });
    expect(entries[3]?.details).toEqual({ currency: "SGD", password: true });
    expect(entries[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  });

  it("records once which account gets a terminal, by key and by prebinding", async ({ expect }) => {
    const account = await createAccount();
    const [byKey, byList] = await Promise.all([enrolTerminal(), enrolTerminal({ merchantId: account.merchantId })]);
    await bindTerminal(account, byKey);
    const uniqueIds = [byList.terminalId];
    await call("POST", "/api/prebind-terminals", { token: await accessToken(account), body: { uniqueIds } });
    await operator("PATCH", `/operator/accounts/${account.posId}`, { currency: "SGD" });
    for (const { terminalId } of [byKey, byList]) {
      const [latest, ...earlier] = await entriesOf(terminalId);
      expect(latest).toMatchObject({
        action: "terminal.bind",
        actor: `terminal:${terminalId}`,
        details: { posId: account.posId },
        before: { posId: null },
        after: { posId: account.posId },
      });
      expect(earlier.map(({ action }) => action)).toEqual(["terminal.enrol"]);
    }
  });

  it("has no row for what was refused", async ({ expect }) => {
    const account = await createAccount();
    await operator("POST", "/operator/accounts", account);
    await operator("PATCH", `/operator/accounts/${account.posId}`, { status: "unheard-of" });
    expect(await entriesOf(account.posId)).toHaveLength(1);
    const name = uniqueId("nowhere");
    await operator("DELETE", `/operator/channels/${name}`);
    await operator("PATCH", `/operator/accounts/${name}`, { name: "x" });
    await operator("DELETE", `/operator/terminals/${name}`);
    expect(await entriesOf(name)).toEqual([]);
  });

  it("has no row for a change to the values that are there", async ({ expect }) => {
    const { posId, currency } = await createAccount();
    const { terminalId } = await enrolTerminal({ name: "Counter 1" });
    const [merchantId, wallet] = [uniqueId("M"), uniqueId("Wallet")];
    const attempts = [
      [
        "PATCH",
        `/operator/accounts/${posId}`,
        posId,
        { currency, name: "Counter 1", signedChanges: true },
        { name: "" },
      ],
      ["PATCH", `/operator/terminals/${terminalId}`, terminalId, { name: "Counter 1", merchantId }, { name: "" }],
      [
        "PUT",
        `/operator/shops/${merchantId}`,
        merchantId,
        { name: "Corner", timezone: "UTC" },
        { timezone: "Asia/Tokyo" },
      ],
      ["PUT", `/operator/shops/${merchantId}`, merchantId, { name: "Corner", timezone: "UTC" }, { name: "Harbour" }],
      ["PUT", `/operator/channels/${wallet}`, wallet, CHANNEL, { status: 0 }],
      ["PUT", `/operator/channels/${wallet}`, wallet, CHANNEL, { currency: ["SGD", "MYR"] }],
      ["PUT", `/operator/channels/${wallet}`, wallet, CHANNEL, { logoUrl3: "https://logos.test/w.svg" }],
    ] as const;
    for (const [method, path, target, values, other] of attempts) {
      const rows: number[] = [];
      for (const body of [values, values, { ...values, ...other }]) {
        expect([200, 201]).toContain((await operator(method, path, body)).status);
        rows.push((await entriesOf(target)).length);
      }
      const [first = 0] = rows;
      expect([path, other, rows]).toEqual([path, other, [first, first, first + 1]]);
      if (method === "PUT") expect((await entriesOf(target))[0]?.details).toEqual({ ...values, ...other });
    }
    await operator("PATCH", `/operator/accounts/${posId}`, { password: "a new password of it" });
    await operator("PATCH", `/operator/accounts/${posId}`, { password: "a new password of it" });
    const [again, first] = await entriesOf(posId);
    expect([again?.details, first?.details]).toEqual([{ password: true }, { password: true }]);
  });

  it("holds no password, key or secret", async ({ expect }) => {
    const account = await createAccount();
    const { secret } = await enrolTerminal();
    const log = JSON.stringify((await operator<Page>("GET", "/operator/audit")).body);
    for (const hidden of [account.password, account.signingKey, secret]) expect(log).not.toContain(hidden);
  });

  it("names the operator whose token it was", async ({ expect }) => {
    const OPERATOR_TOKENS = "anna:token-of-anna-that-is-long, ben:admin:token:of:ben:that:is:long";
    const target = uniqueId("Wallet");
    const put = (token: string, status: 0 | 1) =>
      callWith({ OPERATOR_TOKENS }, "PUT", `/operator/channels/${target}`, { token, body: { ...CHANNEL, status } });
    expect((await put("token-of-anna-that-is-long", 1)).status).toBe(201);
    expect((await put("token:of:ben:that:is:long", 0)).status).toBe(200);
    expect((await put("anna:token-of-anna-that-is-long", 1)).status).toBe(401);
    expect((await entriesOf(target)).map(({ actor }) => actor)).toEqual(["ben", "anna"]);
  });

  it("has one row per address and hour for guessed tokens", async ({ expect }) => {
    // Files share an isolate, and each begins at the same noon: guesses of others at noon would use up its writes.
    skip(5 * HOUR);
    const tries = async (address: string): Promise<number> => {
      const { status } = await call("GET", "/operator/audit", { token: "guess", address });
      expect(status).toBe(401);
      return (await entriesOf(address)).length;
    };
    const address = uniqueAddress();
    expect([await tries(address), await tries(address), await tries(address)]).toEqual([1, 1, 1]);
    expect((await entriesOf(address))[0]).toMatchObject({
      action: "operator.refused",
      actor: "nobody",
      details: { attempts: 1 },
    });
    skip(60_000);
    expect(await tries(address)).toBe(1);
    expect((await entriesOf(address))[0]).toMatchObject({ details: { attempts: 4 } });
    // Without a token it does not count as an attempt, and D1 is not used.
    const silent = uniqueAddress();
    expect((await call("GET", "/operator/audit", { address: silent })).status).toBe(401);
    expect(await entriesOf(silent)).toEqual([]);
    const many = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      INSERT INTO audit_log (at, actor, action, target, details) SELECT ?, 'nobody', 'operator.refused', i, '{}' FROM n`;
    await env.DATABASE.prepare(many).bind(Date.now()).run();
    expect(await tries(uniqueAddress())).toBe(0);
    skip(HOUR);
    expect(await tries(uniqueAddress())).toBe(1);
  });
});
