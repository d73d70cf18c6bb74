/** A terminal's secret that is replaced: how long the replaced one stays valid beside it. */
import { env } from "cloudflare:workers";
import { runInDurableObject } from "cloudflare:test";
import { describe, it } from "vitest";
import { LOGINS_REMEMBERED } from "../../../../src/gateway/terminal/secret.ts";
import { UsedLogins } from "../../../../src/gateway/terminal/storage/stored-reports.ts";
import { PREVIOUS_TERMINAL_SECRET_LIFE } from "../../../../src/protocol/limits.ts";
import { MINUTE } from "../../../../src/protocol/time/units.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { loginMessage, loginTerminal, operator, call, type EnrolledTerminal } from "../../../support/gateway.ts";
import { approved, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

interface NewSecret {
  secret: string;
  previousValidUntil: string | null;
}

async function rotate({ terminalId }: EnrolledTerminal, body?: object): Promise<NewSecret> {
  return (await operator<NewSecret>("POST", `/operator/terminals/${terminalId}/secret`, body)).body;
}

async function loginStatus(terminal: EnrolledTerminal): Promise<number> {
  return (await call("POST", "/terminal/login", { body: loginMessage(terminal) })).status;
}

describe("a replaced secret", () => {
  it("goes on selling, also on a new connection", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { previousValidUntil } = await rotate(here.terminal);
    expect(Date.parse(previousValidUntil ?? "")).toBe(Date.now() + PREVIOUS_TERMINAL_SECRET_LIFE);
    await approved(here, connection);
    await approved(here, await here.connect());
  });

  it("ends when the terminal logs in with the new one", async ({ expect }) => {
    const here = await scene();
    const old = await here.connect();
    const { secret } = await rotate(here.terminal);
    const renewed = { ...here.terminal, secret };
    const next = await ScriptedTerminal.openWith(renewed, await loginTerminal(renewed));
    expect(await old.closed()).toBe(4002);
    expect(await loginStatus(here.terminal)).toBe(401);
    await next.hello();
    await approved(here, next);
  });

  it("ends after a day, with its connection and its tokens", async ({ expect }) => {
    const here = await scene();
    const { secret } = await rotate(here.terminal);
    await here.pass(PREVIOUS_TERMINAL_SECRET_LIFE - MINUTE);
    const old = await here.connect();
    const token = await loginTerminal(here.terminal);
    await here.pass(MINUTE);
    expect(await old.closed()).toBe(4002);
    expect(await loginStatus(here.terminal)).toBe(401);
    await expect(ScriptedTerminal.openWith(here.terminal, token)).rejects.toThrow("401");
    expect(await loginStatus({ ...here.terminal, secret })).toBe(200);
  });

  it("is not valid after its time though the alarm is late", async ({ expect }) => {
    const { terminal } = await scene();
    await rotate(terminal);
    skip(PREVIOUS_TERMINAL_SECRET_LIFE);
    expect(await loginStatus(terminal)).toBe(401);
  });

  it("ends at once if it is revoked", async ({ expect }) => {
    const here = await scene();
    const old = await here.connect();
    const { previousValidUntil } = await rotate(here.terminal, { revokePrevious: true });
    expect([previousValidUntil, await old.closed()]).toEqual([null, 4002]);
    expect(await loginStatus(here.terminal)).toBe(401);
  });

  it("stays the one that the terminal uses, however often it is replaced", async ({ expect }) => {
    const here = await scene();
    const [lost, known] = [await rotate(here.terminal), await rotate(here.terminal)];
    expect(await loginStatus({ ...here.terminal, secret: lost.secret })).toBe(401);
    await approved(here, await here.connect());
    expect(await loginStatus({ ...here.terminal, secret: known.secret })).toBe(200);
    expect(await loginStatus(here.terminal)).toBe(401);
  });

  it("completes a payment that was sent before the replacement", async ({ expect }) => {
    const here = await scene();
    const { connection, answer, request } = await here.accepted();
    await here.pass(1);
    await rotate(here.terminal);
    here.approve(connection, request);
    // Whoever has seen only the new secret could not have signed this.
    expect((await answer).body.statusCode).toBe("00");
  });

  it("leaves to the operator what the device that had it was sent", async ({ expect }) => {
    const here = await scene();
    const { secret } = await rotate(here.terminal);
    const { answer, request } = await here.accepted();
    await here.reaches(request.referenceId, "accepted");
    await here.pass(1);
    const renewed = { ...here.terminal, secret };
    const next = await ScriptedTerminal.connect(renewed, { open: [request.requestId] });
    // Whoever has only the new secret never saw this payment.
    next.result(request, "11", {});
    expect((await answer).body).toMatchObject({ statusCode: "22", responseCode: "UNCONFIRMED" });
    await approved(here, next);
  });

  it.for([
    ["still valid", 0],
    ["over", PREVIOUS_TERMINAL_SECRET_LIFE],
  ] as const)("does not hold off the new one's login by many logins: %s", async ([, passed], { expect }) => {
    const here = await scene();
    const { secret } = await rotate(here.terminal);
    skip(passed);
    const stub = env.TERMINAL.getByName(here.terminal.terminalId);
    await runInDurableObject(stub, (_object, { storage }) => {
      const logins = new UsedLogins(storage.sql);
      for (let number = logins.count; number < LOGINS_REMEMBERED; number++) logins.add(`login ${number}`, Date.now());
    });
    const body = loginMessage({ ...here.terminal, secret });
    const first = await call("POST", "/terminal/login", { body });
    const again = await call("POST", "/terminal/login", { body });
    expect([first.status, again.status]).toEqual([200, 401]);
  });

  it("survives a restart of the object", async ({ expect }) => {
    const here = await scene();
    await rotate(here.terminal);
    await here.sleep();
    await approved(here, await here.connect());
    expect(await loginStatus(here.terminal)).toBe(200);
  });
});
