/**
 * What the gateway relies on of calls: between Worker and object, and to the rate-limit binding. Tried on the local
 * runtime: these tests do not prove what the deployed platform says of an overloaded object, nor that its rate limits
 * count all over the world (they count per location).
 */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Terminal } from "../../../src/gateway/index.ts";
import { connectTerminal, enrolTerminal, uniqueId } from "../../support/gateway.ts";
import { terminalStub } from "../../../src/gateway/terminal/rpc.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("an error that a call throws", () => {
  it("reaches the caller with its own members, which identify an overloaded object", async ({ expect }) => {
    const terminalId = uniqueId("try");
    await runInDurableObject(env.TERMINAL.getByName(terminalId), () => undefined);
    vi.spyOn(Terminal.prototype, "status").mockImplementation(() => {
      throw Object.assign(new RangeError("on purpose"), { overloaded: true });
    });
    let caught: unknown = null;
    try {
      await terminalStub(env, terminalId).status();
    } catch (error) {
      caught = error;
    }
    expect(caught).toMatchObject({ message: "on purpose", overloaded: true });
  });

  it("has no such member after an abort, and a new stub works", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    vi.spyOn(Terminal.prototype, "status").mockImplementation(function resets(this: Terminal) {
      (this as unknown as { ctx: DurableObjectState }).ctx.abort("on purpose");
      throw new Error("an object goes on after its abort");
    });
    let caught: unknown = null;
    try {
      await terminalStub(env, terminalId).status();
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(Error);
    expect((caught as { overloaded?: boolean }).overloaded ?? false).toBe(false);
    vi.restoreAllMocks();
    expect(await terminalStub(env, terminalId).status()).toMatchObject({ connected: false });
  });
});

describe("an answer that comes from an object's fetch", () => {
  it("has immutable headers, even on an upgrade", async ({ expect }) => {
    const terminal = await enrolTerminal();
    const response = await env.TERMINAL.getByName(terminal.terminalId).fetch(
      "https://terminal.internal/wait?request=1",
    );
    expect(() => response.headers.set("X-Tried", "yes")).toThrow(TypeError);
    await response.text();
    const upgraded = await connectTerminal(terminal);
    expect(upgraded.status).toBe(101);
    upgraded.webSocket?.accept();
    upgraded.webSocket?.close();
  });
});

describe("the rate-limit binding", () => {
  it("lets as many pass as wrangler.toml says, for each key separately", async ({ expect }) => {
    const [key, other] = [uniqueId("key"), uniqueId("key")];
    const verdicts: boolean[] = [];
    for (let count = 0; count < 32; count++) {
      verdicts.push((await env.LOGIN_PER_ACCOUNT_AND_ADDRESS.limit({ key })).success);
    }
    expect(verdicts).toEqual([...Array<boolean>(30).fill(true), false, false]);
    expect((await env.LOGIN_PER_ACCOUNT_AND_ADDRESS.limit({ key: other })).success).toBe(true);
    expect((await env.BIND_PER_TERMINAL.limit({ key })).success).toBe(true);
  });
});
