import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished, vi } from "vitest";
import { terminalStatement } from "../../src/storage/terminals.ts";
import { alarmOf, useFakeClock } from "../support/clock.ts";
import { call } from "../support/gateway.ts";
import { useAccount, type Scene } from "../support/scene.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

/** What D1 has noted of the terminal's connection, for listings. */
function noted({ terminal }: Scene): Promise<number | null> {
  return env.DATABASE.prepare("SELECT connected FROM terminals WHERE terminal_id = ?")
    .bind(terminal.terminalId)
    .first<number>("connected");
}

/** The version under which D1 was told last. */
async function versionOf({ terminal }: Scene): Promise<number> {
  const row = env.DATABASE.prepare("SELECT version FROM terminals WHERE terminal_id = ?").bind(terminal.terminalId);
  return (await row.first<number>("version")) ?? 0;
}

/** What the account sees of it. */
async function listed({ till, terminal }: Scene): Promise<boolean | undefined> {
  const { body } = await call<{ data: { terminalId: string; connected: boolean }[] }>("GET", "/api/terminals", {
    token: till.token,
  });
  return body.data.find(({ terminalId }) => terminalId === terminal.terminalId)?.connected;
}

describe("a terminal's presence", () => {
  it("is listed with its hello, and disappears from listings the moment it ends", async ({ expect }) => {
    const here = await scene();
    expect(await listed(here)).toBe(false);
    const connection = await here.connect();
    expect(await listed(here)).toBe(true);
    expect(await noted(here)).toBe(1);
    connection.drop();
    await connection.closed();
    expect(await listed(here)).toBe(false);
  });

  it("is noted as ended ten seconds late, if the terminal has not come back", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    first.drop();
    await first.closed();
    await here.pass(10 * SECOND - 1);
    expect(await noted(here)).toBe(1);
    const second = await here.connect();
    await here.pass(60 * SECOND);
    expect(await noted(here)).toBe(1);
    second.drop();
    await second.closed();
    await here.pass(10 * SECOND);
    expect(await noted(here)).toBe(0);
  });

  it("is also noted as ended if the object restarted and was not notified of the end", async ({ expect }) => {
    const here = await scene();
    await here.connect();
    await here.crash();
    expect(await listed(here)).toBe(false);
    await here.pass(10 * SECOND);
    expect(await noted(here)).toBe(0);
  });

  it("is noted as ended if the object is reset while it tells D1, and D1 never gets that", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    connection.drop();
    await connection.closed();
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

  it("stays ended when a note of its connection reaches D1 late", async ({ expect }) => {
    const here = await scene();
    const { terminalId } = here.terminal;
    const { posId } = here.till.account;
    const connection = await here.connect();
    const version = await versionOf(here);
    connection.drop();
    await connection.closed();
    await here.pass(10 * SECOND);
    expect(await noted(here)).toBe(0);
    const state = { posId, connected: true, offlineSince: null, lastHeartbeat: null, retired: false };
    const late = terminalStatement(
      env.DATABASE,
      terminalId,
      { owed: version, generation: "" },
      {
        ...state,
        secretVersion: 1,
        sealedUnder: null,
      },
    );
    await env.DATABASE.batch([late]);
    expect(await noted(here)).toBe(0);
    expect(await versionOf(here)).toBeGreaterThan(version);
  });

  it("is not told at all if the terminal is back within ten seconds", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const version = await versionOf(here);
    connection.drop();
    await connection.closed();
    await here.pass(9 * SECOND);
    await here.connect();
    await here.pass(600 * SECOND);
    expect([await noted(here), await versionOf(here)]).toEqual([1, version]);
  });

  it("ends in lists seventy seconds after its last activity", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await here.pass(60 * SECOND);
    await connection.frames();
    await here.pass(70 * SECOND - 1);
    expect(await listed(here)).toBe(true);
    await here.pass(1);
    expect(await listed(here)).toBe(false);
  });

  it("is maintained by the heartbeat alone, which the platform answers", async ({ expect }) => {
    // The platform takes heartbeats by its own clock: this one is set back, so that they are in the object's future.
    vi.useRealTimers();
    const real = Date.now();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(real - 60 * SECOND);
    const here = await scene();
    const till = await here.tillOfNow();
    const connection = await here.connect();
    connection.send("ping");
    await connection.next("pong");
    vi.setSystemTime(real + 30 * SECOND);
    expect(await listed(here)).toBe(true);
    // Ten seconds have not passed since: no probe goes before the request.
    vi.setSystemTime(real + 5 * SECOND);
    const answer = till.sale();
    const request = await connection.nextRequest();
    expect(connection.pending()).toEqual([]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
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
