import type { CoordinatorStub } from "../coordinator/rpc.ts";
import { log } from "../lib/log.ts";
import type { Outbox } from "../durable/storage/outbox.ts";
import type { Turns } from "../durable/turns.ts";
import { withTimeout } from "../lib/with-timeout.ts";
import { enqueueBlock } from "./outbox-entries.ts";
import { NUMBERS_AT_LEAST, type TerminalRecordStore } from "./storage/record.ts";
import { SECOND, type EpochMs } from "../../protocol/time/units.ts";

/** The timeout of a call to the coordinator's object. A call that binds a terminal waits as long for its first numbers. */
const COORDINATOR_WAIT = 5 * SECOND;

interface NumbersParts {
  context: Pick<DurableObjectState, "waitUntil">;
  coordinator: () => CoordinatorStub;
  records: TerminalRecordStore;
  outbox: Outbox;
  turns: Turns;
}

export class Numbers {
  readonly #parts: NumbersParts;
  #reserving: Promise<void> | null = null;

  constructor(parts: NumbersParts) {
    this.#parts = parts;
  }

  /**
   * Reserves in the background when the reserve is low, so that no transfer waits. Resolves when that has succeeded or
   * failed.
   */
  async keep(now: EpochMs): Promise<void> {
    const { context, records } = this.#parts;
    const wanted = records.numbersWanted(now);
    if (wanted === null) return;
    // The next transfer or hello retries, long before the last number is used.
    const reserved = this.#reserve(wanted).catch(() => undefined);
    context.waitUntil(reserved);
    await reserved;
  }

  /**
   * Serves a transfer that finds the reserve empty. Rejects if the coordinator fails, does not answer, or has no
   * numbers left.
   */
  reserve(): Promise<void> {
    return this.#reserve(NUMBERS_AT_LEAST);
  }

  /** Concurrent callers share one reservation. */
  #reserve(count: number): Promise<void> {
    this.#reserving ??= this.#call(count).finally(() => {
      this.#reserving = null;
    });
    return this.#reserving;
  }

  async #call(count: number): Promise<void> {
    const { coordinator, records, outbox, turns } = this.#parts;
    try {
      const posId = records.record?.binding?.posId ?? null;
      const block = await withTimeout(
        COORDINATOR_WAIT,
        coordinator().reserveNumbers(count, records.highestNumber, posId),
      );
      if (block === null) throw new Error("the service has no transaction numbers left");
      turns.take((now) => {
        if (!records.addNumbers(block, now)) return;
        // Earlier blocks are delivered too: D1 then keeps them as long as new ones.
        for (const held of records.record?.reserve.blocks ?? []) {
          enqueueBlock(outbox, held, now);
        }
      });
    } catch (error) {
      log("warning", "transaction_numbers_not_reserved", { terminal: records.terminalId, detail: String(error) });
      throw error;
    }
  }
}
