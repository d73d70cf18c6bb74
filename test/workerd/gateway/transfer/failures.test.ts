/** Failures of what the gateway depends on: an open outcome is a signed 22, never a 500, once the key is known. */
import { createExecutionContext } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { app } from "../../../../src/gateway/http/app.ts";
import { verifySignature } from "../../../../src/protocol/signing/signature.ts";
import { isoWithOffset } from "../../../../src/protocol/time/zone.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import { BASE_URL, requestOf } from "../../../support/gateway.ts";
import { lines, logged } from "../../../support/log-lines.ts";
import type { TransferAnswer } from "../../../support/pos.ts";
import { useAccount, type Scene } from "../../../support/scene.ts";

useFakeClock();
const scene = useAccount();

type Stub = Record<string, (...of: unknown[]) => unknown>;

/** The namespace whose objects have some calls replaced; each call takes a new stub, counted. */
function objects(
  replace: (stub: Stub, count: number) => Partial<Stub>,
  namespace: { getByName: (name: string) => object } = env.TERMINAL,
): unknown {
  let count = 0;
  return {
    getByName: (name: string) => {
      const stub = namespace.getByName(name) as unknown as Stub;
      const replaced = replace(stub, ++count);
      return new Proxy(stub, {
        get: (target, member) => {
          const own = typeof member === "string" ? replaced[member] : undefined;
          return own ?? ((...of: unknown[]) => target[member as string]?.(...of));
        },
      });
    },
  };
}

/** What the platform says where the connection to an object broke. */
function connectionLost(): Error {
  return Object.assign(new Error("Network connection lost."), { retryable: true });
}

async function transferWith({ pos }: Scene, changes: Record<string, unknown>, body = pos.saleBody()) {
  const token = pos.token;
  return callWith<TransferAnswer>(changes, "POST", "/api/transfer", { token, body: pos.sign(body) });
}

describe("a transfer to a terminal's object that fails", () => {
  it("is answered 22 IN_PROGRESS at once, signed, under overload", async ({ expect }) => {
    const here = await scene();
    let calls = 0;
    const TERMINAL = objects(() => ({
      fetch: () => {
        calls += 1;
        throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true, retryable: true });
      },
    }));
    const { status, body } = await transferWith(here, { TERMINAL });
    expect(status).toBe(200);
    expect(body).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS", softwareVersion: "unknown" });
    expect(verifySignature(body as never, here.pos.account.signingKey)).toBe(true);
    expect(calls).toBe(1);
  });

  it("is retried with a new stub, joining what the first began", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const TERMINAL = objects((stub, count) =>
      count > 3
        ? {}
        : {
            fetch: async (...of: unknown[]) => {
              // The call arrives, and its answer is lost together with the socket.
              const response = (await stub["fetch"]?.(...of)) as Response | undefined;
              response?.webSocket?.accept();
              response?.webSocket?.close(1011);
              throw connectionLost();
            },
          },
    );
    const answer = transferWith(here, { TERMINAL });
    const request = await connection.acceptNext();
    here.approve(connection, request);
    const { status, headers, body } = await answer;
    expect(status).toBe(200);
    expect(body).toMatchObject({ statusCode: "00", transData: { transId: request.transId } });
    expect(headers.has("Idempotent-Replayed")).toBe(false);
    expect(await here.journal()).toHaveLength(1);
  });

  it("is retried on another socket after losing the waiting one", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const TERMINAL = objects((_stub, count) =>
      count > 1 ? {} : { fetch: () => Promise.resolve(new Response(null, { status: 500 })) },
    );
    const answer = transferWith(here, { TERMINAL });
    here.approve(connection, await connection.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });

  it.for([
    ["says retryable", true, 4],
    ["says nothing of itself, as after a reset", undefined, 2],
  ] as const)("is answered 22, signed, if every call's error %s", async ([, retryable, calls], { expect }) => {
    const here = await scene();
    const from = lines.length;
    let called = 0;
    const TERMINAL = objects(() => ({
      fetch: () => {
        called += 1;
        throw Object.assign(new Error("Network connection lost."), { retryable });
      },
    }));
    const { status, body } = await transferWith(here, { TERMINAL });
    expect([status, called]).toEqual([200, calls]);
    expect(body).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
    expect(verifySignature(body as never, here.pos.account.signingKey)).toBe(true);
    const told = [...logged("object_call_repeated", from), ...logged("object_call_failed", from)];
    expect(told).toHaveLength(calls);
    for (const line of told) expect(line).toMatchObject({ call: "submit", detail: "Error: Network connection lost." });
  });

  it("is not retried after the request's end", async ({ expect }) => {
    const here = await scene();
    let called = 0;
    const TERMINAL = objects(() => ({
      fetch: () => {
        called += 1;
        skip(105_000);
        throw connectionLost();
      },
    }));
    const { body } = await transferWith(here, { TERMINAL });
    expect([body.responseCode, called]).toEqual(["IN_PROGRESS", 1]);
  });

  it("leaves an approved sale's outcome to the POS's own repetition", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const sale = here.pos.saleBody();
    const TERMINAL = objects((stub) => ({
      fetch: async (...of: unknown[]) => {
        const response = (await stub["fetch"]?.(...of)) as Response | undefined;
        response?.webSocket?.accept();
        response?.webSocket?.close(1011);
        throw new Error("a fault of our own");
      },
    }));
    const answer = transferWith(here, { TERMINAL }, sale);
    const request = await connection.acceptNext();
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "IN_PROGRESS" });
    const again = here.pos.transfer(sale);
    here.approve(connection, request);
    expect((await again).body.statusCode).toBe("00");
    expect(await here.journal()).toHaveLength(1);
  });
});

describe("a POS that hangs up while its request is admitted", () => {
  it("causes no prompt and no row; the reference stays with its device", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const nextDoor = await here.nextDoor();
    const hangsUp = new AbortController();
    let calls = 0;
    const TERMINAL = objects(() => {
      calls += 1;
      return {};
    });
    const ACCOUNT = objects(
      (stub) => ({
        admit: (...of) => {
          hangsUp.abort();
          return stub["admit"]?.(...of);
        },
      }),
      env.ACCOUNT,
    );
    const body = here.pos.saleBody();
    const message = requestOf(BASE_URL, "POST", "/api/transfer", {
      token: here.pos.token,
      body: here.pos.sign(body),
    });
    const { status } = await app.fetch(
      new Request(message, { signal: hangsUp.signal }),
      { ...env, ACCOUNT: ACCOUNT as typeof env.ACCOUNT, TERMINAL: TERMINAL as typeof env.TERMINAL },
      createExecutionContext(),
    );
    expect({ status, calls }).toEqual({ status: 400, calls: 0 });
    expect(await connection.frames()).toEqual([]);
    expect(await here.journal()).toEqual([]);
    expect((await nextDoor.sale({ referenceId: body["referenceId"] })).body.code).toBe(40009);
    const again = here.pos.transfer(body);
    here.approve(connection, await connection.acceptNext());
    expect((await again).body.statusCode).toBe("00");
  });
});

describe("a transfer that the Worker retries", () => {
  it("has its life counted from its arrival", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const arrivedAt = Date.now();
    const answer = transferWith(here, { TERMINAL: unreachableFor(60_000) });
    await connection.next("ping");
    connection.send("pong");
    const request = await connection.acceptNext();
    expect(request).toMatchObject({ deliverBy: arrivedAt + 70_000, respondBy: arrivedAt + 75_000 });
    expect(await here.row(request.referenceId)).toMatchObject({
      receivedAt: isoWithOffset(arrivedAt, here.pos.account.timezone),
      endsAt: isoWithOffset(arrivedAt + 90_000, here.pos.account.timezone),
    });
    await here.pass(20_000);
    expect(await connection.next("cancel")).toMatchObject({ requestId: request.requestId });
    await here.pass(10_000);
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "TERMINAL_TIMEOUT" });
  });

  it("is 11 TERMINAL_BUSY with less than thirty seconds left", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const body = here.pos.saleBody();
    const { status, body: told } = await transferWith(here, { TERMINAL: unreachableFor(60_001) }, body);
    expect(status).toBe(200);
    expect(told).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });
    expect(await connection.frames()).toEqual([]);
    expect(await here.row(body["referenceId"])).toMatchObject({ state: "completed", attempt: 0 });
    expect((await here.pos.transfer(body)).body.responseCode).toBe("TERMINAL_BUSY");
  });
});

/** Objects that a sale cannot reach for this many milliseconds. */
function unreachableFor(milliseconds: number): unknown {
  return objects((_stub, count) =>
    count > 1
      ? {}
      : {
          fetch: () => {
            skip(milliseconds);
            throw new Error("Network connection lost.");
          },
        },
  );
}

describe("a transfer to an account's object that fails", () => {
  it("is retried with a new stub, and claims its reference once", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const ACCOUNT = objects(
      (stub, count) =>
        count > 3
          ? {}
          : {
              admit: async (...of) => {
                // The call arrives, and its answer is lost.
                await stub["admit"]?.(...of);
                throw connectionLost();
              },
            },
      env.ACCOUNT,
    );
    const answer = transferWith(here, { ACCOUNT });
    here.approve(connection, await connection.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });

  it("gets a 500 without details after ten seconds, sending nothing", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    let calls = 0;
    const ACCOUNT = objects(
      () => ({
        admit: () => {
          calls += 1;
          skip(5_000);
          throw new Error("secrets of the inside");
        },
      }),
      env.ACCOUNT,
    );
    const { status, body } = await transferWith(here, { ACCOUNT });
    expect({ status, calls }).toEqual({ status: 500, calls: 2 });
    expect(JSON.stringify(body)).not.toContain("inside");
    expect(await connection.frames()).toEqual([]);
  });

  it("gets a 429 under overload, claiming and sending nothing", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    let calls = 0;
    const ACCOUNT = objects(
      () => ({
        admit: () => {
          calls += 1;
          throw Object.assign(new Error("Durable Object is overloaded."), { overloaded: true, retryable: true });
        },
      }),
      env.ACCOUNT,
    );
    const body = here.pos.saleBody();
    const { status, headers, body: refusal } = await transferWith(here, { ACCOUNT }, body);
    expect([status, refusal.code, headers.get("Retry-After"), calls]).toEqual([429, 42900, "3", 1]);
    expect(await connection.frames()).toEqual([]);
    // The reference is not claimed: another terminal of the account may have it.
    const { body: elsewhere } = await here.pos.transfer({
      ...body,
      deviceId: (await here.nextDoor()).terminal.terminalId,
    });
    expect(elsewhere.responseCode).toBe("TERMINAL_OFFLINE");
  });

  it("gets a 429 after too many unknown references today", async ({ expect }) => {
    const here = await scene();
    const answer = { kind: "too-many-unknown", retryAt: Date.now() + 90_500 };
    const ACCOUNT = objects(() => ({ admit: () => answer }), env.ACCOUNT);
    const { status, headers, body } = await transferWith(here, { ACCOUNT });
    expect([status, body.code, headers.get("Retry-After")]).toEqual([429, 42900, "91"]);
    skip(100_000);
    expect((await transferWith(here, { ACCOUNT })).headers.get("Retry-After")).toBe("1");
  });

  it("gets a 500 if the signing key cannot be decrypted", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const ACCOUNT = objects(() => ({ admit: () => ({ kind: "unreadable-key" }) }), env.ACCOUNT);
    expect((await transferWith(here, { ACCOUNT })).status).toBe(500);
    expect(await connection.frames()).toEqual([]);
  });
});

describe("a transfer while D1 is down", () => {
  it("is processed, asked about and cancelled", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const DATABASE = {
      prepare: () => {
        throw new Error("D1_ERROR: network connection lost");
      },
    };
    const body = here.pos.saleBody();
    const answer = transferWith(here, { DATABASE }, body);
    here.approve(connection, await connection.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
    const asked = here.pos.body("inquiry", { transData: { referenceId: body["referenceId"] } });
    expect((await transferWith(here, { DATABASE }, asked)).body.statusCode).toBe("00");
    const { posId, deviceId, referenceId, datetime } = body;
    const { body: cancelled } = await callWith<TransferAnswer>({ DATABASE }, "POST", "/api/transfer/cancel", {
      token: here.pos.token,
      body: here.pos.sign({ posId, deviceId, referenceId, datetime }),
    });
    expect(cancelled.statusCode).toBe("00");
  });
});
