/** A gateway that never answers does not block a POS or a terminal forever, even during garbage collection. */
import { createServer } from "node:http";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import { EndedEarly, withDeadline } from "../../../src/sdk/client/deadline.ts";
import { exchange } from "../../../src/sdk/client/pos/http.ts";
import { TerminalSession, TERMINAL_HTTP_WITHIN } from "../../../src/sdk/client/terminal/session.ts";

let server: Server;
let address: string;

beforeEach(async () => {
  server = createServer(() => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // The assertion: a server on a port has no other kind of address
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  vi.useRealTimers();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Collects garbage as often as a busy process would within minutes. */
function collecting(): () => void {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const timer = setInterval(collect, 20);
  return () => clearInterval(timer);
}

function platform(request: Request): Promise<Response> {
  return fetch(request);
}

describe("a call that is never answered", () => {
  it("ends in time at a POS, even when garbage is collected", async ({ expect }) => {
    const stop = collecting();
    const call = { method: "POST", path: "/api/transfer", body: {}, within: 400 } as const;
    const outcome = await exchange({ address, fetch: platform }, call);
    const stopped = await exchange({ address, fetch: platform }, { ...call, signal: new AbortController().signal });
    stop();
    expect(outcome).toMatchObject({ kind: "unavailable", taken: true, problem: { kind: "unreachable" } });
    expect(stopped).toMatchObject({ kind: "unavailable", taken: true, problem: { kind: "unreachable" } });
  });

  it("leaves no connection open that would keep a program from ending", async ({ expect }) => {
    const connections = new Set<Socket>();
    server.on("connection", (socket) => {
      connections.add(socket);
      socket.on("close", () => connections.delete(socket));
    });
    const stop = collecting();
    const outcome = await exchange(
      { address, fetch: platform },
      { method: "POST", path: "/api/transfer", body: {}, within: 400 },
    );
    stop();
    expect(outcome.kind).toBe("unavailable");
    await expect.poll(() => connections.size).toBe(0);
  });

  it("ends when its caller stops it", async ({ expect }) => {
    const controller = new AbortController();
    const { signal } = controller;
    server.once("request", () => controller.abort());
    const outcome = await exchange({ address, fetch: platform }, { method: "POST", path: "/x", signal });
    expect(outcome).toMatchObject({ kind: "unavailable", problem: { kind: "aborted" } });
  });

  it("ends in time at a terminal", async ({ expect }) => {
    vi.useFakeTimers();
    const credentials = { address, terminalId: "T-1", secret: "a secret" };
    const never = new Promise<Response>(() => undefined);
    const asked = Promise.withResolvers<void>();
    const session = new TerminalSession(
      credentials,
      () => {
        asked.resolve();
        return never;
      },
      { wall: () => 0, monotonic: () => 0 },
    );
    const token = session.token();
    await asked.promise;
    await vi.advanceTimersByTimeAsync(TERMINAL_HTTP_WITHIN);
    expect(await token).toMatchObject({
      ok: false,
      error: { kind: "unreachable", message: `The gateway at ${address} cannot be reached.` },
    });
  });
});

describe("a deadline", () => {
  it("lets work finish by itself", async ({ expect }) => {
    expect(await withDeadline(1_000, undefined, async () => 7)).toBe(7);
    await expect(withDeadline(1_000, undefined, () => Promise.reject(new Error("its own")))).rejects.toThrow("its own");
  });

  it("begins nothing when it has been stopped before", async ({ expect }) => {
    vi.useFakeTimers();
    const work = vi.fn(async () => 7);
    const ended = withDeadline(1_000, AbortSignal.abort(), work).catch((error: unknown) => error);
    expect(await Promise.race([ended, vi.advanceTimersByTimeAsync(999)])).toMatchObject({ name: "EndedEarly" });
    expect(work).not.toHaveBeenCalled();
  });

  it("stops the work when it is over", async ({ expect }) => {
    let told: AbortSignal | undefined;
    const work = (signal: AbortSignal): Promise<never> => {
      told = signal;
      return new Promise<never>(() => undefined);
    };
    await expect(withDeadline(10, undefined, work)).rejects.toThrow(EndedEarly);
    expect(told?.aborted).toBe(true);
  });
});
