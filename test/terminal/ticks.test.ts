/**
 * Every waiter ticks: near deadlines hold without an alarm, and with one wherever nobody would tick. A tick is only
 * "look at the clock".
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, it, vi } from "vitest";
import type { Terminal } from "../../src/index.ts";
import { PRESENCE_DELAY } from "../../src/terminal/limits.ts";
import { TICK, WAITER_CLOSE } from "../../src/rpc/transfers.ts";
import { Ticker } from "../../src/http/transfer/deliver.ts";
import { alarmOf, skip, tick, tickOf, useFakeClock } from "../support/clock.ts";
import { AT_ONCE, type Scene, useAccount } from "../support/scene.ts";
import type { ScriptedTerminal } from "../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();
// The Workers' timers follow the real clock: the clock of the test ticks in their place.
const asked: number[] = [];
beforeEach(() => {
  asked.length = 0;
  vi.spyOn(Ticker.prototype, "tickIn").mockImplementation((milliseconds) => void asked.push(milliseconds));
});

const SECOND = 1_000;

type Answer = ReturnType<Scene["till"]["transfer"]>;

/** A sale that waits for its terminal, which was lost a moment ago; and when it was asked for. */
async function queuedSale(): Promise<{ here: Scene; body: object; answer: Answer; start: number }> {
  const here = await scene();
  await connected(here);
  await here.crash();
  const start = Date.now();
  const { body, answer } = await here.queued();
  await waitsAt(here, 1);
  return { here, body, answer, start };
}

/** Waits until so many Workers wait. */
async function waitsAt(here: Scene, count: number): Promise<void> {
  for (let looks = 0; looks < 500; looks++) {
    if ((await atObject(here, (_object, state) => state.getWebSockets("ticks").length)) === count) return;
    await scheduler.wait(10);
  }
  throw new Error(`there are never ${count} who wait`);
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

/** The Worker is gone, and nothing of it comes any more. */
function dies(here: Scene, code = 1006): Promise<void> {
  return atObject(here, (object, state) => {
    const [socket] = state.getWebSockets("ticks");
    if (socket !== undefined) object.webSocketClose(socket, code, "");
  });
}

describe("a request whose till waits", () => {
  it("ends in time through its Worker's tick, without an alarm", async ({ expect }) => {
    const { here, answer, start } = await queuedSale();
    // D1 is told of the end of the connection.
    expect(await alarmOf(here.terminal)).toBe(start + PRESENCE_DELAY);
    expect(await tickOf(here.terminal)).toBe(start + 10 * SECOND);
    skip(10 * SECOND);
    await tick(here.terminal);
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("sets no alarm for the moment by which its terminal must accept it", async ({ expect }) => {
    const here = await scene();
    const terminal = await connected(here);
    const start = Date.now();
    const answer = here.till.sale();
    const request = await terminal.nextRequest();
    await waitsAt(here, 1);
    expect(await tickOf(here.terminal)).toBe(start + 10 * SECOND);
    // The next alarm cancels it before its end.
    expect(await alarmOf(here.terminal)).toBe(start + 80 * SECOND);
    terminal.accept(request);
    here.approve(terminal, request);
    expect((await answer).body.statusCode).toBe("00");
  });

  it("ends in time even if the object slept between asking for the tick and getting it", async ({ expect }) => {
    const { here, answer, start } = await queuedSale();
    await here.sleep();
    expect(await tickOf(here.terminal)).toBe(start + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("loses nothing through ticks that come early or twice, and its Worker is asked again", async ({ expect }) => {
    const { here, answer, start } = await queuedSale();
    skip(SECOND);
    for (let times = 0; times < 3; times++) {
      await atObject(here, (object, state) => {
        for (const socket of state.getWebSockets("ticks")) object.webSocketMessage(socket, TICK);
      });
      expect(await tickOf(here.terminal)).toBe(start + 10 * SECOND);
    }
    for (let looks = 0; looks < 500 && asked.length < 4; looks++) await scheduler.wait(10);
    expect(asked).toEqual([10 * SECOND, 9 * SECOND, 9 * SECOND, 9 * SECOND]);
    skip(9 * SECOND - 1);
    await atObject(here, (object, state) => {
      for (const socket of state.getWebSockets("ticks")) object.webSocketMessage(socket, TICK);
    });
    expect((await here.journal())[0]?.state).toBe("queued");
    skip(1);
    await tick(here.terminal);
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("is judged by the clock, not by a tick that is late or lost", async ({ expect }) => {
    const { here, answer, body } = await queuedSale();
    skip(20 * SECOND);
    const again = here.till.transfer({ ...body });
    expect((await again).body.responseCode).toBe("TERMINAL_OFFLINE");
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
    const late = await scene();
    await late.connect();
    await late.crash();
    const lost = late.till.sale();
    await waitsAt(late, 1);
    skip(20 * SECOND);
    // Too late, although the terminal is there again.
    const back = await late.connect();
    expect((await lost).body.responseCode).toBe("TERMINAL_OFFLINE");
    expect(await back.frames()).toEqual([]);
  });

  it("has an alarm at once when its Worker goes away and nobody else waits", async ({ expect }) => {
    const { here, body, start } = await queuedSale();
    // Detached, so that it stays queued although nobody waits.
    await here.till.transfer({ ...body }, AT_ONCE);
    expect(await alarmOf(here.terminal)).toBe(start + PRESENCE_DELAY);
    await dies(here);
    expect(await alarmOf(here.terminal)).toBe(start + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect((await here.journal())[0]?.outcome?.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("stays queued when a Worker that was served closes the last socket", async ({ expect }) => {
    const { here } = await queuedSale();
    await dies(here, WAITER_CLOSE.served);
    expect((await here.journal())[0]?.state).toBe("queued");
  });

  it("stays queued when its last till goes away, if another has left it to itself", async ({ expect }) => {
    const { here, body } = await queuedSale();
    void here.till.transfer({ ...body });
    await waitsAt(here, 2);
    await atObject(here, (object, state) => {
      for (const [index, socket] of state.getWebSockets("ticks").entries()) {
        object.webSocketClose(socket, index === 0 ? WAITER_CLOSE.detached : 1006, "");
      }
    });
    expect((await here.journal())[0]?.state).toBe("queued");
  });

  it("gets its tick from another Worker when the one that was asked goes away", async ({ expect }) => {
    const { here, body, answer, start } = await queuedSale();
    const twin = here.till.transfer({ ...body });
    await waitsAt(here, 2);
    await atObject(here, (object, state) => {
      const promised = state
        .getWebSockets("ticks")
        .find((socket) => (socket.deserializeAttachment() as { tickAt: number | null }).tickAt !== null);
      promised?.close(1000);
      if (promised !== undefined) object.webSocketClose(promised, WAITER_CLOSE.served, "");
    });
    expect(await alarmOf(here.terminal)).toBe(start + PRESENCE_DELAY);
    expect(await tickOf(here.terminal)).toBe(start + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect((await twin).body.responseCode).toBe("TERMINAL_OFFLINE");
    expect((await answer).body.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("does not depend on the Worker of another request that has just ended", async ({ expect }) => {
    const here = await scene();
    const terminal = await connected(here);
    const first = here.till.sale();
    const request = await terminal.nextRequest();
    await waitsAt(here, 1);
    const detached = here.till.saleBody();
    await here.till.transfer(detached, AT_ONCE);
    terminal.accept(request);
    here.approve(terminal, request);
    expect((await first).body.statusCode).toBe("00");
    await waitsAt(here, 0);
    // It was sent in that moment, and nobody waits for it.
    await terminal.nextRequest();
    expect(await alarmOf(here.terminal)).toBe(Date.now() + 10 * SECOND);
  });
});

describe("a request that nobody waits for", () => {
  it("has an alarm for its near deadline", async ({ expect }) => {
    const here = await scene();
    const terminal = await connected(here);
    await here.till.transfer(here.till.saleBody(), AT_ONCE);
    await terminal.nextRequest();
    expect(await alarmOf(here.terminal)).toBe(Date.now() + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect(await terminal.closed()).toBe(4004);
  });
});
