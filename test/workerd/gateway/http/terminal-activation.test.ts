/** An activation code at the front door: the operator creates it, a terminal exchanges it for its secret. */
import { env } from "cloudflare:workers";
import { describe, it } from "vitest";
import { ACTIVATION_CODE_HOURS, ACTIVATION_CODE_HOURS_AT_MOST } from "../../../../src/protocol/limits.ts";
import { HOUR, MINUTE } from "../../../../src/protocol/time/units.ts";
import { auditOf } from "../../../support/audit.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { callWith } from "../../../support/environment.ts";
import {
  type Answer,
  call,
  enrolTerminal,
  type ErrorBody,
  loginMessage,
  loginTerminal,
  operator,
  uniqueAddress,
  uniqueId,
} from "../../../support/gateway.ts";
import { approved, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";

useFakeClock();
const scene = useAccount();

interface Code {
  terminalId: string;
  activationCode: string;
  expiresAt: string;
}

interface Activated {
  terminalId: string;
  secret: string;
  serverTime: number;
}

function createCode(terminalId: string, body?: object): Promise<Answer<Code & ErrorBody>> {
  return operator<Code & ErrorBody>("POST", `/operator/terminals/${terminalId}/activation-code`, body);
}

async function codeOf(terminalId: string, body?: object): Promise<string> {
  return (await createCode(terminalId, body)).body.activationCode;
}

function activate(activationCode: string, address = uniqueAddress()): Promise<Answer<Activated & ErrorBody>> {
  return call<Activated & ErrorBody>("POST", "/terminal/activate", { body: { activationCode }, address });
}

describe("an activation code", () => {
  it("gives its terminal an id and a secret that logs in", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const { status, body } = await createCode(terminalId);
    expect([status, body.terminalId]).toEqual([200, terminalId]);
    expect(body.activationCode).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/u);
    expect(Date.parse(body.expiresAt)).toBe(Date.now() + ACTIVATION_CODE_HOURS * HOUR);
    const activated = await activate(body.activationCode.toLowerCase().replaceAll("-", ""));
    expect(activated).toMatchObject({ status: 200, body: { terminalId, serverTime: Date.now() } });
    await loginTerminal({ terminalId, secret: activated.body.secret });
  });

  it("works once and says that it was used", async ({ expect }) => {
    const code = await codeOf((await enrolTerminal()).terminalId);
    const answers = await Promise.all([activate(code), activate(code)]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401]));
    const again = await activate(code);
    expect([again.status, again.body.message]).toEqual([401, expect.stringContaining("was used")]);
  });

  it("expires", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const [short, long] = [await codeOf(terminalId), (await enrolTerminal()).terminalId];
    const kept = await codeOf(long, { validHours: ACTIVATION_CODE_HOURS_AT_MOST });
    skip(ACTIVATION_CODE_HOURS * HOUR + MINUTE);
    const late = await activate(short);
    expect([late.status, late.body.message]).toEqual([401, expect.stringContaining("has expired")]);
    expect((await activate(kept)).status).toBe(200);
  });

  it("is replaced by the next one, also after it was used", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const first = await codeOf(terminalId);
    const second = await codeOf(terminalId);
    expect((await activate(first)).status).toBe(401);
    const thief = await activate(second);
    const third = await codeOf(terminalId);
    const device = await activate(third);
    expect([thief.status, device.status]).toEqual([200, 200]);
    expect((await call("POST", "/terminal/login", { body: loginMessage(thief.body) })).status).toBe(401);
    await loginTerminal(device.body);
  });

  it("ends the secret that the terminal had, and its connection", async ({ expect }) => {
    const here = await scene();
    const old = await here.connect();
    const { secret } = (await activate(await codeOf(here.terminal.terminalId))).body;
    expect(await old.closed()).toBe(4002);
    await expect(here.connect()).rejects.toThrow("401");
    const device = await ScriptedTerminal.connect({ ...here.terminal, secret });
    await approved(here, device);
  });

  it("ends a secret that a rotation left valid", async ({ expect }) => {
    const terminal = await enrolTerminal();
    await operator("POST", `/operator/terminals/${terminal.terminalId}/secret`);
    await loginTerminal(terminal);
    await activate(await codeOf(terminal.terminalId));
    expect((await call("POST", "/terminal/login", { body: loginMessage(terminal) })).status).toBe(401);
  });

  it("leaves the terminal as it is until it is used", async () => {
    const here = await scene();
    const connection = await here.connect();
    await codeOf(here.terminal.terminalId);
    await approved(here, connection);
  });

  it("is stored as a hash and audited without its text", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const code = await codeOf(terminalId);
    const { secret } = (await activate(code)).body;
    const [created, used] = (await auditOf(terminalId)).slice(-2);
    expect(created).toMatchObject({ action: "terminal.activation-code", details: { expiresAt: expect.any(String) } });
    expect(used).toMatchObject({ action: "terminal.activate", actor: `terminal:${terminalId}` });
    const rows = await env.DATABASE.prepare("SELECT * FROM activation_codes WHERE terminal_id = ?")
      .bind(terminalId)
      .all();
    const stored = JSON.stringify([rows.results, await auditOf(terminalId)]);
    for (const text of [code, code.replaceAll("-", ""), secret]) expect(stored).not.toContain(text);
  });

  it("is refused for a terminal that is retired or unknown", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const code = await codeOf(terminalId);
    await operator("DELETE", `/operator/terminals/${terminalId}`);
    expect((await activate(code)).status).toBe(401);
    expect((await createCode(terminalId)).status).toBe(409);
    expect((await createCode(uniqueId("none"))).status).toBe(404);
  });

  it("names what is wrong with a request", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    for (const validHours of [0, 1.5, ACTIVATION_CODE_HOURS_AT_MOST + 1, "soon"]) {
      const { status, body } = await createCode(terminalId, { validHours });
      expect([status, body.details?.[0]?.path]).toEqual([400, "validHours"]);
    }
    for (const activationCode of ["", "7K3Q-9ZXM", "7K3Q-9ZXM-D4TU", 7]) {
      const { status, body } = await call<ErrorBody>("POST", "/terminal/activate", { body: { activationCode } });
      expect([status, body.details?.[0]?.path]).toEqual([400, "activationCode"]);
    }
  });

  it("is answered by a 429 once a network has guessed too often", async ({ expect }) => {
    const code = await codeOf((await enrolTerminal()).terminalId);
    const guesser = uniqueAddress();
    const answers = await Promise.all(Array.from({ length: 70 }, () => activate("0000-0000-0000", guesser)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 429]));
    // A stranger behind the same address keeps nobody from activating a terminal.
    expect((await activate(code, guesser)).status).toBe(200);
  });

  it("asks no database once an address has called too often", async ({ expect }) => {
    const address = uniqueAddress();
    const keys: string[] = [];
    // The platform's own window may end at any moment.
    const LOGIN_PER_ADDRESS = {
      limit: async ({ key }: { key: string }) => {
        keys.push(key);
        return { success: false };
      },
    };
    const DATABASE = { prepare: () => expect.unreachable("the database was asked") };
    const options = { body: { activationCode: "0000-0000-0000" }, address };
    const refused = await callWith({ DATABASE, LOGIN_PER_ADDRESS }, "POST", "/terminal/activate", options);
    expect([refused.status, keys]).toEqual([429, [`activation ${address}`]]);
  });

  it("waits until a payment in progress has ended", async ({ expect }) => {
    const here = await scene();
    const code = await codeOf(here.terminal.terminalId);
    const { connection, answer, request } = await here.accepted();
    const early = await activate(code);
    expect([early.status, early.body.message]).toEqual([409, expect.stringContaining("payment in progress")]);
    here.approve(connection, request);
    expect((await answer).body.statusCode).toBe("00");
    expect((await activate(code)).status).toBe(200);
  });

  it("ends when the operator replaces the secret", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const code = await codeOf(terminalId);
    await operator("POST", `/operator/terminals/${terminalId}/secret`, { revokePrevious: true });
    expect((await activate(code)).status).toBe(401);
  });

  it("can be created again after the database was away", async ({ expect }) => {
    const { terminalId } = await enrolTerminal();
    const first = await codeOf(terminalId);
    const DATABASE = {
      prepare: () => {
        throw new Error("the database is away");
      },
    };
    const path = "/terminal/activate";
    const failed = await callWith<ErrorBody>({ DATABASE }, "POST", path, { body: { activationCode: first } });
    expect(failed.status).toBe(500);
    expect((await activate(first)).status).toBe(200);
  });
});
