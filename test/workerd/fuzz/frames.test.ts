/**
 * Every frame of a terminal, and what is none, on connections before and after their hello. Whatever is sent: the
 * connection continues or is closed with one of the protocol's codes, what is completed stays as it is, no transaction
 * comes out of nothing, the neighbour's terminal is not touched, and the lane works afterwards.
 */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, it, vi } from "vitest";
import { skip, useFakeClock } from "../../support/clock.ts";
import { BASE_URL, loginTerminal, operator, requestOf } from "../../support/gateway.ts";
import { Terminal } from "../../support/terminal.ts";
import { FRAME_BURST, FRAMES_PER_SECOND } from "../../../src/protocol/limits.ts";
import { bodies, type Body, bytesOf, mostly } from "./inputs.ts";
import { afterTheGrace, ask, INPUTS, makeSides, rows, SEED, type Side } from "./world.ts";

useFakeClock();

const OWN_INPUTS = INPUTS / 2;

/** Frames that one connection is sent at most, if it is not closed before. */
const FRAMES = 19;

/** Rows are compared after so many connections. */
const CHUNK = 50;

const REPORTS = ["accepted", "refused", "progress", "result", "result"] as const;

/** What ends the connection, mostly: rarely sent, or little else would ever be looked at. */
const ENDINGS = ["hello", "bytes", "ping", "pong", "big"] as const;

type Kind = (typeof REPORTS)[number] | (typeof ENDINGS)[number];

interface Input {
  /** What the frame is made of; `bytes` are sent as such, `big` is one byte too many. */
  kind: Kind;
  signed: boolean;
  body: Body;
}

interface Session {
  saysHello: boolean;
  frames: Input[];
}

function sessions(known: readonly string[], running: string): fc.Arbitrary<Session> {
  const kinds = fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom<Kind>(...REPORTS) },
    { weight: 1, arbitrary: fc.constantFrom<Kind>(...ENDINGS) },
  );
  const about = fc.constantFrom(side.transId, running, "9999999998", neighbour.transId);
  const input: fc.Arbitrary<Input> = fc
    .tuple(kinds, about, fc.constantFrom("00", "11", "22"))
    .chain(([kind, requestId, statusCode]) =>
      fc.record({
        kind: fc.constant(kind),
        signed: mostly<boolean>(true, fc.constant(false), 5),
        body: bodies(frameOf(kind, requestId, statusCode), known),
      }),
    );
  return fc.record({
    saysHello: mostly<boolean>(true, fc.constant(false), 6),
    frames: fc.array(input, { minLength: 1, maxLength: FRAMES, size: "max" }),
  });
}

let side: Side;
let neighbour: Side;
let token: string;

beforeAll(async () => {
  vi.spyOn(console, "log").mockImplementation(() => {});
  vi.spyOn(console, "error").mockImplementation(() => {});
  console.info(`FUZZ_SEED=${SEED} FUZZ_INPUTS=${INPUTS}`);
  [side, neighbour] = await makeSides();
  token = await loginTerminal(side.pos.terminal);
});

beforeEach(afterTheGrace);

/** One that may have been closed in between. */
class Connection extends Terminal {
  static async open(): Promise<Connection> {
    const headers = { Upgrade: "websocket" };
    const { webSocket } = await ask(requestOf(BASE_URL, "GET", "/terminal/connect", { token, headers }));
    if (webSocket === null) throw new Error("connect failed");
    const connection = new Connection(side.pos.terminal, webSocket as never);
    webSocket.accept();
    return connection;
  }

  /** One whose hello holds. */
  static async connected(open: string[]): Promise<Connection> {
    const connection = await Connection.open();
    await connection.hello({ open });
    return connection;
  }

  override send(frame: object | string): void {
    try {
      if (this.closeCode === null) super.send(frame);
    } catch {
      // Closed in between.
    }
  }

  /** What was sent before is handled: where the hello held, it is answered; else it ends here. */
  async handled(saysHello: boolean): Promise<void> {
    if (!saysHello) {
      this.send("]");
      await this.closed();
      return;
    }
    await this.frames().catch((error: unknown) => {
      if (this.closeCode === null) throw error;
    });
  }
}

/** What is not signed has a signature of the right form. */
const UNSIGNED = { signature: "0".repeat(64) };

function frameOf(kind: Kind, requestId: string, statusCode: string): object {
  switch (kind) {
    case "hello":
      return { type: "hello", nonce: "x", softwareVersion: "1", terminalSn: "SN", memory: "m", open: [], ...UNSIGNED };
    case "accepted":
      return { type: "accepted", requestId, attempt: 1 };
    case "refused":
      return { type: "refused", requestId, attempt: 1, reason: "busy" };
    case "progress":
      return { type: "progress", requestId, stage: "pin" };
    default:
      return {
        type: "result",
        requestId,
        statusCode,
        responseCode: statusCode,
        responseText: "well",
        softwareVersion: "1",
        terminalSn: "SN",
        ...UNSIGNED,
        transData: { paymentChannel: "VISA", cardNo: "4111111111111111", transAmt: "12.50", currency: "MYR", tid: "1" },
      };
  }
}

function dataOf({ kind, body, signed }: Input): string | Uint8Array {
  if (kind === "ping" || kind === "pong") return kind;
  if (kind === "big") return `"${"x".repeat(65_536)}"`;
  const bytes = bytesOf(body, signed ? side.pos.terminal.secret : null);
  // A text of a WebSocket is well-formed; the platform sees to that.
  return kind === "bytes" ? bytes : new TextDecoder().decode(bytes);
}

/** Closed by itself, by the protocol's codes; 1000 if the test did it. */
const CODES = [4001, 4003, 4004, 1009, null];

/** Tables to which a transaction that completes adds updates of its own account. */
const OWN_UPDATES = ["statistics_told", "account_hours", "fingerprints", "pending"];

/** Tables that it is added to, with those of all accounts. */
const SUMS = ["statistics_hours", "statistics_days"];

const outcomes = new Map<string, number>();

function count(what: string): void {
  outcomes.set(what, (outcomes.get(what) ?? 0) + 1);
}

function withoutConnected(row: string): string {
  return row.replace(/"connected":\d+/u, "");
}

describe("every frame", () => {
  it("is handled by the protocol, and harms neither lane nor neighbour", async ({ expect }) => {
    const ids = [side.pos.terminal.terminalId, neighbour.pos.terminal.terminalId];
    const own = side.pos.terminal.terminalId;
    const known = [...side.names, ...neighbour.names];
    const sent = { frames: 0 };
    for (let chunk = 0; sent.frames < OWN_INPUTS; chunk++) {
      // A sale that the terminal has accepted, for frames to be about.
      const pos = await Connection.connected([]);
      const sale = side.pos.sale({}, {}, { headers: { Prefer: "respond-async" } });
      const { requestId: running } = await pos.acceptNext();
      expect((await sale).body.statusCode).toBe("22");
      const before = await rows(ids);
      let keepable = 0;

      const property = fc.asyncProperty(sessions(known, running), async ({ saysHello, frames }) => {
        const connection = await Connection.open();
        const nonce = String((await connection.next("welcome"))["nonce"]);
        if (saysHello) connection.sendHello(nonce, { open: [running] });
        for (const frame of frames) connection.send(dataOf(frame));
        sent.frames += frames.length;
        await connection.handled(saysHello);
        if (connection.closeCode === null) connection.drop();
        expect(CODES).toContain(connection.closeCode);
        for (const text of connection.texts) {
          if (text === "ping" || text === "pong") continue;
          const { type, code = "" } = JSON.parse(text) as { type: string; code?: string };
          count(`${type} ${code}`.trim());
          // A result that contradicts its row is kept and acknowledged; one that belongs to no row is kept and refused.
          if (type === "ack" || code === "unknown_request") keepable++;
          expect(["welcome", "ready", "ack", "cancel", "ask", "error"]).toContain(type);
          for (const secret of neighbour.secrets) {
            // A transaction of the neighbour's that was sent is named in the answer that nobody knows it.
            if (secret !== neighbour.transId) expect(text).not.toContain(secret);
          }
        }
        count(`closed ${connection.closeCode ?? "by the test"}`);
        // What a terminal may send is counted across its connections, and refills with time.
        skip(500);
      });
      await fc.assert(property, { seed: SEED + chunk, numRuns: CHUNK });

      skip((FRAME_BURST / FRAMES_PER_SECOND) * 1_000);
      const after = await rows(ids);
      for (const [table, found] of after) {
        const was = before.get(table) ?? [];
        const kept = new Set(found);
        if (table === `${own} transactions`) {
          // The running one may have moved; what was completed may not, and nothing is new.
          expect(found).toHaveLength(was.length);
          const completed = was.filter((row) => row.includes('"state":"completed"'));
          expect(completed.filter((row) => !kept.has(row))).toEqual([]);
        } else if (table === `${own} reports`) {
          expect(found.length - was.length).toBeLessThanOrEqual(keepable);
        } else if (table.startsWith(own) || table === "terminals") {
          expect(found).toHaveLength(was.length);
        } else if (SUMS.includes(table)) {
          expect(found.length).toBeGreaterThanOrEqual(was.length);
        } else if (OWN_UPDATES.includes(table)) {
          const ofOthers = (row: string) => !row.includes(`"pos_id":"${side.pos.account.posId}"`);
          expect([table, found.filter(ofOthers)]).toEqual([table, was.filter(ofOthers)]);
        } else if (table === "terminal_counts") {
          // The neighbour, which sends nothing, is found silent after a while.
          expect(found.map(withoutConnected)).toEqual(was.map(withoutConnected));
        } else expect([table, found]).toEqual([table, was]);
      }

      // The lane works: once the sale is over, whatever its outcome, the next one is approved.
      const last = await Connection.connected([running]);
      const journal = await operator<{ data: { state: string }[] }>("GET", `/operator/terminals/${own}/transactions`);
      if (journal.body.data[0]?.state !== "completed") {
        last.result({ requestId: running }, "11");
        await last.next("ack");
      }
      const next = side.pos.sale();
      last.result(await last.nextRequest(), "00");
      expect((await next).body.statusCode).toBe("00");
      last.drop();
    }
  });

  it("is processed: results are acknowledged or refused, connections are closed", ({ expect }) => {
    console.info(JSON.stringify(Object.fromEntries(outcomes)));
    for (const what of ["ack", "error bad_signature", "error bad_frame", "error unknown_request", "closed 4003"]) {
      expect([what, outcomes.get(what) ?? 0]).toEqual([what, expect.toSatisfy((number) => number > 0)]);
    }
  });
});
