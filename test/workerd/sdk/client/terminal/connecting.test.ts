import { afterEach, describe, it, vi } from "vitest";
import { hasValidSignature } from "../../../../../src/sdk/client/signature.ts";
import { type HeldRequest, MemoryStore, type TerminalStore } from "../../../../../src/sdk/client/terminal.ts";
import { OPEN_REQUESTS } from "../../../../../src/protocol/limits.ts";
import { hello as helloFrame } from "../../../../../src/protocol/terminal-frames.ts";
import { isTrue, OWNER, refusal, ScriptedGateway, SECRET } from "../../../../support/scripted-gateway.ts";
import { eventually } from "../../../../support/patience.ts";

afterEach(() => {
  vi.useRealTimers();
});

/** A request about which the host has not given an answer; the gateway has acknowledged its 22. */
function pendingAtHost(requestId: string): HeldRequest {
  const request = {
    requestId,
    transType: "sale",
    posId: "POS-1",
    merchantId: "M-1",
    referenceId: `R-${requestId}`,
    currency: "MYR",
    transId: requestId,
    transData: { transAmt: "1.00", paymentMethod: "bankCard" },
    deliverBy: 0,
    respondBy: 0,
  } as const;
  return { request, stage: "at-host", result: { statusCode: "22", responseCode: "09" }, acknowledged: true };
}

function mistake(): never {
  throw new Error("a mistake of the maker");
}

describe("a terminal that connects", () => {
  it("logs in with a signed message and never sends its secret", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client } = await gateway.connected();
    const [login] = gateway.calls;
    expect(login?.path).toBe("/terminal/login");
    expect(Object.keys(login?.body ?? {}).toSorted()).toEqual(["datetime", "nonce", "signature", "terminalId"]);
    expect(await hasValidSignature(JSON.parse(JSON.stringify(login?.body)), SECRET)).toBe(true);
    expect(JSON.stringify(gateway.calls)).not.toContain(SECRET);
    await client.stop();
  });

  it("signs each login again, even after a lost answer", async ({ expect }) => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const gateway = new ScriptedGateway();
    gateway.logins.push(Response.error());
    gateway.logins.push(refusal(503, { message: "later" }));
    const { client } = await gateway.connected();
    const logins = gateway.calls.map(({ body }) => body);
    expect(logins).toHaveLength(3);
    expect(new Set(logins.map(({ datetime }) => datetime)).size).toBe(1);
    expect(new Set(logins.map(({ nonce }) => nonce)).size).toBe(3);
    expect(new Set(logins.map(({ signature }) => signature)).size).toBe(3);
    for (const { nonce } of logins) expect(nonce).toMatch(/^[\w-]{16,64}$/);
    await client.stop();
  });

  it("rejects who waits after a wrong secret, and connects later", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    gateway.logins.push(refusal(401, { message: "no" }));
    const client = gateway.client({ onEvent: () => undefined });
    await client.start();
    await expect(client.connected()).rejects.toThrow("terminalId or secret is wrong: the gateway refused the login.");
    const connected = client.connected();
    await (await gateway.connection()).greet();
    await connected;
    await client.stop();
    await expect(client.connected()).rejects.toThrow("The terminal was stopped.");
  });

  it("lets nobody wait before it starts or after it stops", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const client = gateway.client();
    await expect(client.connected()).rejects.toThrow("The terminal is not started. Call start() first.");
    await client.start();
    const stopping = new AbortController();
    const { signal } = stopping;
    const waiting = [client.connected({ signal }), client.connected()];
    const outcomes = Promise.allSettled(waiting);
    stopping.abort(new Error("given up"));
    await expect(client.connected({ signal })).rejects.toThrow("given up");
    await client.stop();
    const reasons = (await outcomes).map((one) => (one.status === "rejected" ? String(one.reason) : "connected"));
    expect(reasons).toEqual(["Error: given up", "Error: The terminal was stopped."]);
  });

  it("does not start without its memory", async ({ expect }) => {
    const store = { load: () => Promise.reject(new Error("disk broken")), save: async () => undefined };
    await expect(new ScriptedGateway().client({ store }).start()).rejects.toThrow("disk broken");
  });

  it("leaves its store to others if it does not start", async ({ expect }) => {
    const did: string[] = [];
    const store: TerminalStore = {
      load: async () => null,
      save: () => Promise.reject(new Error("disk full")),
      close: async () => void did.push("closed"),
    };
    await expect(new ScriptedGateway().client({ store }).start()).rejects.toThrow("disk full");
    expect(did).toEqual(["closed"]);
  });

  it("goes on if onEvent throws, which is logged", async ({ expect }) => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const gateway = new ScriptedGateway();
    const { client } = await gateway.connected({ onEvent: mistake });
    expect(logged).toHaveBeenCalledWith("onEvent failed:", new Error("a mistake of the maker"));
    await client.stop();
    logged.mockRestore();
  });

  it("says why it cannot reach the gateway", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const cause = new TypeError("connection refused");
    const client = gateway.client({ fetch: () => Promise.reject(cause) });
    expect(await client.bind("7K3M-9QXT")).toMatchObject({ ok: false, error: { kind: "unreachable", cause } });
  });

  it("sends protocol and token where browsers can, not in the address", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const addresses: string[] = [];
    const client = gateway.client({
      openSocket: (url, protocols) => {
        addresses.push(url);
        return gateway.openSocket(url, protocols);
      },
    });
    await client.start();
    expect((await gateway.connection()).protocols).toEqual(["pos-terminal.v1", "token-1"]);
    expect(addresses).toEqual(["wss://gateway.test/terminal/connect"]);
    await client.stop();
  });

  it("answers welcome with a signed hello that repeats the nonce", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, hello } = await gateway.connected({}, { nonce: "nonce-7" });
    expect(hello).toMatchObject({ nonce: "nonce-7", softwareVersion: "1.0", terminalSn: "SN-1", open: [] });
    expect(await isTrue(hello)).toBe(true);
    await client.stop();
  });

  it("keeps its memory's id from one connection to the next", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection, hello } = await gateway.connected();
    connection.end();
    const second = await (await gateway.connection()).greet();
    expect(second["memory"]).toBe(hello["memory"]);
    await client.stop();
  });

  it.for([
    [{ terminalId: "T-2" }, "belongs to terminal T-2 at https://gateway.test, not to T-1 at https://gateway.test"],
    [{ gateway: "https://other.test" }, "belongs to terminal T-1 at https://other.test, not to T-1 at https://gateway"],
  ] as const)(
    "refuses the store of another terminal or gateway before it connects: %j",
    async ([other, why], { expect }) => {
      const store = new MemoryStore();
      await store.save({ ...OWNER, ...other, memory: "memory-1", highestAccepted: null, held: [] });
      const gateway = new ScriptedGateway();
      const fetch = vi.fn();
      await expect(gateway.client({ store, fetch }).start()).rejects.toThrow(why);
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it("lists its newest pending requests within the gateway's limit", async ({ expect }) => {
    const numbers = Array.from({ length: OPEN_REQUESTS + 5 }, (_, index) => String(1_000_000_000 + index));
    const store = new MemoryStore();
    await store.save({
      ...OWNER,
      memory: "memory-1",
      highestAccepted: numbers.at(-1) ?? null,
      held: numbers.map(pendingAtHost),
    });
    const gateway = new ScriptedGateway();
    const { client, hello } = await gateway.connected({ store });
    expect(hello["open"]).toEqual(numbers.slice(5));
    expect(helloFrame.safeParse(hello).success).toBe(true);
    await client.stop();
  });

  it("gets the time from the gateway's refusal with a dead clock", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    gateway.logins.push(refusal(400, { message: "too far off", serverTime: Date.UTC(2031, 1, 2, 3, 4, 5) }));
    const client = gateway.client();
    await client.start();
    await gateway.connection();
    expect(gateway.calls[1]?.body["datetime"]).toMatch(/^20310202T0304/);
    await client.stop();
  });

  it("keeps trying, slowly, when its login is refused", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    gateway.logins.push(refusal(401, { message: "no" }));
    const client = gateway.client({ reconnect: { first: 0, longest: 5 } });
    await client.start();
    await gateway.connection();
    expect(gateway.events[0]).toMatchObject({ kind: "login-failed", problem: { kind: "login-refused" } });
    expect(gateway.events[1]).toMatchObject({ kind: "disconnected", reconnectInMs: 5 });
    await client.stop();
  });

  it("reconnects later than the gateway asked, at a random time", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    gateway.logins.push(refusal(429, { message: "too many" }, { "Retry-After": "60" }));
    const client = gateway.client({ random: () => 0.4 });
    await client.start();
    await eventually(() =>
      expect(gateway.events.at(-1)).toMatchObject({ kind: "disconnected", reconnectInMs: 66_000 }),
    );
    await client.stop();
  });

  it("gets its account from welcome and from binding frames", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({}, { posId: null, merchantId: null });
    expect(client.binding.posId).toBeNull();
    const binding = { posId: "POS-2", merchantId: "M-2", currency: "SGD", timezone: "Asia/Singapore" };
    connection.sendFrame({ type: "binding", ...binding });
    await eventually(() => expect(client.binding).toEqual(binding));
    await client.stop();
  });

  it("binds with a key, in a message that it signs", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const client = gateway.client();
    expect(await client.bind("7K3M-9QXT")).toEqual({ ok: true, value: { posId: "POS-1", merchantId: "M-1" } });
    const bind = gateway.calls.at(-1);
    expect(bind).toMatchObject({ path: "/terminal/bind", body: { key: "7K3M-9QXT" } });
    expect(Object.keys(bind?.body ?? {}).toSorted()).toEqual(["datetime", "key", "nonce", "signature"]);
    expect(await hasValidSignature(JSON.parse(JSON.stringify(bind?.body)), SECRET)).toBe(true);
  });

  it("signs a bind again with the gateway's time", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    gateway.binds.push(refusal(400, { message: "too far off", serverTime: Date.UTC(2031, 1, 2, 3, 4, 5) }));
    expect(await gateway.client().bind("7K3M-9QXT")).toMatchObject({ ok: true });
    expect(gateway.calls.map(({ path }) => path)).toEqual(["/terminal/login", "/terminal/bind", "/terminal/bind"]);
    expect(gateway.calls[2]?.body["datetime"]).toMatch(/^20310202T0304/);
  });

  it("reports the message of an invalid field instead of the general one", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const details = [{ path: "terminalId", message: "Send 1 to 100 letters, digits, '.', '_' or '-'." }];
    gateway.logins.push(refusal(400, { message: "The request is not valid.", details }));
    expect(await gateway.client().bind("7K3M-9QXT")).toEqual({
      ok: false,
      error: { kind: "rejected", status: 400, message: details[0]?.message },
    });
  });

  it("refuses plain http to another machine", ({ expect }) => {
    const gateway = new ScriptedGateway();
    expect(() => gateway.client({ baseUrl: "http://gateway.test" })).toThrow("https");
    expect(() => gateway.client({ baseUrl: "http://127.0.0.1:8787" })).not.toThrow();
  });
});

describe("a terminal's connection", () => {
  it("answers the gateway's ping at once, even while it processes a frame", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const never = new Promise<never>(() => undefined);
    const store = { load: async () => ({ ...OWNER, memory: "m", highestAccepted: null, held: [] }), save: () => never };
    const { connection } = await gateway.connected({ store });
    await connection.request();
    connection.say("ping");
    expect(await connection.texts.take("pong")).toBe("pong");
    expect(connection.frames.waiting).toEqual([]);
  });

  it("is closed after two unanswered pings", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(connection.texts.waiting).toEqual(["ping"]);
    connection.say("pong");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(connection.texts.waiting).toEqual(["ping", "ping", "ping"]);
    expect(connection.closedWith).toBeNull();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(connection.closedWith).toBe(3000);
    await vi.advanceTimersByTimeAsync(1);
    await gateway.connection();
    await client.stop();
  });

  it("has one heartbeat, and sends nothing once it closes", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    await connection.greet();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(connection.texts.waiting).toEqual(["ping"]);
    connection.readyState = 2;
    connection.say("ping");
    await vi.advanceTimersByTimeAsync(30_000);
    expect(connection.texts.waiting).toEqual(["ping"]);
    await client.stop();
  });

  it("waits a minute after another device takes its place, and reports that", async ({ expect }) => {
    vi.useFakeTimers();
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    connection.end(4001);
    await eventually(() =>
      expect(gateway.events.at(-1)).toMatchObject({ kind: "disconnected", reconnectInMs: 60_000 }),
    );
    expect(gateway.events).toContainEqual({ kind: "replaced" });
    await vi.advanceTimersByTimeAsync(60_000);
    await gateway.connection();
    await client.stop();
  });

  it("is replaced after the machine slept", async ({ expect }) => {
    vi.useFakeTimers();
    let slept = 0;
    const clocks = { monotonic: () => performance.now(), wall: () => Date.now() + slept };
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected({ clocks });
    slept = 3_600_000;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(connection.closedWith).toBe(3002);
    await client.stop();
  });

  it("survives frames that make no sense", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const { client, connection } = await gateway.connected();
    for (const text of ["", "null", "[]", "{", '{"type":"dance"}', '{"type":"ack","requestId":7,"statusCode":"00"}']) {
      connection.say(text);
    }
    connection.sendFrame({ type: "cancel", requestId: "1000000009", attempt: 3 });
    expect(await connection.frame("refused")).toMatchObject({ reason: "unknown" });
    expect(gateway.events.filter(({ kind }) => kind === "bad-frame")).toHaveLength(6);
    await client.stop();
  });

  it("starts only when the earlier one has ended completely", async ({ expect }) => {
    const gateway = new ScriptedGateway();
    const stored = Promise.withResolvers<void>();
    const saves: unknown[] = [];
    const store = {
      load: async () => ({ ...OWNER, memory: "m", highestAccepted: null, held: [] }),
      save: async (memory: unknown) => {
        saves.push(memory);
        await stored.promise;
      },
    };
    const { client, connection } = await gateway.connected({ store });
    await connection.request();
    await eventually(() => expect(saves).toHaveLength(1));
    connection.end();
    await connection.request({ requestId: "1000000002" });
    expect(gateway.events.some(({ kind }) => kind === "disconnected")).toBe(false);
    stored.resolve();
    const hello = await (await gateway.connection()).greet();
    expect(hello["open"]).toEqual(["1000000001"]);
    expect(connection.frames.waiting).toEqual([]);
    await client.stop();
  });
});
