/** How the simulated terminal is switched on and off, loses its power, its memory and its connection, and behaves as it is told. */
import { describe, it } from "vitest";
import {
  MemoryStore,
  type TerminalEvent,
  type TerminalMemory,
  type TransactionRequest,
} from "../../../../src/sdk/client/terminal.ts";
import { behaviourByAmount, behaviourNamed, type Behaviour } from "../../../../src/sdk/simulator/behaviour.ts";
import { SimulatedTerminal, type SimulatedTerminalOptions } from "../../../../src/sdk/simulator/simulated-terminal.ts";
import { refusal, ScriptedConnection, ScriptedGateway, SECRET } from "../../../support/scripted-gateway.ts";

const GATEWAY = { baseUrl: "https://gateway.test", terminalId: "T-1", secret: SECRET };

function terminalAt(gateway: ScriptedGateway, options: Partial<SimulatedTerminalOptions> = {}): SimulatedTerminal {
  const { openSocket, fetch } = gateway;
  return new SimulatedTerminal({ ...GATEWAY, openSocket, fetch, reconnect: { first: 0, longest: 0 }, ...options });
}

async function switchedOn(options: Partial<SimulatedTerminalOptions> = {}) {
  const gateway = new ScriptedGateway();
  const terminal = terminalAt(gateway, options);
  const started = terminal.start();
  const connection = await gateway.connection();
  const hello = await connection.greet();
  await started;
  return { gateway, terminal, connection, hello };
}

/** Records what is stored. */
class WatchedStore extends MemoryStore {
  readonly did: string[] = [];

  override async save(memory: TerminalMemory): Promise<void> {
    this.did.push(memory.held.map(({ stage, result }) => result?.statusCode ?? stage).join());
    await super.save(memory);
  }

  async close(): Promise<void> {
    this.did.push("closed");
  }
}

function behaviour(name: string): Behaviour {
  const found = behaviourNamed(name);
  if (found === undefined) throw new Error(`there is no behaviour ${name}`);
  return found;
}

const unauthorized = async (): Promise<Response> => refusal(401);
const unreachable = async (): Promise<Response> => Promise.reject(new TypeError("connection refused"));

/** Of a terminal that cannot connect, in milliseconds. */
async function firstWait(options: Partial<SimulatedTerminalOptions>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const onEvent = (event: TerminalEvent): void => {
    if (event.kind === "disconnected") resolve(event.reconnectInMs);
  };
  const terminal = new SimulatedTerminal({ ...GATEWAY, ...options, onEvent });
  await terminal.switchOn();
  const wait = await promise;
  await terminal.stop();
  return wait;
}

describe("a simulated terminal", () => {
  it("waits before it reconnects, five seconds at most by default", async ({ expect }) => {
    const waits: number[] = [];
    for (const [answer, options] of [
      [unauthorized, {}],
      [unauthorized, { reconnect: { first: 100, longest: 900 } }],
      [unreachable, {}],
      [unreachable, { reconnect: { first: 100, longest: 900 } }],
    ] as const) {
      waits.push(await firstWait({ fetch: answer, random: () => 0.5, ...options }));
    }
    expect(waits).toEqual([5_000, 900, 100, 50]);
  });

  it("keeps its memory when it is switched off and on", async ({ expect }) => {
    const store = new WatchedStore();
    const { gateway, terminal, connection, hello } = await switchedOn({ store });
    const { client } = terminal;
    await terminal.stop();
    expect([store.did.at(-1), connection.closedWith]).toEqual(["closed", 1000]);
    expect(terminal.client).not.toBe(client);
    await terminal.switchOn();
    const again = await gateway.connection();
    expect((await again.greet())["memory"]).toBe(hello["memory"]);
    await terminal.stop();
  });

  it("stores, shows and charges nothing more without power", async ({ expect }) => {
    const store = new WatchedStore();
    const seen: string[] = [];
    const held = Promise.withResolvers<void>();
    const { gateway, terminal, connection } = await switchedOn({
      store,
      onEvent: ({ kind }) => seen.push(kind),
      onStage: (_, stage) => seen.push(stage),
      onReceipt: () => seen.push("receipt"),
      customer: async () => {
        await held.promise;
        return {};
      },
    });
    await connection.request();
    await connection.frame("progress");
    const [before, stored] = [[...seen], [...store.did]];
    terminal.powerCut();
    held.resolve();
    await terminal.switchOn();
    const after = await gateway.connection();
    expect((await after.greet())["open"]).toEqual(["1000000001"]);
    expect(await after.frame("result")).toMatchObject({ statusCode: "11", responseCode: "RESTARTED" });
    expect([seen, store.did, terminal.ledger.charges]).toEqual([[...before, "connected"], [...stored, "11"], []]);
    expect([connection.closedWith, connection.frames.waiting.map(({ type }) => type)]).toEqual([3100, ["accepted"]]);
    await terminal.stop();
  });

  it("never uses a connection being opened when the power goes", async ({ expect }) => {
    const store = new WatchedStore();
    const opened = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<void>();
    const connection = new ScriptedConnection([]);
    const terminal = terminalAt(new ScriptedGateway(), {
      store,
      openSocket: async () => {
        opening.resolve();
        await opened.promise;
        return connection;
      },
    });
    await terminal.switchOn();
    await opening.promise;
    const { client } = terminal;
    terminal.powerCut();
    opened.resolve();
    await client.stop();
    expect([connection.closedWith, store.did]).toEqual([3100, [""]]);
  });

  it("has another memory when replaced by another device", async ({ expect }) => {
    const { gateway, terminal, connection, hello } = await switchedOn();
    await connection.request({ transData: { transAmt: "1.22", paymentMethod: "bankCard" } });
    await connection.frame("result");
    terminal.powerCut();
    const other = terminalAt(gateway);
    await other.switchOn();
    const after = await (await gateway.connection()).greet();
    expect(after["open"]).toEqual([]);
    expect(after["memory"]).not.toBe(hello["memory"]);
    await other.stop();
  });

  it("comes back by itself when its connection is dropped", async ({ expect }) => {
    const { gateway, terminal, connection } = await switchedOn();
    terminal.dropConnection();
    expect(connection.closedWith).toBe(3100);
    await (await gateway.connection()).greet();
    await terminal.stop();
  });

  it("behaves as configured per request, otherwise by the cents", async ({ expect }) => {
    const told = new Map([
      ["1000000001", behaviour("declined")],
      ["1000000002", behaviour("busy")],
    ]);
    const behaviourOf = (request: TransactionRequest): Behaviour =>
      told.get(request.requestId) ?? behaviourByAmount(request);
    const cases: [Partial<SimulatedTerminalOptions>, string[]][] = [
      [{ behaviourOf }, ["05", "busy", "51", "00"]],
      [{ behaviourOf: () => behaviour("expired-card") }, ["54", "54", "54", "54"]],
      [{}, ["00", "00", "51", "00"]],
    ];
    for (const [options, expected] of cases) {
      const { terminal, connection } = await switchedOn(options);
      const outcomes: unknown[] = [];
      for (const [index, cents] of ["00", "00", "51", "00"].entries()) {
        const id = String(1_000_000_001 + index);
        const transData = { transAmt: `1.${cents}`, paymentMethod: "bankCard" };
        await connection.request({ requestId: id, transId: id, transData });
        const { responseCode, reason } = await connection.frames.take(
          "an end",
          ({ type }) => type === "result" || type === "refused",
        );
        outcomes.push(responseCode ?? reason);
      }
      expect(outcomes).toEqual(expected);
      await terminal.stop();
    }
  });

  it("asks its host about a pending payment only when the gateway asks", async ({ expect }) => {
    const store = new MemoryStore();
    const { gateway, terminal, connection } = await switchedOn({ store });
    await connection.request({ transData: { transAmt: "1.22", paymentMethod: "bankCard" } });
    expect(await connection.frame("result")).toMatchObject({ statusCode: "22", responseCode: "09" });
    terminal.powerCut();
    await terminal.switchOn();
    const after = await gateway.connection();
    await after.greet();
    expect(await after.frame("result")).toMatchObject({ statusCode: "22", responseCode: "09" });
    after.sendFrame({ type: "ask", requestId: "1000000001", attempt: 1 });
    expect(await after.frame("result")).toMatchObject({ statusCode: "00" });
    await terminal.stop();
  });
});
