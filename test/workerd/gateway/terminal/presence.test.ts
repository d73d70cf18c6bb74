import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished, vi } from "vitest";
import { CONNECTED_WITHIN } from "../../../../src/protocol/limits.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { alarmOf, skip, useFakeClock } from "../../../support/clock.ts";
import { call, operator } from "../../../support/gateway.ts";
import { type Scene, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

/** What D1 has noted of the terminal's connection, for listings. */
function noted({ terminal }: Scene): Promise<number | null> {
  return env.DATABASE.prepare("SELECT connected FROM terminals WHERE terminal_id = ?")
    .bind(terminal.terminalId)
    .first<number>("connected");
}

/** What the account sees of it. */
async function listed({ pos, terminal }: Scene): Promise<boolean | undefined> {
  const { body } = await call<{ data: { terminalId: string; connected: boolean }[] }>("GET", "/api/terminals", {
    token: pos.token,
  });
  return body.data.find(({ terminalId }) => terminalId === terminal.terminalId)?.connected;
}

interface Noted {
  connected: number;
  offlineSince: number | null;
}

/** What D1 has noted, and when the terminal was heard last, as the operator's list shows it. */
async function offline({ terminal }: Scene): Promise<Noted & { shown: number | null }> {
  const row = await env.DATABASE.prepare(
    "SELECT connected, offline_since AS offlineSince FROM terminals WHERE terminal_id = ?",
  )
    .bind(terminal.terminalId)
    .first<Noted>();
  const { body } = await operator<{ offlineSince: string | null }>("GET", `/operator/terminals/${terminal.terminalId}`);
  const shown = body.offlineSince === null ? null : Date.parse(body.offlineSince);
  return { connected: -1, offlineSince: null, ...row, shown };
}

describe("a terminal's presence", () => {
  it("is listed with its hello until it ends", async ({ expect }) => {
    const here = await scene();
    expect(await listed(here)).toBe(false);
    const connection = await here.connect();
    expect(await listed(here)).toBe(true);
    expect(await noted(here)).toBe(1);
    await connection.lose();
    expect(await listed(here)).toBe(false);
  });

  it("is recorded as ended after ten seconds without a reconnect", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    await first.lose();
    await here.pass(10 * SECOND - 1);
    expect(await noted(here)).toBe(1);
    const second = await here.connect();
    await here.pass(60 * SECOND);
    expect(await noted(here)).toBe(1);
    await second.lose();
    await here.pass(10 * SECOND);
    expect(await noted(here)).toBe(0);
  });

  it("is recorded as ended if a reset interrupts the write to D1", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await connection.lose();
    const batch = vi.spyOn(Object.getPrototypeOf(env.DATABASE) as D1Database, "batch");
    onTestFinished(() => batch.mockRestore());
    batch.mockImplementationOnce(() => new Promise(() => undefined));
    await here.pass(10 * SECOND);
    expect(batch).toHaveBeenCalledOnce();
    await here.crash();
    expect(await noted(here)).toBe(1);
    await here.pass(300 * SECOND);
    expect(await noted(here)).toBe(0);
  });

  it("ends with its secret, before the terminal answers the close", async ({ expect }) => {
    const here = await scene();
    await here.connect();
    const object = env.TERMINAL.getByName(here.terminal.terminalId);
    const connected = await runInDurableObject(object, async (terminal) => {
      // All are asked before the close reaches anybody.
      const [before, , after] = await Promise.all([
        terminal.status(),
        terminal.retire("an operator"),
        terminal.status(),
      ]);
      return [before.connected, after.connected];
    });
    expect(connected).toEqual([true, false]);
  });

  it("is maintained by the heartbeat alone, which the platform answers", async ({ expect }) => {
    // The platform takes heartbeats by its own clock: this one is set back, so that they are in the object's future.
    vi.useRealTimers();
    const real = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(real - 60 * SECOND);
    const here = await scene();
    const pos = await here.posOfNow();
    const connection = await here.connect();
    connection.send("ping");
    await connection.next("pong");
    vi.setSystemTime(real + 30 * SECOND);
    expect(await listed(here)).toBe(true);
    // Ten seconds have not passed since: no probe goes before the request.
    vi.setSystemTime(real + 5 * SECOND);
    const answer = pos.sale();
    const request = await connection.nextRequest();
    expect(connection.pending()).toEqual([]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
  });
});

describe("a terminal's time offline", () => {
  it("begins at its last activity if its connection ends while awake", async ({ expect }) => {
    const here = await scene();
    const connection = await ScriptedTerminal.open(here.terminal);
    await here.pass(5 * SECOND);
    await connection.hello();
    const heardAt = Date.now();
    await here.pass(20 * SECOND);
    await connection.lose();
    await here.pass(10 * SECOND);
    expect(await offline(here)).toEqual({ connected: 0, offlineSince: heardAt, shown: heardAt });
  });

  it("begins when a restarted object finds its connection gone", async ({ expect }) => {
    const here = await scene();
    const status = () => terminalStub(env, here.terminal.terminalId).status();
    const before = await here.connect();
    await here.pass(SECOND);
    before.send("pong");
    await before.frames();
    const heardAt = Date.now();
    await before.lose();
    expect(await status()).toMatchObject({ lastHeard: heardAt });
    await here.pass(60 * SECOND);
    await here.connect();
    const connectedAt = Date.now();
    await here.pass(60 * SECOND);
    await here.crash();
    const foundAt = Date.now();
    expect(await offline(here)).toMatchObject({ shown: foundAt });
    expect(await status()).toMatchObject({ lastHeard: connectedAt });
    await here.pass(10 * SECOND);
    expect(await offline(here)).toEqual({ connected: 0, offlineSince: foundAt, shown: foundAt });
  });
});

describe("the status that a terminal's object gives", () => {
  const NOTHING = { connected: false, connectedSince: null, lastHeartbeat: null };

  it("is connected until seventy seconds after the last activity, to the millisecond", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const at = Date.now();
    const status = () => terminalStub(env, here.terminal.terminalId).status();
    const always = {
      lastHeard: at,
      softwareVersion: expect.any(String) as string,
      terminalSn: expect.any(String) as string,
      posId: here.pos.account.posId,
      contested: false,
    };
    skip(CONNECTED_WITHIN - 1);
    const connected = { connected: true, connectedSince: at, lastHeartbeat: at, offlineSince: null };
    expect(await status()).toEqual({ ...connected, ...always });
    skip(1);
    expect(await status()).toEqual({ ...NOTHING, offlineSince: at, ...always });
    await connection.lose();
    expect(await status()).toEqual({ ...NOTHING, offlineSince: at, ...always });
  });
});

describe("an idle terminal", () => {
  it("has no alarm: idle is free", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await here.pass(10 * SECOND);
    expect(await alarmOf(here.terminal)).toBeNull();
    await here.sleep();
    connection.send("ping");
    await connection.next("pong");
    await here.connect();
    await here.pass(60 * SECOND);
    expect(await alarmOf(here.terminal)).toBeNull();
    expect(await runDurableObjectAlarm(env.TERMINAL.getByName(here.terminal.terminalId))).toBe(false);
  });
});
