/** Reports the outcomes of transactions to their accounts (I7). */
import type { AccountStub } from "../account/stub.ts";
import { needsTarget } from "../protocol/transfer-types.ts";
import type { Conclusion, NotificationSource, Waiting } from "./account-notifier.ts";
import type { LaneShell } from "./lane-shell.ts";
import { RECORD_ENTRIES } from "./limits.ts";
import { recordEntry, type RealTransaction } from "./record-entry.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { Unrecorded } from "./unrecorded.ts";

export interface RecorderParts {
  unrecorded: Unrecorded;
  lane: Pick<LaneShell, "find" | "lane">;
  records: Pick<TerminalRecordStore, "record">;
}

export class Recorder implements NotificationSource {
  readonly name = "outcomes";
  readonly #parts: RecorderParts;

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  waiting(): ReadonlyMap<string, Waiting> {
    return this.#parts.unrecorded.waiting();
  }

  async tell(account: AccountStub, posId: string, now: number): Promise<Conclusion> {
    const { unrecorded, lane, records } = this.#parts;
    const told = unrecorded.of(posId, now, RECORD_ENTRIES);
    const deviceId = records.record?.terminalId ?? "";
    const { link } = lane.lane;
    const answer = await account.record(told.map((each) => recordEntry(each, deviceId, link, this.#voidedBy(each))));
    return (after) => {
      unrecorded.acknowledge(told, answer, [...lane.lane.open.keys()], after);
      return true;
    };
  }

  /** The transaction that a void names; null for other types, or if the journal has deleted it. */
  #voidedBy({ posId, transType, terms }: RealTransaction) {
    if (!needsTarget(transType)) return null;
    const target = this.#parts.lane.find(Number(terms.transId));
    return target?.posId === posId ? target : null;
  }
}
