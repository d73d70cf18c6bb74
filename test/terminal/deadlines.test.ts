/** One alarm meets every deadline of a request, whether its POS waits or not, and however late the alarm comes. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import type { Terminal } from "../../src/index.ts";
import { WAITER_CLOSE } from "../../src/rpc/transfers.ts";
import { alarmOf, skip, useFakeClock } from "../support/clock.ts";
import { eventually } from "../support/patience.ts";
import { AT_ONCE, type Scene, useAccount } from "../support/scene.ts";
import type { ScriptedTerminal } from "../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

type Answer = ReturnType<Scene["till"]["transfer"]>;

/** A sale that waits for its terminal, which was lost a moment ago; and when it was asked for. */
async function queuedSale(): Promise<{ here: Scene; body: object; answer: Answer; start: number }> {
  const here = await scene();
  await connected(here);
  await here.crash();
  const start = Date.now();
  const { body, answer } = await here.queued();
  await hasWaiters(here, 1);
  return { here, body, answer, start };
}

/** Resolves when so many Workers wait at the terminal's object. */
function hasWaiters(here: Scene, count: number): Promise<void> {
  return eventually(async () => {
    const waiters = await atObject(here, (_object, state) => waitersOf(state).length);
    if (waiters !== count) throw new Error(`${waiters} Workers wait, not ${count}`);
  });
}

function waitersOf(state: DurableObjectState): WebSocket[] {
  const terminals = new Set(state.getWebSockets("terminal"));
  return state.getWebSockets().filter((socket) => !terminals.has(socket));
}

/** A terminal that was heard just now, on a connection whose own alarm has passed. */
async function connected(here: Scene): Promise<ScriptedTerminal> {
  const terminal = await here.connect();
  await here.pass(30 * SECOND);
  terminal.send("pong");
  await terminal.frames();
  return terminal;
}

function atObject<T>(here: Scene, look: (object: Terminal, state: DurableObjectState) => T | Promise<T>): Promise<T> {
  return runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), look);
}

/** The waiting sockets end with these codes, in order. */
function endWaits(here: Scene, ...codes: number[]): Promise<void> {
  return atObject(here, (object, state) => {
    for (const [index, socket] of waitersOf(state).entries()) {
      const code = codes[index];
      if (code !== undefined) object.webSocketClose(socket, code, "");
    }
  });
}

describe("a request whose POS waits", () => {
  it("ends in time by the alarm while its terminal is away", async ({ expect }) => {
    const { here, answer, start } = await queuedSale();
    expect(await alarmOf(here.terminal)).toBe(start + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("ends in time although the object slept meanwhile", async ({ expect }) => {
    const { here, answer } = await queuedSale();
    await here.sleep();
    await here.pass(10 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("has an alarm for the acceptance, and then for its end", async ({ expect }) => {
    const here = await scene();
    const terminal = await connected(here);
    const start = Date.now();
    const answer = here.till.sale();
    const request = await terminal.acceptNext();
    expect(await alarmOf(here.terminal)).toBe(start + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect(await alarmOf(here.terminal)).toBe(start + 80 * SECOND);
    here.approve(terminal, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("is judged by the clock when the alarm is late", async ({ expect }) => {
    const { here, answer, body } = await queuedSale();
    skip(20 * SECOND);
    expect((await here.till.transfer({ ...body })).body.responseCode).toBe("TERMINAL_OFFLINE");
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("is not sent to a terminal that is back too late", async ({ expect }) => {
    const { here, answer } = await queuedSale();
    skip(20 * SECOND);
    const back = await here.connect();
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
    expect(await back.frames()).toEqual([]);
  });

  it("stays queued when a Worker that was served leaves", async ({ expect }) => {
    const { here } = await queuedSale();
    await endWaits(here, WAITER_CLOSE.served);
    expect((await here.journal())[0]?.state).toBe("queued");
  });

  it("stays queued when one POS has detached and the last hangs up", async ({ expect }) => {
    const { here, body } = await queuedSale();
    void here.till.transfer({ ...body });
    await hasWaiters(here, 2);
    await endWaits(here, WAITER_CLOSE.detached, 1006);
    expect((await here.journal())[0]?.state).toBe("queued");
  });
});

describe("a request that nobody waits for", () => {
  it("stays queued until its time is over", async ({ expect }) => {
    const { here, body, start } = await queuedSale();
    await here.till.transfer({ ...body }, AT_ONCE);
    await endWaits(here, 1006);
    expect(await alarmOf(here.terminal)).toBe(start + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect((await here.journal())[0]?.outcome?.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("loses its connection if no acceptance comes in time", async ({ expect }) => {
    const here = await scene();
    const terminal = await connected(here);
    await here.till.transfer(here.till.saleBody(), AT_ONCE);
    await terminal.nextRequest();
    expect(await alarmOf(here.terminal)).toBe(Date.now() + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect(await terminal.closed()).toBe(4004);
  });
});
