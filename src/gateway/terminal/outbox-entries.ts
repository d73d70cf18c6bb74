/** What the terminal's object enqueues for D1 (its state, its numbers) and for accounts (its bindings). */
import { D1, NUMBER_BLOCK, type Outbox } from "../durable/storage/outbox.ts";
import type { NumberBlock } from "../coordinator/rpc.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

/** Names the terminal's row in D1. */
export const STATE = { target: D1, kind: "terminal" } as const;

/** The kind of entry for the start or end of a binding to an account. The payload names who ended the binding. */
export const BINDING = "binding";

/** Enqueues the terminal's row for D1. */
export function enqueueTerminalState(outbox: Outbox, now: EpochMs): number {
  return outbox.enqueue(STATE, now);
}

/** The members that a resync enqueues: a restored D1 may lack everything. */
interface EnqueuedParts {
  outbox: Outbox;
  records: Pick<TerminalRecordStore, "record">;
}

export function enqueueAll({ outbox, records }: EnqueuedParts, now: EpochMs): void {
  outbox.enqueueLogResync(now);
  for (const held of records.record?.reserve.blocks ?? []) enqueueBlock(outbox, held, now);
  enqueueTerminalState(outbox, now);
}

/** D1 finds a transaction by its number alone. */
export function enqueueBlock(outbox: Outbox, block: NumberBlock, now: EpochMs): void {
  const payload = JSON.stringify(block);
  outbox.enqueue({ target: D1, kind: NUMBER_BLOCK, key: String(block.first), payload }, now);
}
