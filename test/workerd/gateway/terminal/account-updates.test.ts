/** Terminal and account send each other binding, terms, suspension and deletion, whatever fails in between. */
import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { NOT_BOUND } from "../../../../src/protocol/refusals.ts";
import type { Binding } from "../../../../src/protocol/binding.ts";
import type { DeviceUpdate, AccountUpdate } from "../../../../src/gateway/account/rpc.ts";
import { Account } from "../../../../src/gateway/index.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import type { TransferReply } from "../../../../src/gateway/terminal/transfer-replies.ts";
import { auditOf, type AuditRow } from "../../../support/audit.ts";
import { alarmOf, useFakeClock } from "../../../support/clock.ts";
import {
  accessToken,
  bindKey,
  bindMessage,
  bindTerminal,
  call,
  createAccount,
  enrolTerminal,
  loginTerminal,
  operator,
} from "../../../support/gateway.ts";
import { boundTo, reportedOpen, Scene, ScenePos } from "../../../support/scene.ts";
import { saleCall } from "../../../support/transfer-call.ts";
import { eventually } from "../../../support/patience.ts";

useFakeClock();

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Versions of terms are times: later than any that the account itself gives. */
const LATER = 10_000_000_000_000;

/** What accounts are told of their devices; `fail`: nobody hears it. */
function watchDevices(): { update: (DeviceUpdate & { posId: string })[]; answer: AccountUpdate | "fail" | null } {
  const deviceChanged = Reflect.get<Account, "deviceChanged">(Account.prototype, "deviceChanged");
  const watched: ReturnType<typeof watchDevices> = { update: [], answer: null };
  const spy = vi.spyOn(Account.prototype, "deviceChanged").mockImplementation(async function seen(
    this: Account,
    update,
  ) {
    watched.update.push({ ...update, posId: this.ctx.id.name ?? "" });
    if (watched.answer === "fail") throw new Error("the account's object is not there");
    return watched.answer ?? deviceChanged.call(this, update);
  });
  onTestFinished(() => spy.mockRestore());
  return watched;
}

/** A sale as the Worker hands it over, admitted under some version of the account's terms. */
function submit(
  { pos, terminal }: Pick<Scene, "pos" | "terminal">,
  version: number,
  members: object = {},
): Promise<TransferReply> {
  const { posId, merchantId, currency, timezone } = pos.account;
  const account = { posId, merchantId, currency, timezone, version: LATER + version, ...members };
  const sale = saleCall(pos.account, { referenceId: pos.reference(), account, detached: true });
  return terminalStub(env, terminal.terminalId).ask(sale);
}

function newsFor({ pos }: Scene, version: number, members: object = {}): AccountUpdate & { kind: "terms" } {
  const { posId, merchantId, currency, timezone } = pos.account;
  return {
    kind: "terms",
    terms: { posId, merchantId, currency, timezone, version: LATER + version, ...members },
    status: "active",
  };
}

function tell({ pos, terminal }: Scene, update: AccountUpdate) {
  return terminalStub(env, terminal.terminalId).applyAccountUpdate(pos.account.posId, update);
}

async function auditedOf(terminalId: string, wanted: string): Promise<Omit<AuditRow, "action">[]> {
  const rows = (await auditOf(terminalId)).filter(({ action }) => action === wanted);
  return rows.map(({ action: _action, ...row }) => row);
}

const CANCELLED = { kind: "answered", outcome: { statusCode: "11", responseCode: "CANCELLED" } };

describe("a change of the binding", () => {
  it("is reported to both the losing and the gaining account", async () => {
    const watched = watchDevices();
    const here = await Scene.alone();
    const { terminalId } = here.terminal;
    const { posId } = here.pos.account;
    const other = await createAccount();
    await bindTerminal(other, here.terminal);
    await here.unbind();
    await eventually(() => expect(watched.update).toHaveLength(4));
    const versions = watched.update.map(({ bindingVersion }) => bindingVersion);
    expect(versions).toEqual(versions.toSorted((one, next) => one - next));
    expect(watched.update.map(({ bindingVersion: _version, ...update }) => update)).toEqual([
      { terminalId, posId, bound: true },
      { terminalId, posId, bound: false, unboundBy: "terminal" },
      { terminalId, posId: other.posId, bound: true },
      { terminalId, posId: other.posId, bound: false, unboundBy: "operator" },
    ]);
    await here.pass(10 * MINUTE);
    expect(watched.update).toHaveLength(4);
  });

  it("is also reported when a terminal is retired", async () => {
    const watched = watchDevices();
    const here = await Scene.alone();
    await operator("DELETE", `/operator/terminals/${here.terminal.terminalId}`);
    await eventually(() => expect(watched.update.at(-1)).toMatchObject({ bound: false }));
  });

  it("takes effect without the account, which gets it later", async () => {
    const watched = watchDevices();
    watched.answer = "fail";
    const log = vi.spyOn(console, "log");
    onTestFinished(() => log.mockRestore());
    const here = await Scene.alone();
    const { posId } = here.pos.account;
    expect(await boundTo(here)).toBe(posId);
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)) as object);
    const about = { event: "outbox_delivery_failed", terminal: here.terminal.terminalId, target: `account:${posId}` };
    expect(lines).toContainEqual(expect.objectContaining(about));
    expect(watched.update.length).toBeGreaterThan(0);
    await here.crash();
    watched.answer = null;
    const tries = watched.update.length;
    await here.pass(5 * MINUTE);
    await eventually(() => expect(watched.update.length).toBeGreaterThan(tries));
    await scheduler.wait(20);
    await here.pass(10 * MINUTE);
    expect(watched.update).toHaveLength(tries + 1);
    expect(await alarmOf(here.terminal)).toBeNull();
  });

  it("is undone if the account was deleted, invalidating the key", async () => {
    const watched = watchDevices();
    const account = await createAccount();
    const terminal = await enrolTerminal();
    const key = await bindKey(await accessToken(account));
    watched.answer = { kind: "deleted", version: 9 };
    const answer = await call("POST", "/terminal/bind", {
      token: await loginTerminal(terminal),
      body: bindMessage(terminal, key),
    });
    expect(answer.status).toBe(400);
    expect(await boundTo({ terminal })).toBeNull();
    await eventually(() => expect(watched.update.at(-1)).toMatchObject({ bound: false }));
  });
});

function bindingOf({ pos: { account } }: Scene): Binding {
  const { posId, merchantId, currency, timezone } = account;
  return { posId, merchantId, currency, timezone };
}

describe("a binding", () => {
  it("is refused by the object of a retired or unenrolled terminal", async () => {
    const here = await Scene.alone();
    const { terminalId } = here.terminal;
    await operator("DELETE", `/operator/terminals/${terminalId}`);
    for (const name of [terminalId, "nobody"]) {
      const outcome = await terminalStub(env, name).bind(bindingOf(here), "only-unbound");
      expect(outcome).toEqual({ kind: "not-enrolled" });
      const sale = await submit({ pos: here.pos, terminal: { ...here.terminal, terminalId: name } }, 1);
      expect(sale).toMatchObject({ kind: "refused", code: 40000, problems: [NOT_BOUND] });
    }
  });

  it("does not change before the end of a running transaction", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    const stub = terminalStub(env, here.terminal.terminalId);
    const { posId } = await createAccount();
    expect((await submit(here, 5)).kind).toBe("waiting");
    await connection.acceptNext();
    const change = async (): Promise<string[]> => {
      const repeated = await stub.bind(bindingOf(here), "move");
      const foreign = await stub.unbind(posId, "tester");
      const moved = await stub.bind({ ...bindingOf(here), posId }, "move");
      const ended = await stub.unbind(null, "tester");
      return [repeated.kind, foreign.kind, moved.kind, ended.kind, (await stub.retire("tester")).kind];
    };
    await here.pass(89 * SECOND);
    expect(await change()).toEqual(["bound", "not-bound", "busy", "busy", "busy"]);
    await here.pass(SECOND);
    expect(await change()).toEqual(["bound", "not-bound", "bound", "unbound", "retired"]);
  });

  it("has the newest key's details until its account answers", async () => {
    const here = await Scene.alone();
    const { terminalId } = here.terminal;
    const stub = terminalStub(env, terminalId);
    const [posId, other] = [here.pos.account.posId, "POS-other"];
    await tell(here, newsFor(here, 7));
    watchDevices().answer = "fail";
    const connection = await here.connect();
    const wanted = { ...bindingOf(here), posId: other };
    for (const binding of [wanted, wanted, { ...wanted, currency: "SGD" }]) {
      expect(await stub.bind(binding, "move")).toEqual({ kind: "bound" });
    }
    // The account's own count of versions, which begins lower than that of the one before.
    await stub.applyAccountUpdate(other, newsFor(here, 1, { posId: other, merchantId: "one" }));
    const frames = await connection.frames();
    expect(frames).toMatchObject([{ currency: "MYR" }, { currency: "SGD" }, { merchantId: "one" }]);
    const actor = `terminal:${terminalId}`;
    expect(await auditedOf(terminalId, "terminal.bind")).toEqual([
      { actor, details: { posId }, before: { posId: null }, after: { posId } },
      { actor, details: { posId: other }, before: { posId }, after: { posId: other } },
    ]);
  });

  it("is done for an account that turns out to be suspended", async () => {
    const watched = watchDevices();
    const here = await Scene.alone();
    await here.unbind();
    watched.answer = { ...newsFor(here, 1), status: "suspended" };
    const outcome = await terminalStub(env, here.terminal.terminalId).bind(bindingOf(here), "move");
    expect([outcome, await boundTo(here)]).toEqual([{ kind: "bound" }, here.pos.account.posId]);
  });

  it("is reported as bound even if it is undone meanwhile", async () => {
    const here = await Scene.alone();
    const stub = () => terminalStub(env, here.terminal.terminalId);
    await here.unbind();
    const told = vi.spyOn(Account.prototype, "deviceChanged");
    onTestFinished(() => told.mockRestore());
    told.mockImplementation(async ({ bound }) => {
      if (bound) await stub().unbind(null, "tester");
      return newsFor(here, 1);
    });
    expect([await stub().bind(bindingOf(here), "move"), await boundTo(here)]).toEqual([{ kind: "bound" }, null]);
  });
});

describe("new terms of an account", () => {
  it("reach the bound terminal, and are not replaced by older ones", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    expect(await tell(here, newsFor(here, 7, { merchantId: "seven" }))).toEqual({ kind: "done" });
    expect(await connection.next("binding")).toMatchObject({ merchantId: "seven" });
    await tell(here, newsFor(here, 6, { merchantId: "six" }));
    await tell(here, { kind: "deleted", version: LATER + 6 });
    expect(await boundTo(here)).toBe(here.pos.account.posId);
    // A key of the same account, with the details that D1 has.
    expect(await terminalStub(env, here.terminal.terminalId).bind(bindingOf(here), "move")).toEqual({ kind: "bound" });
    await submit(here, 6, { merchantId: "six" });
    const frames = (await connection.frames()).filter((frame) => typeof frame === "object" && frame.type === "binding");
    expect(frames).toEqual([]);
  });

  it("are sent before the request with which they come", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    await submit(here, 7, { merchantId: "seven" });
    const frames = (await connection.frames()).filter((frame) => typeof frame === "object");
    expect(frames).toMatchObject([
      { type: "binding", merchantId: "seven" },
      { type: "request", merchantId: "seven" },
    ]);
  });

  it("are not sent to the terminal if nothing changed", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    await tell(here, newsFor(here, 1));
    let [version, members] = [1, {}];
    for (const change of [{ merchantId: "two" }, { currency: "SGD" }, { timezone: "UTC" }]) {
      members = { ...members, ...change };
      await tell(here, newsFor(here, ++version, members));
      expect(await connection.next("binding")).toMatchObject(change);
    }
  });

  it("do nothing if they are another account's", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    const update = newsFor(here, 7, { posId: "POS-other", merchantId: "other" });
    expect(await terminalStub(env, here.terminal.terminalId).applyAccountUpdate("POS-other", update)).toEqual({
      kind: "done",
    });
    expect(await connection.frames()).toEqual([]);
  });
});

describe("a suspended account", () => {
  it("has its queued and earlier requests cancelled; later ones are processed", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    const running = await submit(here, 5);
    expect(running.kind).toBe("waiting");
    const request = await connection.acceptNext();
    expect((await submit(here, 5)).kind).toBe("waiting");
    await tell(here, { ...newsFor(here, 7), status: "suspended" });
    const states = (await here.journal()).map(({ state, outcome }) => [state, outcome?.responseCode]);
    expect(states).toEqual([
      ["completed", "CANCELLED"],
      ["accepted", undefined],
    ]);
    expect(await submit(here, 6)).toMatchObject(CANCELLED);
    await here.settle(connection, request);
    await tell(here, newsFor(here, 8));
    expect(await submit(here, 6)).toMatchObject(CANCELLED);
    expect((await submit(here, 8)).kind).toBe("waiting");
    const last = await connection.acceptNext();
    await here.settle(connection, last);
    await tell(here, { ...newsFor(here, 10), status: "suspended" });
    expect(await submit(here, 9)).toMatchObject(CANCELLED);
  });

  it("stays suspended after a reset and after older updates", async () => {
    const here = await Scene.alone();
    await tell(here, { ...newsFor(here, 7), status: "suspended" });
    await here.crash();
    expect(await submit(here, 6)).toMatchObject(CANCELLED);
    await here.unbind();
    await terminalStub(env, here.terminal.terminalId).bind(bindingOf(here), "move");
    await tell(here, { ...newsFor(here, 5), status: "suspended" });
    expect(await submit(here, 6)).toMatchObject(CANCELLED);
  });
});

describe("an account that gets the terminal of a suspended one", () => {
  it("has no sale stopped, although its terms are older than the suspension", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    await tell(here, { ...newsFor(here, 7), status: "suspended" });
    const heir = await createAccount();
    await terminalStub(env, here.terminal.terminalId).bind({ ...bindingOf(here), posId: heir.posId }, "move");
    const pos = new ScenePos(heir, here.terminal, await accessToken(heir), here.books);
    expect((await submit({ pos, terminal: here.terminal }, 1)).kind).toBe("waiting");
    await here.settle(connection, await connection.acceptNext());
  });
});

describe("a deleted account", () => {
  it("loses the terminal once nothing runs on it, with an audit row", async () => {
    const here = await Scene.alone();
    const connection = await here.connect();
    await submit(here, 5);
    const request = await connection.acceptNext();
    const deleted = { kind: "deleted", version: LATER + 7, actor: "somebody" } as const;
    expect(await tell(here, deleted)).toEqual({ kind: "busy" });
    await tell(here, newsFor(here, 6, { merchantId: "six" }));
    expect(await connection.frames()).toEqual([]);
    expect(await boundTo(here)).toBe(here.pos.account.posId);
    await here.settle(connection, request);
    expect(await tell(here, deleted)).toEqual({ kind: "done" });
    expect(await boundTo(here)).toBeNull();
    // What it had admitted is on its way: no mistake of the POS's.
    expect(await submit(here, 6)).toMatchObject(CANCELLED);
    const { terminalId } = here.terminal;
    await eventually(async () =>
      expect(await auditedOf(terminalId, "terminal.unbind")).toMatchObject([{ actor: "somebody" }]),
    );
  });

  it("does not keep the terminal for a pending transaction", async () => {
    const here = await Scene.alone();
    await reportedOpen(here, await here.connect());
    expect(await tell(here, { kind: "deleted", version: LATER + 7 })).toEqual({ kind: "done" });
    expect(await boundTo(here)).toBeNull();
  });
});
