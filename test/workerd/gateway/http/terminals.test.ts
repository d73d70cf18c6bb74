import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { callWith, objectsWith } from "../../../support/environment.ts";
import {
  accessToken,
  bindTerminal,
  boundPair,
  call,
  createAccount,
  enrolTerminal,
  operator,
} from "../../../support/gateway.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

interface Listing {
  data: { terminalId: string; connected: boolean; isVT: number }[];
}

function byId(one: { terminalId: string }, two: { terminalId: string }): number {
  return one.terminalId < two.terminalId ? -1 : 1;
}

describe("the account's terminals", () => {
  it("are those that are bound to it, with their true connection state", async ({ expect }) => {
    const account = await createAccount();
    const [connected, silent, virtual, foreign] = await Promise.all([
      enrolTerminal(),
      enrolTerminal(),
      enrolTerminal({ isVT: 1 }),
      enrolTerminal(),
    ]);
    for (const terminal of [connected, silent, virtual]) await bindTerminal(account, terminal);
    const sockets = await Promise.all([connected, foreign].map((terminal) => ScriptedTerminal.connect(terminal)));
    const { status, body } = await call<Listing>("GET", "/api/terminals", { token: await accessToken(account) });
    expect(status).toBe(200);
    expect(body.data).toEqual(
      [
        { terminalId: connected.terminalId, connected: true, isVT: 0 },
        { terminalId: silent.terminalId, connected: false, isVT: 0 },
        { terminalId: virtual.terminalId, connected: false, isVT: 1 },
      ].toSorted(byId),
    );
    for (const socket of sockets) socket.drop();
  });

  it("are asked up to a hundred; others are shown from D1", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const row = await env.DATABASE.prepare("SELECT * FROM terminals WHERE terminal_id = ?")
      .bind(terminal.terminalId)
      .first();
    const ids = Array.from({ length: 103 }, (_, index) => `${terminal.terminalId}-${String(index).padStart(3, "0")}`);
    const names = Object.keys(row ?? {});
    const insert = `INSERT INTO terminals (${names.join()}) VALUES (${names.map(() => "?").join()})`;
    await env.DATABASE.batch(
      ids.map((id, index) => {
        const copy: Record<string, unknown> = { ...row, terminal_id: id, connected: 1, silent: 0 };
        // The last one is silent.
        if (index === 102) Object.assign(copy, { connected: 0, silent: 1 });
        return env.DATABASE.prepare(insert).bind(...names.map((name) => copy[name]));
      }),
    );
    const status = vi.fn(() => Promise.reject(new Error("gone")));
    const TERMINAL = objectsWith({ "*": { status } });
    const token = await accessToken(account);
    const { body } = await callWith<Listing & { notAsked?: number }>({ TERMINAL }, "GET", "/api/terminals", { token });
    expect([body.data.length, body.notAsked, status.mock.calls.length]).toEqual([104, 3, 100]);
    const connected = body.data.filter((one) => one.connected).map(({ terminalId }) => terminalId);
    expect(connected).toEqual(ids.slice(100, 102));
    await env.DATABASE.prepare("DELETE FROM terminals WHERE terminal_id GLOB ?").bind(`${terminal.terminalId}-*`).run();
  });

  it("count as not connected if their object fails", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const socket = await ScriptedTerminal.connect(terminal);
    const TERMINAL = objectsWith({ [terminal.terminalId]: { status: () => Promise.reject(new Error("gone")) } });
    const token = await accessToken(account);
    const failing = await callWith<Listing>({ TERMINAL }, "GET", "/api/terminals", { token });
    expect(failing.body.data).toEqual([{ terminalId: terminal.terminalId, connected: false, isVT: 0 }]);
    const { body } = await call<Listing>("GET", "/api/terminals", { token });
    expect(body.data).toEqual([{ terminalId: terminal.terminalId, connected: true, isVT: 0 }]);
    socket.drop();
  });

  it("exclude one that has left according to its object", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const socket = await ScriptedTerminal.connect(terminal);
    const times = { connectedSince: 1, lastHeartbeat: 1, lastHeard: 1, offlineSince: null };
    const left = { ...times, connected: true, contested: false, softwareVersion: null, terminalSn: null };
    const status = async () => ({ ...left, posId: "another" });
    const TERMINAL = objectsWith({ [terminal.terminalId]: { status } });
    const token = await accessToken(account);
    expect((await callWith<Listing>({ TERMINAL }, "GET", "/api/terminals", { token })).body.data).toEqual([]);
    const path = `/api/terminals/${terminal.terminalId}`;
    expect((await callWith({ TERMINAL }, "GET", path, { token })).status).toBe(404);
    socket.drop();
  });

  it("show their details, before and while they are connected", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const path = `/api/terminals/${terminal.terminalId}`;
    const token = await accessToken(account);
    expect((await call("GET", path, { token })).body).toEqual({
      terminalId: terminal.terminalId,
      connected: false,
      isVT: 0,
      connectedSince: null,
      lastHeartbeat: null,
      softwareVersion: null,
      terminalSn: null,
    });
    const socket = await ScriptedTerminal.connect(terminal, { softwareVersion: "9.1", terminalSn: "SN-9" });
    const { body } = await call("GET", path, { token });
    expect(body).toMatchObject({ connected: true, softwareVersion: "9.1", terminalSn: "SN-9" });
    expect(body["connectedSince"]).toMatch(/\.\d{3}\+08:00$/);
    expect(body["lastHeartbeat"]).toMatch(/\.\d{3}\+08:00$/);
    socket.drop();
  });

  it("can be unbound by the account, and the terminal is informed", async ({ expect }) => {
    const { account, terminal } = await boundPair();
    const socket = await ScriptedTerminal.connect(terminal);
    const token = await accessToken(account);
    const path = `/api/terminals/${terminal.terminalId}`;
    const answer = await call("DELETE", path, { token });
    expect([answer.status, answer.body["code"]]).toEqual([200, 20000]);
    expect(await socket.next("binding")).toMatchObject({ posId: null });
    expect((await call<Listing>("GET", "/api/terminals", { token })).body.data).toEqual([]);
    expect((await call("DELETE", path, { token })).status).toBe(404);
    const { body } = await operator<{ data: object[] }>("GET", "/operator/audit");
    expect(body.data).toContainEqual(
      expect.objectContaining({
        actor: `account:${account.posId}`,
        action: "terminal.unbind",
        target: terminal.terminalId,
      }),
    );
    socket.drop();
  });

  it("are invisible to other accounts, even when their objects fail", async ({ expect }) => {
    const account = await createAccount();
    const { terminalId } = await enrolTerminal({ merchantId: account.merchantId });
    const own = { token: await accessToken(account) };
    await call("POST", "/api/prebind-terminals", { ...own, body: { uniqueIds: [terminalId] } });
    const stranger = { token: await accessToken(await createAccount()) };
    const path = `/api/terminals/${terminalId}`;
    const TERMINAL = objectsWith({ [terminalId]: { status: () => Promise.reject(new Error("gone")) } });
    expect((await callWith({ TERMINAL }, "GET", path, own)).status).toBe(200);
    expect((await callWith({ TERMINAL }, "GET", path, stranger)).status).toBe(404);
    expect((await call("DELETE", path, stranger)).status).toBe(404);
    expect((await call("GET", "/api/prebind-terminals", own)).body).toEqual({ data: [terminalId] });
  });
});
