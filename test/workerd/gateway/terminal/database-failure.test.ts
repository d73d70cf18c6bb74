/** D1 fails, or does not answer, and the terminal's object goes on. */
import { abortAllDurableObjects } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Terminal } from "../../../../src/gateway/index.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { auditOf, type AuditRow } from "../../../support/audit.ts";
import { alarmOf, useFakeClock } from "../../../support/clock.ts";
import { failTerminalNotes } from "../../../support/database.ts";
import { createAccount, operator } from "../../../support/gateway.ts";
import { boundTo, reportedOpen, type Scene, useAccount } from "../../../support/scene.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Something that D1 must get at once: the account's details have changed. */
async function changeDetails({ pos, terminal }: Scene): Promise<void> {
  const { posId, currency, timezone } = pos.account;
  const terms = { posId, merchantId: "another", currency, timezone, version: 10_000_000_000_000 };
  await terminalStub(env, terminal.terminalId).applyAccountUpdate(posId, { kind: "terms", terms, status: "active" });
}

/** What the audit log says of this terminal since it was bound, the oldest first. */
async function audited({ terminal }: Scene): Promise<Pick<AuditRow, "actor" | "action" | "details">[]> {
  return (await auditOf(terminal.terminalId))
    .filter(({ action }) => action !== "terminal.enrol" && action !== "terminal.bind")
    .map(({ actor, action, details }) => ({ actor, action, details }));
}

async function noted({ terminal }: Scene): Promise<Record<string, unknown> | null> {
  return env.DATABASE.prepare("SELECT status, connected, bound_pos_id FROM terminals WHERE terminal_id = ?")
    .bind(terminal.terminalId)
    .first();
}

/** What the object itself says. */
describe("a terminal's object while D1 does not answer", () => {
  it("ends a queued request, a cancel and a sent one in time", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const database = failTerminalNotes("hang");
    await changeDetails(here);
    expect(database.tries).toBe(1);
    const alarms = vi.spyOn(Terminal.prototype, "alarm");
    const began = performance.now();

    const running = here.pos.saleBody();
    const answer = here.pos.transfer(running);
    const request = await connection.acceptNext();
    const { answer: waiting } = await here.queued();
    await here.pass(10 * SECOND);
    expect((await waiting).body).toMatchObject({ statusCode: "11", responseCode: "TERMINAL_BUSY" });
    const cancelled = here.pos.cancel(String(running["referenceId"]));
    expect(await connection.next("cancel")).toMatchObject({ requestId: request.requestId });
    await here.pass(80 * SECOND);
    expect((await answer).body.statusCode).toBe("22");
    expect((await cancelled).body.statusCode).toBe("22");
    expect(alarms.mock.calls.length).toBeLessThan(20);
    // None of it has waited for D1.
    expect(performance.now() - began).toBeLessThan(9 * SECOND);
    expect(database.tries).toBe(1);
    expect(await alarmOf(here.terminal)).toBeGreaterThan(Date.now());
  });
});

describe("the operator's change while D1 fails", () => {
  const RESOLVE = { actor: "tester", action: "transaction.resolve" };

  it("takes effect on a transaction, with an audit row later", async ({ expect }) => {
    const here = await scene();
    const { request } = await reportedOpen(here, await here.connect());
    const database = failTerminalNotes("fail");
    here.books.charge(request);
    const { status, body } = await here.resolve(request.requestId, "00", "Seen at the host.");
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: "completed", completedBy: "operator", resolvedBy: "tester" });
    expect((await here.resolve(request.requestId, "00", "Again.")).status).toBe(409);
    expect(await audited(here)).toEqual([]);
    database.recover();
    await here.pass(MINUTE);
    const details = { requestId: request.requestId, statusCode: "00", reason: "Seen at the host." };
    expect(await audited(here)).toEqual([{ ...RESOLVE, details }]);
    await here.pass(5 * MINUTE);
    expect(await alarmOf(here.terminal)).toBeNull();
  });

  it("reaches D1 in order, once: binding, secret and enrolment", async ({ expect }) => {
    const here = await scene();
    const { terminalId } = here.terminal;
    const database = failTerminalNotes("fail");
    const path = `/operator/terminals/${terminalId}`;
    expect((await operator("DELETE", `${path}/binding`)).status).toBe(200);
    expect((await operator("POST", `${path}/secret`)).status).toBe(200);
    expect((await operator("DELETE", path)).status).toBe(200);
    // D1 still says that it is enrolled; the object knows better.
    expect((await operator("POST", `${path}/secret`)).status).toBe(409);
    expect((await operator("DELETE", path)).status).toBe(200);
    expect(await noted(here)).toMatchObject({ status: "enrolled", bound_pos_id: here.pos.account.posId });
    expect(await audited(here)).toEqual([]);
    database.recover();
    await here.pass(10 * MINUTE);
    await eventually(async () => {
      expect(await noted(here)).toMatchObject({ status: "retired", bound_pos_id: null });
      expect(await audited(here)).toEqual([
        { actor: "tester", action: "terminal.unbind", details: { posId: here.pos.account.posId } },
        { actor: "tester", action: "terminal.secret", details: { revokePrevious: false } },
        { actor: "tester", action: "terminal.retire", details: {} },
      ]);
    });
  });
});

describe("the operator's change while D1 does not answer", () => {
  it.for([
    ["an unbinding", false],
    ["a binding to another account", true],
  ] as const)("waits for D1, so that the following list has it (%s)", async ([, isBinding], { expect }) => {
    const here = await scene();
    const account = await createAccount();
    const { posId, merchantId, currency, timezone } = account;
    const object = terminalStub(env, here.terminal.terminalId);
    const database = failTerminalNotes("hang");
    let isDone = false;
    const change = isBinding ? object.bind({ posId, merchantId, currency, timezone }, "move") : here.unbind();
    const changing = change.then(() => (isDone = true));
    await eventually(() => expect(database.tries).toBe(1));
    const now = isBinding ? posId : null;
    expect([await boundTo(here), isDone]).toEqual([now, false]);
    database.recover();
    await changing;
    expect(await noted(here)).toMatchObject({ bound_pos_id: now });
  });

  it("is answered within ten seconds, and survives a crash", async ({ expect }) => {
    const here = await scene();
    const database = failTerminalNotes("hang");
    const began = performance.now();
    await here.unbind();
    expect(performance.now() - began).toBeLessThan(12 * SECOND);
    expect(await boundTo(here)).toBeNull();
    await abortAllDurableObjects();
    expect(await alarmOf(here.terminal)).toBeGreaterThan(Date.now());
    database.recover();
    await here.pass(MINUTE);
    expect(await noted(here)).toMatchObject({ bound_pos_id: null });
    expect(await audited(here)).toMatchObject([{ action: "terminal.unbind" }]);
  });
});
