/** While the account admits a payment, its terminal's object is already awake, and a silent terminal pinged. */
import { env } from "cloudflare:workers";
import { decodeJwt } from "jose";
import { beforeEach, expect as assert, describe, it, vi } from "vitest";
import { Account, Terminal } from "../../../../src/gateway/index.ts";
import { Turns } from "../../../../src/gateway/durable/turns.ts";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { call, login } from "../../../support/gateway.ts";
import { eventually } from "../../../support/patience.ts";
import { Scene, type ScenePos } from "../../../support/scene.ts";
import type { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { DEVICES_IN_TOKEN } from "../../../../src/gateway/account/sessions.ts";

const SILENCE = 10_000;

useFakeClock();

let here: Scene;
let pos: ScenePos;
let terminal: ScriptedTerminal;
beforeEach(async () => {
  vi.restoreAllMocks();
  here = await Scene.alone();
  // The token names the terminals that were bound when it was made.
  pos = await here.posOfNow();
  terminal = await here.connect();
  skip(SILENCE);
});

/** The account admits nothing until then. */
function admitAfter(then: Promise<void>): void {
  const admit = Reflect.get<Account, "admit">(Account.prototype, "admit");
  vi.spyOn(Account.prototype, "admit").mockImplementationOnce(async function late(this: Account, question) {
    await then;
    return admit.call(this, question);
  });
}

function pings(of: readonly unknown[]): number {
  return of.filter((frame) => frame === "ping").length;
}

describe("a sale at a silent terminal", () => {
  it("reaches it at once if it has answered while the account admitted", async ({ expect }) => {
    const answered = Promise.withResolvers<void>();
    admitAfter(answered.promise);
    const answer = pos.sale();
    await terminal.next("ping");
    terminal.send("pong");
    await terminal.frames();
    answered.resolve();
    here.approve(terminal, await terminal.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
    expect(pings(await terminal.frames())).toBe(0);
  });

  it("waits for the answer to the ping under way", async ({ expect }) => {
    const pinged = Promise.withResolvers<void>();
    admitAfter(pinged.promise);
    const answer = pos.sale();
    await terminal.next("ping");
    pinged.resolve();
    const referenceId = await eventually(async () => {
      const [row] = await here.journal();
      assert(row?.state).toBe("queued");
      return row?.referenceId;
    });
    terminal.send("pong");
    here.approve(terminal, await terminal.acceptNext());
    expect((await answer).body).toMatchObject({ statusCode: "00", referenceId });
    expect(pings(await terminal.frames())).toBe(0);
  });

  it("is not announced if the token does not name it", async ({ expect }) => {
    const told = vi.spyOn(Terminal.prototype, "prewarm");
    const answer = here.pos.sale();
    await terminal.next("ping");
    terminal.send("pong");
    here.approve(terminal, await terminal.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
    expect(told).not.toHaveBeenCalled();
  });

  it("succeeds although announcing it fails", async ({ expect }) => {
    vi.spyOn(Terminal.prototype, "prewarm").mockRejectedValue(new Error("the object was reset"));
    const answer = pos.sale();
    await terminal.next("ping");
    terminal.send("pong");
    here.approve(terminal, await terminal.acceptNext());
    expect((await answer).body.statusCode).toBe("00");
  });
});

describe("the announcement of a payment", () => {
  it("sends and writes nothing for another account or active terminal", async ({ expect }) => {
    const { posId } = here.pos.account;
    const { terminalId } = here.terminal;
    const stub = () => terminalStub(env, terminalId);
    await stub().prewarm("another-account");
    expect(pings(await terminal.frames())).toBe(0);
    skip(SILENCE);
    const turn = vi.spyOn(Turns.prototype, "take");
    await stub().prewarm(posId);
    await stub().prewarm(posId);
    expect(turn).not.toHaveBeenCalled();
    expect(pings(await terminal.frames())).toBe(1);
    await stub().prewarm(posId);
    expect(pings(await terminal.frames())).toBe(0);
    expect(terminal.closeCode).toBeNull();
  });
});

describe("an access token", () => {
  it("names the account's terminals, unless there are too many", async ({ expect }) => {
    const { account } = here.pos;
    const { refresh } = await login(account);
    const refreshed = async () => (await call("POST", "/auth/refresh", { token: refresh.token })).body;
    const first = await refreshed();
    const bind = (terminalId: string) =>
      accountStub(env, account.posId).deviceChanged({ terminalId, bindingVersion: 1, bound: true });
    for (let number = 1; number < DEVICES_IN_TOKEN; number++) await bind(`more-${number}`);
    expect(decodeJwt((await login(account)).access.token)["dev"]).toHaveLength(DEVICES_IN_TOKEN);
    await bind("one-too-many");
    expect(await refreshed()).toEqual(first);
    expect(decodeJwt((first as { access: { token: string } }).access.token)["dev"]).toEqual([here.terminal.terminalId]);
    expect(decodeJwt((await login(account)).access.token)["dev"]).toBeUndefined();
    expect(decodeJwt(refresh.token)["dev"]).toBeUndefined();
  });
});
