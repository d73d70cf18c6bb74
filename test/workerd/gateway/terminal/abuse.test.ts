/** Terminals, and thieves of a terminal's identity, that do what no terminal does. The lane stays unharmed. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, it, vi } from "vitest";
import { Terminal } from "../../../../src/gateway/index.ts";
import { Turns } from "../../../../src/gateway/durable/turns.ts";
import * as cardNumbers from "../../../../src/protocol/card-data/card-numbers.ts";
import {
  FRAMES_BEFORE_HELLO,
  FRAMES_PER_SECOND,
  FRAME_BURST,
  JOURNAL_LIFE,
  UNCONFIRMED_CONNECTIONS,
} from "../../../../src/protocol/limits.ts";
import { skip, useFakeClock } from "../../../support/clock.ts";
import { call, enrolTerminal, loginTerminal, operator, uniqueAddress } from "../../../support/gateway.ts";
import { approved, type Scene, useAccount } from "../../../support/scene.ts";
import { ScriptedTerminal } from "../../../support/scripted-terminal.ts";
import { CONTESTED_TAKEOVERS, CONTESTED_WITHIN } from "../../../../src/gateway/terminal/terminal-socket.ts";
import { KEPT_REPORTS } from "../../../../src/gateway/terminal/storage/stored-reports.ts";

useFakeClock();
const scene = useAccount();

const SECOND = 1_000;
const DAY = 86_400_000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** Every log line that is written from now on. */
function logLines(): { event: string; [member: string]: unknown }[] {
  const lines: { event: string }[] = [];
  for (const method of ["log", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line) => void lines.push(JSON.parse(String(line)) as never));
  }
  return lines;
}

/** A sale goes through as ever. */
async function sellsOn(here: Scene): Promise<string> {
  const connection = await here.connect();
  return (await approved(here, connection)).answer.body.statusCode;
}

describe("a flood of frames", () => {
  it("closes the connection (4003), and the next connection works", async ({ expect }) => {
    const here = await scene();
    logLines();
    const connection = await here.connect();
    const frame = connection.signed(connection.resultFrame("9999999999", "00"));
    for (let sent = 0; sent <= FRAME_BURST; sent++) connection.send(frame);
    expect(await connection.closed()).toBe(4003);
    // A terminal waits before it connects again.
    skip((FRAME_BURST / FRAMES_PER_SECOND) * SECOND);
    expect(await sellsOn(here)).toBe("00");
  });

  it("costs no turn of the object once its connection is closed", async ({ expect }) => {
    const here = await scene();
    logLines();
    const connection = await here.connect();
    const turns = vi.spyOn(Turns.prototype, "take");
    const heard = vi.spyOn(Terminal.prototype, "webSocketMessage");
    for (let frame = 0; frame < FRAME_BURST + 200; frame++) connection.send("pong");
    expect(await connection.closed()).toBe(4003);
    await expect.poll(() => heard.mock.calls.length).toBe(FRAME_BURST + 200);
    expect(turns.mock.calls.length).toBeLessThan(FRAME_BURST + 10);
    skip(SECOND);
    expect(await sellsOn(here)).toBe("00");
  });

  it("is not assumed within a busy terminal's allowed burst and rate", async ({ expect }) => {
    const connection = await (await scene()).connect();
    // A `frames` below is one each.
    for (let frame = 0; frame < FRAME_BURST - 1; frame++) connection.send("pong");
    await connection.frames();
    for (let second = 0; second < 5; second++) {
      skip(SECOND);
      for (let frame = 0; frame < FRAMES_PER_SECOND - 1; frame++) connection.send("pong");
      await connection.frames();
    }
    expect(connection.closeCode).toBeNull();
    connection.send("pong");
    expect(await connection.closed()).toBe(4003);
  });
});

describe("a flood of long frames", () => {
  const long = "x".repeat(12 * 1_024);
  const each = 13;

  it("closes the connection after as many bytes as short ones", async ({ expect }) => {
    const here = await scene();
    logLines();
    const connection = await here.connect();
    const turns = vi.spyOn(Turns.prototype, "take");
    for (let sent = 0; sent < FRAME_BURST / 4; sent++) connection.send({ type: "pong", long });
    expect(await connection.closed()).toBe(4003);
    // The tenth bad frame would close it, too.
    expect(turns.mock.calls.length).toBeLessThanOrEqual(FRAME_BURST / each + 2);
    skip(SECOND);
    expect(await sellsOn(here)).toBe("00");
  });

  it("closes the next connection too until the allowance has refilled", async ({ expect }) => {
    const here = await scene();
    logLines();
    const ignored = { type: "accepted", requestId: "1000000000", attempt: 1, long };
    const sendAll = async (): Promise<number> => {
      const connection = await here.connect();
      const turns = vi.spyOn(Turns.prototype, "take");
      for (let sent = 0; sent < FRAME_BURST / each + 10; sent++) connection.send(ignored);
      expect(await connection.closed()).toBe(4003);
      const count = turns.mock.calls.length;
      turns.mockRestore();
      return count;
    };
    expect(await sendAll()).toBeGreaterThan(FRAME_BURST / each - 2);
    // Only the turns of its end.
    expect(await sendAll()).toBeLessThan(4);
    skip((FRAME_BURST / FRAMES_PER_SECOND) * SECOND);
    expect(await sendAll()).toBeGreaterThan(FRAME_BURST / each - 2);
    skip((FRAME_BURST / FRAMES_PER_SECOND) * SECOND);
    expect(await sellsOn(here)).toBe("00");
  });

  it("is ended before any hello after the length of one hello", async ({ expect }) => {
    const connection = await ScriptedTerminal.open((await scene()).terminal);
    for (let sent = 0; sent <= FRAMES_BEFORE_HELLO / each; sent++) connection.send({ type: "pong", long });
    expect(await connection.closed()).toBe(4003);
  });
});

describe("the texts of a result", () => {
  it("are searched for card numbers once, also if it comes again", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    const text = "paid at the counter by the door";
    const texts = { responseText: text, responseCode: text, softwareVersion: text, terminalSn: text };
    const transData = { cardLabel: text, cardHoldersName: text, paymentChannel: text, aid: text, apprCode: text };
    const searched = vi.spyOn(cardNumbers, "maskCardNumbers");
    connection.result(request, "11", { ...texts, transData });
    expect(await connection.next("ack")).toMatchObject({ statusCode: "11" });
    expect(searched.mock.calls.filter(([one]) => one === text)).toHaveLength(9);
  });
});

describe("hello", () => {
  it("leaves only a few connections waiting, the oldest closed (4003)", async ({ expect }) => {
    const here = await scene();
    const working = await here.connect();
    const silent: ScriptedTerminal[] = [];
    for (let more = 0; more < UNCONFIRMED_CONNECTIONS + 2; more++)
      silent.push(await ScriptedTerminal.open(here.terminal));
    expect(await silent[0]?.closed()).toBe(4003);
    expect(await silent[1]?.closed()).toBe(4003);
    expect(silent.slice(2).map(({ closeCode }) => closeCode)).toEqual(Array<null>(UNCONFIRMED_CONNECTIONS).fill(null));
    expect((await approved(here, working)).answer.body.statusCode).toBe("00");
    await here.pass(10 * SECOND);
    for (const connection of silent) expect(await connection.closed()).toBe(4003);
    expect(working.closeCode).toBeNull();
  });
});

/** As an operator sees it. */
async function isContested({ terminal }: Scene): Promise<unknown> {
  return (await operator("GET", `/operator/terminals/${terminal.terminalId}`)).body["contested"];
}

describe("two machines with one identity", () => {
  it("replace each other, which logs an error after a few times", async ({ expect }) => {
    const here = await scene();
    const lines = logLines();
    const takeovers = () => lines.filter(({ event }) => event === "connection_taken_over");
    let before = await here.connect();
    for (let time = 1; time <= CONTESTED_TAKEOVERS + 1; time++) {
      skip(61 * SECOND);
      // The record of it is in the connection, not in memory.
      await here.sleep();
      const next = await here.connect();
      expect(await before.closed()).toBe(4001);
      expect(takeovers().at(-1)).toMatchObject({
        terminal: here.terminal.terminalId,
        level: time < CONTESTED_TAKEOVERS ? "info" : "error",
        contested: time >= CONTESTED_TAKEOVERS,
      });
      expect(await isContested(here)).toBe(time >= CONTESTED_TAKEOVERS);
      before = next;
    }
    // A connection has little room.
    const kept = await runInDurableObject(env.TERMINAL.getByName(here.terminal.terminalId), (_object, state) =>
      state.getWebSockets("terminal").map((socket) => socket.deserializeAttachment() as { takeovers: number[] }),
    );
    expect(Math.max(...kept.map(({ takeovers: times }) => times.length))).toBe(CONTESTED_TAKEOVERS);
    skip(CONTESTED_WITHIN);
    expect(await isContested(here)).toBe(false);
    await here.connect();
    expect(takeovers().at(-1)).toMatchObject({ level: "info", contested: false });
  });

  it("have to wait (429), like reconnect storms, each terminal separately", async ({ expect }) => {
    const [storming, calm] = [await enrolTerminal(), await enrolTerminal()];
    const [token, other] = [await loginTerminal(storming), await loginTerminal(calm)];
    const address = uniqueAddress();
    // Without an upgrade: what is counted is counted before. More than two windows allow, because one may end meanwhile.
    const connects = Array.from({ length: 70 }, () => call("GET", "/terminal/connect", { token, address }));
    const answers = await Promise.all(connects);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(10);
    expect(refused[0]?.headers.get("Retry-After")).toBe("60");
    expect((await call("GET", "/terminal/connect", { token: other, address })).status).toBe(400);
  });
});

describe("a terminal's reports", () => {
  it("are kept, up to a limit, if they contradict the outcome", async ({ expect }) => {
    const here = await scene();
    const connection = await here.connect();
    const { request } = await approved(here, connection);
    for (let time = 0; time < KEPT_REPORTS + 5; time++) {
      connection.result(request, "11", { responseText: `no, the ${time}th` });
      if (time < KEPT_REPORTS) expect(await connection.next("ack")).toMatchObject({ statusCode: "11" });
    }
    // What is not kept is not acknowledged.
    expect(await connection.frames()).toEqual([]);
    const [row] = await here.journal();
    expect(row?.outcome).toMatchObject({ statusCode: "00" });
    expect(row?.conflicts).toHaveLength(KEPT_REPORTS);
  });
});

describe("a signed request that somebody recorded and replays", () => {
  it("is refused as too old after the journal has forgotten it", async ({ expect }) => {
    const here = await scene();
    const first = await here.connect();
    const { body, request } = await approved(here, first);
    await first.lose();
    await here.pass(JOURNAL_LIFE + 2 * DAY);
    // The account's object forgets the claim on a day of its own.
    const later = await here.posOfNow();
    const connection = await here.connect();
    await runInDurableObject(env.ACCOUNT.getByName(here.pos.account.posId), (_object, { storage }) => {
      storage.sql.exec("DELETE FROM claims WHERE reference_id = ?", body["referenceId"]);
    });
    expect((await here.journal()).map(({ requestId }) => requestId)).not.toContain(request.requestId);
    const replayed = await later.transfer(body);
    expect([replayed.status, replayed.body.details?.[0]?.path]).toEqual([400, "datetime"]);
    expect(
      (await connection.frames()).filter((frame) => typeof frame === "object" && frame.type === "request"),
    ).toEqual([]);
  });
});
