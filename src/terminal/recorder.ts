/** Reports the outcomes of transactions to their accounts (I7). */
import type { AccountStub } from "../rpc/account.ts";
import { needsTarget } from "../protocol/transfer-types.ts";
import type { Waiting } from "../objects/untold/decisions.ts";
import { TELL_WAIT } from "../objects/limits.ts";
import type { Conclusion, Source } from "../objects/untold/teller.ts";
import { log } from "../outcomes/log.ts";
import { within } from "../bounds/within.ts";
import type { LaneShell } from "./lane-shell.ts";
import { RECORD_ENTRIES } from "./limits.ts";
import { recordEntry, type RealTransaction } from "./record-entry.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { Unrecorded } from "./unrecorded.ts";

export interface RecorderParts {
  unrecorded: Unrecorded;
  lane: Pick<LaneShell, "find" | "lane">;
  records: Pick<TerminalRecordStore, "record">;
  /** An account's object; a new stub for every call. */
  account: (posId: string) => AccountStub;
}

export class Recorder implements Source {
  readonly name = "outcomes";
  /** What is recorded is marked on a connection. */
  readonly isLight = true;
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  waiting(): ReadonlyMap<string, Waiting> {
    return this.#parts.unrecorded.waiting();
  }

  async tell(posId: string, now: number): Promise<Conclusion> {
    const { unrecorded, lane, records, account } = this.#parts;
    const told = unrecorded.of(posId, now, RECORD_ENTRIES);
    const deviceId = records.record?.terminalId ?? "";
    const { link } = lane.lane;
    try {
      const entries = told.map((each) => recordEntry(each, deviceId, link, this.#voidedBy(each)));
      const answer = await within(TELL_WAIT, account(posId).record(entries));
      return (after) => unrecorded.acknowledge(told, answer, [...lane.lane.open.keys()], after);
    } catch (error) {
      log("warning", "outcomes-not-told", { terminal: deviceId, account: posId, detail: String(error) });
      return (after) => unrecorded.notRecorded(told, after);
    }
  }

  /** The transaction that a void names; null for other types, or if the journal has deleted it. */
  #voidedBy({ posId, transType, terms }: RealTransaction) {
    if (!needsTarget(transType)) return null;
    const target = this.#parts.lane.find(Number(terms.transId));
    return target?.posId === posId ? target : null;
  }
}
