/** The coordinator's sweeps through all terminals with a connection: it finds those that froze. */
import { abortAllDurableObjects, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, onTestFinished, vi } from "vitest";
import { Coordinator, Terminal } from "../../../../src/gateway/index.ts";
import {
  ASK_AFTER_RESTART,
  isAsked,
  nextSweep,
  Sweep,
  SWEEP_EVERY,
  STEP_OBJECTS,
  STEP_EVERY,
  STEP_RETRY,
} from "../../../../src/gateway/coordinator/sweep.ts";
import { coordinatorStub } from "../../../../src/gateway/coordinator/rpc.ts";
import { useFakeClock, waitForever } from "../../../support/clock.ts";
import { operator } from "../../../support/gateway.ts";
import type { Overview } from "../../../../src/protocol/schemas/operator-overview.ts";
import type { TerminalAnswer } from "../../../../src/protocol/schemas/operator.ts";
import { useAccount } from "../../../support/scene.ts";
import { eventually } from "../../../support/patience.ts";
import { SCANNED_ROWS } from "../../../../src/gateway/d1/listing.ts";

useFakeClock();
const scene = useAccount();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
async function overview(): Promise<Overview> {
  return (await operator<Overview>("GET", "/operator/overview")).body;
}

async function connected(): Promise<number> {
  return (await overview()).terminals.connected;
}

async function coordinatorAlarm(): Promise<number> {
  const stub = env.COORDINATOR.getByName("coordinator");
  return runInDurableObject(stub, async (_object, { storage }) => (await storage.getAlarm()) ?? 0);
}

/**
 * The coordinator's next alarm, unless it is later than `until`.
 *
 * @param before what happens at that time, before it
 */
async function wakeCoordinator(until = Infinity, before = async () => {}): Promise<void> {
  const at = await coordinatorAlarm();
  if (at > until) return;
  if (at > Date.now()) vi.setSystemTime(at);
  await before();
  await runDurableObjectAlarm(env.COORDINATOR.getByName("coordinator"));
}

async function listed(query: string): Promise<Pick<TerminalAnswer, "terminalId" | "offlineSince">[]> {
  const { body } = await operator<{ data: TerminalAnswer[] }>("GET", `/operator/terminals?${query}`);
  return body.data.map(({ terminalId, offlineSince }) => ({ terminalId, offlineSince }));
}

describe("a sweep", () => {
  it("finds a terminal that froze, and later that it is back", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await coordinatorStub(env).watch();
    expect(await connected()).toBe(1);
    const froze = Date.now();
    await eventually(async () => {
      await wakeCoordinator();
      expect(await connected()).toBe(0);
    });
    expect(Date.now() - froze).toBeLessThan(20 * MINUTE);
    const { terminalId } = here.terminal;
    expect(await listed("connected=false")).toContainEqual(expect.objectContaining({ terminalId }));
    connection.send("pong");
    await eventually(async () => expect(await connected()).toBe(1));
    await operator("DELETE", `/operator/terminals/${terminalId}`);
  });

  it("asks every terminal once, page after page", async ({ expect }) => {
    const here = await scene();
    await here.connect();
    await coordinatorStub(env).watch();
    const { terminalId } = here.terminal;
    await eventually(async () => expect(await connected()).toBe(1));
    // As many of another name that are there, but for their objects.
    await env.DATABASE.prepare(
      `WITH RECURSIVE others (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM others WHERE number < ?1)
       INSERT INTO terminals SELECT '- ' || number, is_vt, merchant_id, name, status, created_at, sealed_under,
         version, bound_pos_id, connected, silent, offline_since, last_heartbeat
       FROM terminals, others WHERE terminal_id = ?2`,
    )
      .bind(STEP_OBJECTS, terminalId)
      .run();
    expect(await connected()).toBe(STEP_OBJECTS + 1);
    const asked = vi.spyOn(Terminal.prototype, "status");
    onTestFinished(() => asked.mockRestore());
    const pauses: number[] = [];
    await eventually(async () => {
      await wakeCoordinator();
      pauses.push((await coordinatorAlarm()) - Date.now());
      expect(await connected()).toBe(STEP_OBJECTS);
    });
    expect(asked).toHaveBeenCalledTimes(STEP_OBJECTS + 1);
    expect(Math.min(...pauses)).toBe(STEP_EVERY);
    await env.DATABASE.exec("DELETE FROM terminals WHERE terminal_id LIKE '- %'");
    await operator("DELETE", `/operator/terminals/${terminalId}`);
  });

  it("asks for one page at a time, however long D1 takes", async ({ expect }) => {
    waitForever();
    await coordinatorStub(env).watch();
    const all = vi.spyOn(Object.getPrototypeOf(env.DATABASE.prepare("SELECT 1")) as D1PreparedStatement, "all");
    onTestFinished(() => all.mockRestore());
    const { promise: slow, reject } = Promise.withResolvers<never>();
    slow.catch(() => undefined);
    all.mockReturnValue(slow);
    await eventually(async () => {
      await wakeCoordinator();
      expect(all).toHaveBeenCalled();
    });
    for (let alarms = 0; alarms < 3; alarms++) await wakeCoordinator();
    expect(all).toHaveBeenCalledOnce();
    reject(new Error("D1 does not answer"));
  });

  it("begins every quarter of an hour, and asks hourly at night", ({ expect }) => {
    const midnight = Date.parse("2031-05-10T00:00:00Z");
    expect(nextSweep(midnight)).toBe(midnight + SWEEP_EVERY);
    expect(nextSweep(midnight + 1)).toBe(midnight + SWEEP_EVERY);
    const asked = (timezone: string | null): number[] => {
      const sweeps: number[] = [];
      for (let at = midnight; at < midnight + 24 * HOUR; at = nextSweep(at)) {
        if (isAsked(timezone, at)) sweeps.push((at - midnight) / HOUR);
      }
      return sweeps;
    };
    expect(asked("UTC")).toHaveLength(6 + 18 * 4);
    expect(asked(null).slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 6.25]);
    // Midnight in Kuala Lumpur is four in the afternoon.
    expect(asked("Asia/Kuala_Lumpur").slice(62, 67)).toEqual([15.5, 15.75, 16, 17, 18]);
  });
});

/** @param changes of the environment */
function sweepAt(at: number, changes: object = {}) {
  const steps: Promise<unknown>[] = [];
  const over = vi.fn();
  const context = { waitUntil: (work: Promise<unknown>) => void steps.push(work) };
  const sweep = new Sweep({ env: { ...env, ...changes }, context, sweepAt: () => at, over });
  const step = async (now: number): Promise<void> => {
    sweep.start(now);
    await Promise.all(steps.splice(0));
  };
  return { sweep, step, over };
}

/** The only one. @returns the calls that ask it */
async function connectedTerminal() {
  await env.DATABASE.exec("DELETE FROM terminals");
  const here = await scene();
  await here.connect();
  await eventually(async () => {
    if ((await connected()) !== 1) throw new Error("D1 does not know it yet");
  });
  const asked = vi.spyOn(Terminal.prototype, "status");
  onTestFinished(async () => {
    asked.mockRestore();
    await operator("DELETE", `/operator/terminals/${here.terminal.terminalId}`);
  });
  return asked;
}

describe("a step of a sweep", () => {
  it("asks a terminal only hourly while it is night there", async ({ expect }) => {
    const asked = await connectedTerminal();
    // Midnight in Kuala Lumpur.
    const night = Date.parse("2031-05-10T16:00:00Z");
    await sweepAt(night + SWEEP_EVERY).step(night + SWEEP_EVERY);
    expect(asked).not.toHaveBeenCalled();
    await sweepAt(night + HOUR).step(night + HOUR);
    expect(asked).toHaveBeenCalledOnce();
  });

  it("is followed by another if it finds no connection among many", async ({ expect }) => {
    const asked = await connectedTerminal();
    await env.DATABASE.prepare(
      `WITH RECURSIVE others (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM others WHERE number < ?)
       INSERT INTO terminals (terminal_id, is_vt, status, created_at, sealed_under)
       SELECT '- ' || number, 0, 'enrolled', 0, 'k' FROM others`,
    )
      .bind(SCANNED_ROWS)
      .run();
    const now = Date.now();
    const { step, over } = sweepAt(now);
    await step(now);
    expect([asked.mock.calls.length, over.mock.calls.length]).toEqual([0, 0]);
    await step(now + STEP_EVERY);
    expect([asked.mock.calls.length, over.mock.calls.length]).toEqual([1, 1]);
    await env.DATABASE.exec("DELETE FROM terminals WHERE terminal_id LIKE '- %'");
  });

  it("is repeated later if D1 fails", async ({ expect }) => {
    const now = Date.now();
    const { sweep, step } = sweepAt(now, { DATABASE: null });
    await step(now);
    expect(sweep.nextDeadline()).toBe(now + STEP_RETRY);
  });

  it("is not put off by a look at D1 when due", async ({ expect }) => {
    await coordinatorStub(env).watch();
    const asked = await connectedTerminal();
    await eventually(async () => {
      vi.setSystemTime(nextSweep(Date.now()) + MINUTE);
      await coordinatorStub(env).watch();
      expect(asked).toHaveBeenCalled();
    });
  });
});

describe("a restart of the gateway", () => {
  it("is followed by a sweep through all terminals, also at night", async ({ expect }) => {
    const here = await scene();
    await here.connect();
    await coordinatorStub(env).watch();
    await eventually(async () => expect(await connected()).toBe(1));
    // The minute after a quarter of an hour that is no full one, at night in the account's zone: no sweep asks it.
    const night = new Date(Date.now() + 24 * HOUR);
    night.setUTCHours(18, 16, 0, 0);
    vi.setSystemTime(night);
    await abortAllDurableObjects();
    Coordinator.hasRun = false;
    expect(await connected()).toBe(1);
    await eventually(async () =>
      expect((await coordinatorAlarm()) - Date.now()).toBeLessThanOrEqual(ASK_AFTER_RESTART),
    );
    await wakeCoordinator();
    await eventually(async () => {
      await here.pass(10_000);
      expect(await connected()).toBe(0);
    });
    expect(Date.now() - night.getTime()).toBeLessThan(5 * MINUTE);
    const { terminalId } = here.terminal;
    const [row] = (await listed("connected=false")).filter((one) => one.terminalId === terminalId);
    expect(Date.parse(row?.offlineSince ?? "")).toBeLessThanOrEqual(night.getTime() + MINUTE);
    await operator("DELETE", `/operator/terminals/${terminalId}`);
  });

  it("is not assumed if only the coordinator slept", async ({ expect }) => {
    await coordinatorStub(env).watch();
    await abortAllDurableObjects();
    await overview();
    await eventually(async () => expect(await coordinatorAlarm()).toBeGreaterThan(0));
    expect((await coordinatorAlarm()) % SWEEP_EVERY).toBe(0);
  });
});
