/** The keeper's rounds through all terminals with a connection: it finds those that froze. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it, vi } from "vitest";
import { ROUND_EVERY, isAsked, nextRound } from "../../src/keeper/round.ts";
import { keeperStub } from "../../src/rpc/keeper.ts";
import { useFakeClock } from "../support/clock.ts";
import { operator } from "../support/gateway.ts";
import { useAccount } from "../support/scene.ts";
import { eventually } from "../support/patience.ts";

useFakeClock();
const scene = useAccount();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Overview {
  terminals: { connected: number };
}

async function connected(): Promise<number> {
  return (await operator<Overview>("GET", "/operator/overview")).body.terminals.connected;
}

/** The keeper's next alarm. */
async function wakeKeeper(): Promise<void> {
  const stub = env.KEEPER.getByName("keeper");
  const at = await runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());
  if (at !== null && at > Date.now()) vi.setSystemTime(at);
  await runDurableObjectAlarm(stub);
}

describe("a round", () => {
  it("finds a terminal that froze with its connection open, and later that it is heard again", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    await keeperStub(env).tick();
    expect(await connected()).toBe(1);
    const froze = Date.now();
    await eventually(async () => {
      await wakeKeeper();
      expect(await connected()).toBe(0);
    });
    expect(Date.now() - froze).toBeLessThan(20 * MINUTE);
    const { body } = await operator<{ data: { terminalId: string }[] }>("GET", "/operator/terminals?connected=false");
    expect(body.data.map(({ terminalId }) => terminalId)).toContain(here.terminal.terminalId);
    connection.send("pong");
    await eventually(async () => expect(await connected()).toBe(1));
  });

  it("begins every quarter of an hour, and asks a terminal hourly while it is night there", ({ expect }) => {
    const midnight = Date.parse("2031-05-10T00:00:00Z");
    expect(nextRound(midnight)).toBe(midnight + ROUND_EVERY);
    expect(nextRound(midnight + 1)).toBe(midnight + ROUND_EVERY);
    const asked = (timezone: string | null): number[] => {
      const rounds: number[] = [];
      for (let at = midnight; at < midnight + 24 * HOUR; at = nextRound(at)) {
        if (isAsked(timezone, at)) rounds.push((at - midnight) / HOUR);
      }
      return rounds;
    };
    expect(asked("UTC")).toHaveLength(6 + 18 * 4);
    expect(asked(null).slice(0, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 6.25]);
    // Midnight in Kuala Lumpur is four in the afternoon.
    expect(asked("Asia/Kuala_Lumpur").slice(62, 67)).toEqual([15.5, 15.75, 16, 17, 18]);
  });
});
