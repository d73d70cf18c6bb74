/** How a terminal's connection is kept, lost and opened again. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { signMessage } from "../../../../../src/sdk/client/signature.ts";
import { MemoryStore, type TerminalClientOptions, type TerminalEvent } from "../../../../../src/sdk/client/terminal.ts";
import { HELLO_WITHIN } from "../../../../../src/protocol/limits.ts";
import { eventually } from "../../../../support/patience.ts";
import {
  requestFrame,
  ScriptedConnection,
  ScriptedGateway,
  SECRET,
  welcome,
} from "../../../../support/scripted-gateway.ts";
import { CLOCKS_DISAGREE } from "../../../../../src/sdk/client/terminal/link.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** How a connection ended, and the wait that followed. */
function endings(events: readonly TerminalEvent[]): [code: number, reason: string, wait: number][] {
  return events.flatMap((event) =>
    event.kind === "disconnected" ? [[event.code, event.reason, event.reconnectInMs] as const] : [],
  ) as [number, string, number][];
}

/** So many connections have ended: only then it waits for the next one. */
async function ended({ events }: ScriptedGateway, count: number): Promise<void> {
  await eventually(() => {
    if (endings(events).length < count) throw new Error(`${count} endings; there are ${JSON.stringify(events)}`);
  });
}

const BACKOFF = { random: () => 0.5, reconnect: { first: 1_000, longest: 8_000 } };

function logins(gateway: ScriptedGateway): number {
  return gateway.calls.filter(({ path }) => path === "/terminal/login").length;
}

async function started(gateway: ScriptedGateway, options: Partial<TerminalClientOptions> = {}) {
  const client = gateway.client(options);
  await client.start();
  return client;
}

describe("a connection that ends without a code", () => {
  it("counts as broken, so that the terminal reconnects", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected(BACKOFF);
    connection.end();
    await ended(gateway, 1);
    expect(endings(gateway.events)).toEqual([[1006, "", 500]]);
    expect(gateway.events.map(({ kind }) => kind)).toEqual(["connected", "disconnected"]);
    await client.stop();
  });
});

describe("the wait before a terminal connects again", () => {
  it.for([
    [BACKOFF, [500, 1_000, 2_000, 4_000, 4_000]],
    [{ random: () => 1, reconnect: undefined }, [10_000, 20_000, 40_000, 60_000, 60_000]],
  ] as const)(
    "doubles with each failure, and restarts after a ready connection",
    async ([options, waits], { expect }) => {
      const gateway = new ScriptedGateway();
      let isDown = true;
      const fetch: TerminalClientOptions["fetch"] = (request) =>
        isDown ? Promise.reject(new TypeError("connection refused")) : gateway.fetch(request);
      const client = await started(gateway, { ...options, fetch });
      for (const [index, wait] of waits.entries()) {
        await ended(gateway, index + 1);
        expect(endings(gateway.events).at(-1)).toEqual([1006, "login failed", wait]);
        if (index === 4) isDown = false;
        await vi.advanceTimersByTimeAsync(wait);
      }
      const connection = await gateway.connection();
      await connection.greet();
      await client.connected();
      connection.end(4004);
      await ended(gateway, 6);
      expect(endings(gateway.events).at(-1)).toEqual([4004, "", waits[0]]);
      await client.stop();
    },
  );
});

describe("a connection", () => {
  it("is tried again with another token after growing waits", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    let tries = 0;
    const client = await started(gateway, {
      ...BACKOFF,
      openSocket: (url, protocols) => {
        tries += 1;
        if (tries <= 2) throw new TypeError("no network");
        return gateway.openSocket(url, protocols);
      },
    });
    const waits = [500, 1_000];
    for (const [index, wait] of waits.entries()) {
      await ended(gateway, index + 1);
      await vi.advanceTimersByTimeAsync(wait);
    }
    await (await gateway.connection()).greet();
    await client.connected();
    expect(endings(gateway.events)).toEqual(waits.map((wait) => [1006, "could not be opened", wait]));
    expect(logins(gateway)).toBe(3);
    await client.stop();
  });

  it("needs another login only if it never became ready", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const client = await started(gateway);
    const first = await gateway.connection();
    first.sendFrame(welcome());
    await first.frame("hello");
    first.end(4003);
    await vi.advanceTimersByTimeAsync(0);
    const second = await gateway.connection();
    expect(logins(gateway)).toBe(2);
    await second.greet();
    await client.connected();
    second.end();
    await vi.advanceTimersByTimeAsync(0);
    const third = await gateway.connection();
    expect(logins(gateway)).toBe(2);
    const order: string[] = [];
    const connected = client.connected().then(() => order.push("connected"));
    await third.greet();
    order.push("greeted");
    await connected;
    expect(order).toEqual(["greeted", "connected"]);
    await client.stop();
  });

  it.for([
    ["welcome", false, 3001],
    ["ready", true, 3001],
    ["nothing else", null, null],
  ] as const)("is given up after twenty seconds without %s: %s", async ([, isWelcome, code], { expect }) => {
    const gateway = new ScriptedGateway();
    const client = await started(gateway);
    const connection = await gateway.connection();
    if (isWelcome === null) await connection.greet();
    else if (isWelcome) {
      connection.sendFrame(welcome());
      await connection.frame("hello");
    }
    await vi.advanceTimersByTimeAsync(2 * HELLO_WITHIN - 1);
    expect(connection.closedWith).toBeNull();
    await vi.advanceTimersByTimeAsync(1);
    expect(connection.closedWith).toBe(code);
    if (code !== null) expect(endings(gateway.events)[0]?.slice(0, 2)).toEqual([3001, "no welcome or ready in time"]);
    await client.stop();
  });

  it.for<[string, (connection: ScriptedConnection) => void]>([
    ["an error of the platform", (connection) => connection.fail()],
    [
      "a text that cannot be sent",
      (connection) => {
        connection.send = () => {
          throw new Error("closing");
        };
        connection.say("ping");
      },
    ],
  ])("is opened again after %s, and reads nothing more", async ([, end], { expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    const request = await signMessage(requestFrame(), SECRET);
    // It has come, and is not read yet.
    connection.sendFrame(request);
    end(connection);
    connection.sendFrame(request);
    await ended(gateway, 1);
    await vi.advanceTimersByTimeAsync(0);
    const next = await gateway.connection();
    expect((await next.greet())["open"]).toEqual([]);
    expect(endings(gateway.events)).toEqual([[1006, "", 0]]);
    await client.stop();
  });

  it("is opened again if it ended before it was there", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    let tries = 0;
    const client = await started(gateway, {
      openSocket: (url, protocols) => {
        tries += 1;
        if (tries > 1) return gateway.openSocket(url, protocols);
        const closed = new ScriptedConnection(protocols);
        closed.readyState = 2;
        return closed;
      },
    });
    await ended(gateway, 1);
    await vi.advanceTimersByTimeAsync(0);
    await gateway.connection();
    expect(endings(gateway.events)).toEqual([[1006, "", 0]]);
    await client.stop();
  });

  it("ends with its platform's code, and with 1006 if that has none", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    connection.tell("close", { type: "close", reason: "bye" });
    await vi.advanceTimersByTimeAsync(0);
    expect(endings(gateway.events)).toEqual([[1006, "bye", 0]]);
    await client.stop();
  });

  it("is closed by a stop, also while it is being opened", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await client.start();
    await client.stop();
    expect([connection.closedWith, connection.closedFor, logins(gateway)]).toEqual([1000, "", 1]);
    // Nothing keeps a program from ending.
    expect(vi.getTimerCount()).toBe(0);

    const opening = Promise.withResolvers<ScriptedConnection>();
    const asked = Promise.withResolvers<void>();
    const other = await started(gateway, {
      openSocket: () => {
        asked.resolve();
        return opening.promise;
      },
    });
    await asked.promise;
    const stopped = other.stop();
    const late = new ScriptedConnection([]);
    opening.resolve(late);
    await stopped;
    expect([late.closedWith, late.closedFor]).toEqual([1000, ""]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(endings(gateway.events)).toEqual([]);
  });

  it("is stopped even if it cannot be closed any more", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    connection.close = () => {
      throw new Error("closed");
    };
    await client.stop();
    expect(endings(gateway.events)).toEqual([]);
  });

  it("has the heartbeat of its last welcome", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({}, { heartbeatSeconds: 7 });
    for (let times = 0; times < 6; times++) {
      await vi.advanceTimersByTimeAsync(6_999);
      expect(connection.texts.waiting).toHaveLength(times);
      await vi.advanceTimersByTimeAsync(1);
      expect(connection.texts.waiting).toHaveLength(times + 1);
      connection.say("anything");
    }
    expect(connection.closedWith).toBeNull();
    await vi.advanceTimersByTimeAsync(7_000);
    await connection.greet({ heartbeatSeconds: 30 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connection.closedWith).toBeNull();
    await vi.advanceTimersByTimeAsync(30_000);
    expect([connection.closedWith, endings(gateway.events)[0]?.[1]]).toEqual([3000, "two unanswered pings"]);
    await client.stop();
  });

  it.for<[number, number | null]>([
    [CLOCKS_DISAGREE, null],
    [CLOCKS_DISAGREE + 1, 3002],
    [-CLOCKS_DISAGREE, null],
    [-CLOCKS_DISAGREE - 1, 3002],
  ])("is replaced if clocks differ by more than two seconds: %i ms", async ([difference, code], { expect }) => {
    let set = 0;
    const clocks = { monotonic: () => performance.now(), wall: () => Date.now() + set };
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({ clocks });
    set = difference;
    await vi.advanceTimersByTimeAsync(30_000);
    expect([connection.closedWith, connection.texts.waiting]).toEqual([code, ["ping"]]);
    if (code !== null) expect(endings(gateway.events)[0]?.[1]).toBe("the clock was set");
    await client.stop();
  });

  it("takes the gateway's time again at least hourly", async ({ expect }) => {
    // Four seconds an hour, so that hours show what days do to a usual clock.
    const fast = 4_000 / 3_600_000;
    const from = { monotonic: performance.now(), wall: Date.now() };
    const clocks = {
      monotonic: () => performance.now() + (performance.now() - from.monotonic) * fast,
      wall: () => Date.now() + (Date.now() - from.wall) * fast,
    };
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({ clocks });
    const before = logins(gateway);
    for (let minutes = 0; minutes < 4 * 60; minutes += 0.5) {
      await vi.advanceTimersByTimeAsync(30_000);
      connection.say("pong");
    }
    expect(logins(gateway) - before).toBeGreaterThanOrEqual(4);
    await connection.request();
    expect(await connection.frame("accepted")).toMatchObject({ requestId: "1000000001" });
    expect(connection.closedWith).toBeNull();
    await client.stop();
  });

  it("takes the gateway's time at an expired refusal, minutely at most", async ({ expect }) => {
    let set = 0;
    const clocks = { monotonic: () => performance.now(), wall: () => Date.now() + set };
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({ clocks });
    const before = logins(gateway);
    set = 3_600_000;
    await connection.request();
    expect(await connection.frame("refused")).toMatchObject({ reason: "expired" });
    await eventually(() => expect(logins(gateway)).toBe(before + 1));
    await vi.advanceTimersByTimeAsync(0);
    await connection.request({ requestId: "1000000002" });
    expect(await connection.frame("accepted")).toMatchObject({ requestId: "1000000002" });
    for (const requestId of ["1", "2", "3"]) await connection.request({ requestId });
    await connection.frame("refused");
    expect([logins(gateway), connection.closedWith]).toEqual([before + 1, null]);
    await client.stop();
  });

  it("reports why it could not read what came", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    connection.tell("message", { type: "message", data: new Uint8Array(2) });
    connection.say("{");
    connection.say("[]");
    connection.sendFrame({ type: "ask", requestId: "1000000009", attempt: 1 });
    await connection.frame("refused");
    expect(gateway.events.slice(1)).toEqual([
      { kind: "bad-frame", why: "not a text" },
      { kind: "bad-frame", why: "not JSON" },
      { kind: "bad-frame", why: "not a JSON object" },
    ]);
    await client.stop();
  });
});

describe("a terminal's client", () => {
  it("reports whom it works for, at connection and after changes", async ({ expect }) => {
    const nobody = { posId: null, merchantId: null, currency: null, timezone: null };
    const somebody = { posId: "POS-2", merchantId: "M-2", currency: "SGD", timezone: "Asia/Singapore" };
    const gateway = new ScriptedGateway();
    const client = gateway.client();
    expect(client.binding).toEqual(nobody);
    await client.start();
    expect(client.binding).toEqual(nobody);
    const connection = await gateway.connection();
    await connection.greet(nobody);
    await client.connected();
    connection.sendFrame({ type: "binding", ...somebody, more: 1 });
    connection.sendFrame({ type: "ask", requestId: "1000000009", attempt: 1 });
    await connection.frame("refused");
    expect(gateway.events).toEqual([
      { kind: "connected", binding: nobody },
      { kind: "binding", binding: somebody },
    ]);
    expect(client.binding).toEqual(somebody);
    await client.stop();
  });

  it("waits only for its own AbortSignal, and refuses anything else", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const client = await started(gateway);
    for (const given of [{ signal: 7 }, { signal: {} }, { timeout: 7 }, null]) {
      await expect(client.connected(given as never)).rejects.toThrow(/^connected: /u);
    }
    const connection = await gateway.connection();
    await connection.greet();
    await client.connected();
    await client.connected({ signal: new AbortController().signal });
    await client.stop();
  });

  it("can be stopped without having started, and reports nothing", async ({ expect }) => {
    const store = new MemoryStore();
    const client = new ScriptedGateway().client({ store });
    await client.stop();
    await client.report("1000000001", { statusCode: "00", responseCode: "00" });
    expect(await store.load()).toBeNull();
  });
});
