/** The block of transaction numbers that the object has reserved in D1. */
import { log } from "../log.ts";
import { reserveNumbers } from "../storage/transaction-numbers.ts";
import { within } from "../within.ts";
import { D1_WAIT } from "../objects/limits.ts";
import { NUMBER_BLOCK } from "./limits.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { Turns } from "../objects/turns.ts";

export class Numbers {
  readonly #context: Pick<DurableObjectState, "waitUntil">;
  readonly #database: D1Database;
  readonly #records: TerminalRecordStore;
  readonly #turns: Turns;
  #reserving: Promise<void> | null = null;

  constructor(
    context: Pick<DurableObjectState, "waitUntil">,
    database: D1Database,
    records: TerminalRecordStore,
    turns: Turns,
  ) {
    this.#context = context;
    this.#database = database;
    this.#records = records;
    this.#turns = turns;
  }

  /** Reserves the next block in the background when few numbers are left, so that no transfer waits for one. */
  keep(): void {
    if (!this.#records.numbersAreLow) return;
    const reserved = this.reserve().catch((error: unknown) => {
      // The next transfer or hello tries again, long before the last number is used.
      log("warning", "number-block-not-reserved", { detail: String(error) });
    });
    this.#context.waitUntil(reserved);
  }

  /** Reserves the next block. Concurrent callers share one reservation. Rejects if D1 fails or does not answer. */
  reserve(): Promise<void> {
    this.#reserving ??= this.#reserve().finally(() => {
      this.#reserving = null;
    });
    return this.#reserving;
  }

  async #reserve(): Promise<void> {
    const { record } = this.#records;
    const [least, terminalId] = [record?.numbersEnd ?? 0, record?.terminalId ?? ""];
    const first = await within(D1_WAIT, reserveNumbers(this.#database, NUMBER_BLOCK, least, terminalId));
    this.#turns.take(() => this.#records.addNumbers(first));
  }
}
