/**
 * The gateway without its platform: the real lane and the real look-ups of transfers, over a journal in memory. What the
 * object does around them is repeated in its shortest form, in the files named `pure-…`.
 */
import { judgeBind } from "../../src/terminal/binding.ts";
import type { TerminalRecord } from "../../src/terminal/storage/record.ts";
import { Transfers } from "../../src/terminal/transfers.ts";
import { MemoryJournal } from "./memory-journal.ts";
import { PureConnections } from "./pure-connections.ts";
import { type Notice, PureLane, type PureRecord } from "./pure-lane.ts";
import { PureTills } from "./pure-tills.ts";
import { MERCHANT } from "./questions.ts";
import type { Call, Output } from "./vocabulary.ts";
import type { Setting } from "./world.ts";

export class PureGateway {
  readonly #record: PureRecord = {
    posId: "P",
    nextNumber: 1_000_000_000,
    connections: 0,
    currentConnection: null,
    memory: "",
    lostAt: null,
    softwareVersion: "unknown",
    terminalSn: "unknown",
  };
  readonly #connections: PureConnections;
  readonly #lane: PureLane;
  readonly #tills: PureTills;
  readonly #transfers: Transfers;
  readonly #notice: Notice;
  #outputs: Output[] = [];
  #now: number;

  constructor({ life }: Setting, now: number, notice: Notice) {
    this.#now = now;
    this.#notice = notice;
    const record = this.#record;
    const say = (output: Output): void => {
      this.#outputs.push(output);
    };
    const journal = new MemoryJournal();
    const connections = new PureConnections(journal, record, (connection, frame) =>
      say({ kind: "frame", connection, frame }),
    );
    this.#connections = connections;
    this.#lane = new PureLane(
      journal,
      record,
      {
        endByNumber: (number) => connections.endByNumber(number),
        isGreeting: () => connections.isGreeting(),
        send: (end, frame) => connections.send(end, frame),
        close: (end, code) => connections.close(end, code),
        conclude: (requestId, outcome) => this.#tills.conclude(requestId, outcome),
        isWaitedFor: (requestId) => this.#tills.isWaitedFor(requestId),
      },
      notice,
    );
    const records = {
      get nextNumber() {
        return record.nextNumber;
      },
      get record() {
        return recordOf(record);
      },
    };
    const reports = { of: () => [], strays: () => [] };
    const lane = this.#lane;
    const transfers = new Transfers({ journal, reports, records, lane, life });
    this.#transfers = transfers;
    this.#tills = new PureTills({ journal, transfers, lane }, say, notice);
  }

  get lane() {
    return this.#lane.lane;
  }

  /** Carries one call out; returns what the gateway says to it, and when it wants to be woken. */
  perform(call: Call): { outputs: Output[]; alarmAt: number | null } {
    this.#outputs = [];
    this.#call(call);
    const next = Math.min(this.#lane.next ?? Infinity, this.#connections.nextSilence(), this.#tills.nextEnd());
    return { outputs: this.#outputs, alarmAt: next === Infinity ? null : next };
  }

  #call(call: Call): void {
    const now = this.#now;
    const lane = this.#lane;
    switch (call.kind) {
      case "ask":
        return this.#tills.ask(call, now);
      case "hang-up":
        return this.#tills.hangUp(call.ask, now);
      case "give-up":
        return this.#tills.giveUp(call.ask, now);
      case "resubmit":
        return this.#tills.resubmit(call.ask, now);
      case "open":
        return this.#connections.open(call.connection, lane, now);
      case "end":
        return this.#connections.ended(call.connection, lane, now);
      case "frame":
        return this.#connections.receive(call.connection, call.frame, lane, now);
      case "time":
        this.#now = call.now;
        lane.mustHaveNothingToDo(call.now);
        return this.#tills.passTime(call.now);
      case "alarm":
        this.#connections.closeSilent(lane, now);
        lane.take({ kind: "deadline" }, now);
        return;
      case "prepare":
        if (call.pos === this.#record.posId) lane.prepare(now);
        return;
      case "crash":
        this.#connections.drop();
        this.#tills.breakAll();
        return lane.restart(now);
      case "hibernate":
        return lane.reload();
      case "resolve": {
        const { requestId, statusCode } = call;
        const resolution = { requestId, statusCode, reason: "the operator knows", operator: "the operator" };
        const outcome = this.#transfers.resolve(resolution, now);
        this.#outputs.unshift({ kind: "resolved", requestId, done: outcome.kind === "resolved" });
        return;
      }
      case "suspend":
        lane.take({ kind: "suspended", posId: call.pos }, now);
        return;
      case "rebind":
        return this.#rebind(call.pos);
    }
  }

  #rebind(pos: string): void {
    const wanted = { ...MERCHANT, posId: pos };
    const done =
      judgeBind({ record: recordOf(this.#record), lane: this.lane }, wanted, "move", this.#now).kind === "bound";
    if (done && this.#record.posId !== pos) {
      this.#record.posId = pos;
      this.#notice("rebound");
      this.#connections.tellBinding(pos);
    }
    this.#outputs.push({ kind: "rebound", pos, done });
  }
}

/** The part of the object's record that is looked at here. */
function recordOf({ posId }: PureRecord): TerminalRecord {
  return { sealedSecret: "sealed", binding: { ...MERCHANT, posId } } as TerminalRecord;
}
