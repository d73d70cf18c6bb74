import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished, vi } from "vitest";
import { accountsWith, callWith, objectsWith } from "../../../support/environment.ts";
import {
  bindKey,
  bindMessage,
  call,
  enrolTerminal,
  loginMessage,
  operator,
  OPERATOR_TOKEN,
} from "../../../support/gateway.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import { Pos } from "../../../support/pos.ts";

interface Reseal {
  current: string;
  resealed: { accounts: number; terminals: number };
  failed: { accounts: number; terminals: number };
  left: { kid: string; accounts: number; terminals: number; bindKeys: number; activationCodes: number }[];
  droppable: string[];
}

const NEW_KEY = `test-2:${btoa("the next master key of the tests")}`;
const BOTH = `${NEW_KEY},${env.MASTER_KEYS}`;

function reseal(MASTER_KEYS: string, objects = {}) {
  return callWith<Reseal>({ MASTER_KEYS, ...objects }, "POST", "/operator/master-keys/reseal", {
    token: OPERATOR_TOKEN,
  });
}

/** Gives objects the master keys that their next deploy would give them, until the test ends. */
async function deployTo(object: DurableObjectStub, MASTER_KEYS: string): Promise<void> {
  await runInDurableObject(object, (instance) => {
    const objectEnv = (instance as unknown as { env: Env }).env;
    const { MASTER_KEYS: before } = objectEnv;
    Object.assign(objectEnv, { MASTER_KEYS });
    // All objects share it.
    onTestFinished(() => void Object.assign(objectEnv, { MASTER_KEYS: before }));
  });
}

const BROKEN = { reseal: () => Promise.reject(new Error("broken on purpose")) };

describe("re-encrypting with a new master key", () => {
  it("moves accounts and terminals, and releases the old key when done", async ({ expect }) => {
    const pos = await Pos.create();
    const { account, terminal } = pos;
    await operator("POST", `/operator/accounts/${account.posId}/signing-key`);
    const renewed = await operator<{ secret: string }>("POST", `/operator/terminals/${terminal.terminalId}/secret`);
    await operator("POST", `/operator/terminals/${terminal.terminalId}/activation-code`, { validHours: 2 });
    await bindKey(pos.token);
    const objects = [env.TERMINAL.getByName(terminal.terminalId), env.ACCOUNT.getByName(account.posId)];

    // With only the old key, there is nothing to re-encrypt.
    const before = await reseal(env.MASTER_KEYS);
    expect(before.body).toMatchObject({ current: "test-1", left: [], droppable: [] });

    // The Worker has the new keys, but not the objects: they report that, and do not count as done.
    const early = await reseal(BOTH);
    expect(early.body.resealed).toEqual({ accounts: 0, terminals: 0 });
    expect(early.body.failed).toEqual({ accounts: 1, terminals: 1 });
    expect(early.body.left).toEqual([{ kid: "test-1", accounts: 1, terminals: 1, bindKeys: 2, activationCodes: 1 }]);
    expect(early.body.droppable).toEqual([]);

    // Objects that fail do not count, either, and are logged.
    const from = lines.length;
    const failing = await reseal(BOTH, {
      ACCOUNT: accountsWith({ [account.posId]: BROKEN }),
      TERMINAL: objectsWith({ [terminal.terminalId]: BROKEN }),
    });
    expect(failing.body.failed).toEqual({ accounts: 1, terminals: 1 });
    expect(logged("account_keys_not_resealed", from)).toMatchObject([{ account: account.posId }]);
    expect(logged("terminal_secret_not_resealed", from)).toMatchObject([{ terminal: terminal.terminalId }]);

    for (const object of objects) await deployTo(object, BOTH);
    const late = await reseal(BOTH);
    expect(late.body.resealed).toEqual({ accounts: 1, terminals: 1 });
    expect(late.body.left).toEqual([{ kid: "test-1", accounts: 0, terminals: 0, bindKeys: 2, activationCodes: 1 }]);

    // Bind keys and activation codes expire by themselves.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 26 * 3_600_000 });
    const done = await reseal(BOTH);
    vi.useRealTimers();
    expect(done.body).toMatchObject({ left: [], droppable: ["test-1"] });

    // And with the old key gone, both keys of the account and both secrets of the terminal still work.
    for (const object of objects) {
      await evictDurableObject(object);
      await deployTo(object, NEW_KEY);
    }
    const MASTER_KEYS = NEW_KEY;
    const tokens = await callWith<{ access: { token: string } }>({ MASTER_KEYS }, "POST", "/auth/login", {
      body: { posId: account.posId, password: account.password },
    });
    const inquiry = await callWith<{ code: number }>({ MASTER_KEYS }, "POST", "/api/transfer", {
      token: tokens.body.access.token,
      body: pos.sign(pos.body("getLast")),
    });
    expect(inquiry.body.code).toBe(40004);
    for (const { secret } of [terminal, renewed.body]) {
      const body = loginMessage({ ...terminal, secret });
      expect((await callWith({ MASTER_KEYS }, "POST", "/terminal/login", { body })).status).toBe(200);
    }
  });

  it("keeps the old key's bind keys and tokens while it is accepted", async ({ expect }) => {
    const pos = await Pos.create();
    const MASTER_KEYS = BOTH;
    expect((await callWith({ MASTER_KEYS }, "GET", "/api/terminals", { token: pos.token })).status).toBe(200);
    const key = await bindKey(pos.token);
    const terminalToken = (
      await call<{ token: string }>("POST", "/terminal/login", { body: loginMessage(pos.terminal) })
    ).body.token;
    const body = bindMessage(pos.terminal, key);
    const bound = await callWith({ MASTER_KEYS }, "POST", "/terminal/bind", { token: terminalToken, body });
    expect(bound.status).toBe(200);
  });

  it("is audited whenever it changed something, if only a terminal", async ({ expect }) => {
    // Of the tests before.
    const tables = ["accounts", "terminals", "audit_log"];
    await env.DATABASE.batch(tables.map((table) => env.DATABASE.prepare(`DELETE FROM ${table}`)));
    const { terminalId } = await enrolTerminal();
    await reseal(BOTH);
    await deployTo(env.TERMINAL.getByName(terminalId), BOTH);
    for (const terminals of [1, 0]) expect((await reseal(BOTH)).body.resealed).toEqual({ accounts: 0, terminals });
    const { data } = (await operator<{ data: object[] }>("GET", "/operator/audit?action=master-keys.reseal")).body;
    expect(data).toMatchObject([{ target: "test-2", details: { accounts: 0, terminals: 1 } }]);
  });
});
