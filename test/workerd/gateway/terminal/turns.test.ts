/** Every entry into the object is one turn, which ends by setting the alarm. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Terminal } from "../../../../src/gateway/index.ts";
import { Retention } from "../../../../src/gateway/terminal/retention.ts";
import { Journal } from "../../../../src/gateway/terminal/storage/journal.ts";
import { TerminalRecordStore } from "../../../../src/gateway/terminal/storage/record.ts";
import { terminalStub } from "../../../../src/gateway/terminal/rpc.ts";
import { Turns } from "../../../../src/gateway/durable/turns.ts";
import { alarmOf, skip, useFakeClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/patience.ts";
import { enrolTerminal, uniqueId } from "../../../support/gateway.ts";
import { type Scene, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { cancelCall, saleCall } from "../../../support/transfer-call.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** A sale whose time is over, which the next alarm notices. */
async function overdueSale() {
  const here = await scene();
  const connection = await here.connect();
  const answer = here.pos.sale();
  await connection.acceptNext();
  await connection.frames();
  skip(90 * SECOND);
  return { here, answer };
}

/** The next call of this method does its work and then throws. */
function breakOnce<Of extends object>(of: Of, name: keyof Of & string): void {
  const method = Reflect.get(of, name) as (...given: unknown[]) => unknown;
  vi.spyOn(of as Record<string, typeof method>, name).mockImplementationOnce(function breaks(this: Of, ...given) {
    method.apply(this, given);
    throw new Error("broken on purpose");
  });
}

/** What a call to the object throws; `null` where it does not. */
function failureOf({ terminal }: Scene, enter: (object: Terminal) => Promise<unknown>): Promise<string | null> {
  return runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), (object) =>
    enter(object).then(() => null, String),
  );
}

function statusOf({ terminal }: Scene): Promise<unknown> {
  return terminalStub(env, terminal.terminalId).status();
}

describe("a turn", () => {
  const BINDING = { posId: "POS-1", merchantId: "M-1", currency: "MYR", timezone: "UTC" };
  const READS = ["prewarm", "status", "statistics", "ownTransaction", "transactions"];
  const ENTRIES: Record<string, (object: Terminal, socket: WebSocket) => unknown> = {
    fetch: (object) => object.fetch(new Request("https://terminal.internal/connect")),
    webSocketMessage: (object, socket) => object.webSocketMessage(socket, "pong"),
    webSocketClose: (object, socket) => object.webSocketClose(socket, 1000, ""),
    webSocketError: (object, socket) => object.webSocketError(socket),
    alarm: (object) => object.alarm(),
    ask: (object) => object.ask(cancelCall(BINDING, "r")),
    resolve: (object) => object.resolve(1, "11", "known", "olga"),
    applyAccountUpdate: (object) => object.applyAccountUpdate("POS-1", { kind: "deleted", version: 1 }),
    enrol: (object) => object.enrol({ terminalId: "T-1", isVT: 0, sealedSecret: "sealed" }),
    changeSecret: (object) => object.changeSecret({ sealedSecret: "sealed", revokePrevious: true, actor: "olga" }),
    createActivationCode: (object) => object.createActivationCode({ digest: "digest", expiresAt: 1 }, "olga"),
    activate: (object) => object.activate(["digest"], "sealed"),
    verifyBind: (object) => object.verifyBind({}, 1),
    bind: (object) => object.bind(BINDING, "move"),
    unbind: (object) => object.unbind(null, "olga"),
    reseal: (object) => object.reseal(),
    describe: (object) => object.describe({ name: "Counter 1" }),
    resync: (object) => object.resync(),
    verifyLogin: (object) => object.verifyLogin({}),
    retire: (object) => object.retire("olga"),
  };

  it("is used by everything that enters the object and may change something", async ({ expect }) => {
    const names = Object.getOwnPropertyNames(Terminal.prototype).filter((name) => name !== "constructor");
    expect([...Object.keys(ENTRIES), ...READS].toSorted()).toEqual(names.toSorted());
    const terminal = await enrolTerminal();
    const connection = await ScriptedTerminal.open(terminal);
    await connection.next("welcome");
    const without = await runInDurableObject(env.TERMINAL.getByName(terminal.terminalId), async (object, state) => {
      const turns = [vi.spyOn(Turns.prototype, "take"), vi.spyOn(Turns.prototype, "takeAlarm")];
      const [socket] = state.getWebSockets("terminal");
      if (socket === undefined) throw new Error("the terminal is not connected");
      const found: string[] = [];
      for (const [name, enter] of Object.entries(ENTRIES)) {
        for (const turn of turns) turn.mockClear();
        await enter(object, socket);
        if (turns.every((turn) => turn.mock.calls.length === 0)) found.push(name);
      }
      return found;
    });
    expect(without).toEqual([]);
  });

  it("leaves nothing behind if it fails after writing a row", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    breakOnce(Journal.prototype, "insert");
    const reference = uniqueId("r");
    expect(await failureOf(here, (object) => object.ask(saleCall(here.pos.account, { referenceId: reference })))).toBe(
      "Error: broken on purpose",
    );
    expect(await here.journal()).toEqual([]);
    expect(await connection.frames()).toEqual([]);
    const again = here.pos.transfer(here.pos.saleBody({ referenceId: reference }));
    here.approve(connection, await connection.acceptNext());
    expect((await again).body.statusCode).toBe("00");
  });

  it("keeps the previous deadlines if it fails, none in the past", async ({ expect }) => {
    const { here, answer } = await overdueSale();
    breakOnce(Journal.prototype, "update");
    await runDurableObjectAlarm(env.TERMINAL.getByName(here.terminal.terminalId));
    const again = (await alarmOf(here.terminal)) ?? 0;
    expect(again).toBeGreaterThan(Date.now());
    expect(again).toBeLessThanOrEqual(Date.now() + 10 * SECOND);
    await here.pass(10 * SECOND);
    expect((await answer).body.statusCode).toBe("22");
  });

  it("meets a deadline although the journal cannot be pruned", async ({ expect }) => {
    const { here, answer } = await overdueSale();
    breakOnce(Retention.prototype, "step");
    await runDurableObjectAlarm(env.TERMINAL.getByName(here.terminal.terminalId));
    expect((await answer).body.statusCode).toBe("22");
  });

  it.for([
    ["in it", false],
    ["in it, and again at its connection's end", true],
  ] as const)("acknowledges nothing if it fails with a result %s", async ([, alsoBreaks], { expect }) => {
    const here = await scene();
    const { connection: first, answer, request } = await here.accepted();
    expect(await first.frames()).toEqual([]);
    // What is broken comes after the row.
    breakOnce(Retention.prototype, "stored");
    if (alsoBreaks) breakOnce(TerminalRecordStore.prototype, "update");
    here.approve(first, request);
    expect(await first.closed()).toBe(1011);
    expect(first.pending()).toEqual([]);
    expect(await here.journal()).toMatchObject([{ state: "accepted", outcome: null }]);
    const second = await here.connect({ open: [request.requestId] });
    second.result(request, "00");
    expect(await second.next("ack")).toMatchObject({ statusCode: "00" });
    expect((await answer).body.statusCode).toBe("00");
  });
});

/** The next call of this method of the platform throws. */
function refuseOnce(of: object, name: string): void {
  const prototype = Object.getPrototypeOf(of) as Record<string, () => unknown>;
  vi.spyOn(prototype, name).mockImplementationOnce(() => {
    throw new Error("broken on purpose");
  });
}

describe("a turn whose rows are written and whose socket fails", () => {
  it.for(["acceptWebSocket", "serializeAttachment"])(
    "sends nothing of it with a later turn: %s",
    async (method, { expect }) => {
      const here = await scene();
      const first = await here.connect();
      await runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), (_object, state) => {
        refuseOnce(method === "acceptWebSocket" ? state : new WebSocketPair()[0], method);
      });
      const answer = here.pos.sale();
      // The Worker has called again, and waits now.
      await eventually(async () => expect(await waitersOf(here)).toBe(1));
      first.send("pong");
      expect(await first.frames()).toEqual([]);
      expect(await here.journal()).toMatchObject([{ state: "sent", attempt: 1 }]);
      // A terminal that never had the request gets it on its next connection.
      await here.pass(10 * SECOND);
      expect(await first.closed()).toBe(4004);
      const second = await here.connect();
      const request = await second.acceptNext();
      expect(request.attempt).toBe(2);
      here.approve(second, request);
      expect((await answer).body.statusCode).toBe("00");
    },
  );
});

function waitersOf({ terminal }: Scene): Promise<number> {
  return runInDurableObject(
    env.TERMINAL.getByName(terminal.terminalId),
    (_object, state) => state.getWebSockets().length - state.getWebSockets("terminal").length,
  );
}

describe("a hello whose reconciliation fails", () => {
  for (const [what, of, method] of [
    ["in the record", TerminalRecordStore.prototype, "update"],
    ["in the journal", Journal.prototype, "update"],
  ] as const) {
    it(`has no effect (${what}), and the next one counts`, async ({ expect }) => {
      const here = await scene();
      const first = await here.connect();
      const answer = here.pos.sale();
      const request = await first.nextRequest();
      await first.lose();
      const second = await ScriptedTerminal.open(here.terminal);
      const { nonce } = await second.next("welcome");
      breakOnce(of, method);
      second.sendHello(String(nonce));
      expect(await second.closed()).toBe(1011);
      expect(second.pending()).toEqual([]);
      expect(await here.journal()).toMatchObject([{ state: "sent", attempt: 1 }]);
      expect(await statusOf(here)).toMatchObject({ connected: false });
      const third = await here.connect();
      const again = await third.acceptNext();
      expect(again).toMatchObject({ requestId: request.requestId, attempt: 2 });
      here.approve(third, again);
      expect((await answer).body.statusCode).toBe("00");
    });
  }
});
