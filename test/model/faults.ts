/**
 * What goes wrong within and around the objects in a history: storage breaks in the middle of a turn, D1 refuses its
 * notes, calls to the account's object or their answers are lost. With a separate random source: seeds keep their
 * histories.
 */
import { vi } from "vitest";
import { createRandom } from "../../src/sdk/simulator/random.ts";
import { Claims } from "../../src/gateway/account/storage/claims.ts";
import { Events } from "../../src/gateway/account/storage/events.ts";
import { Account } from "../../src/gateway/index.ts";
import { OwnRow } from "../../src/gateway/durable/storage/rows.ts";
import { Outbox } from "../../src/gateway/durable/storage/outbox.ts";
import { Journal } from "../../src/gateway/terminal/storage/journal.ts";
import { Retention } from "../../src/gateway/terminal/retention.ts";
import { failTerminalNotes } from "../support/database.ts";
import type { Call } from "./vocabulary.ts";

/** A method that writes, of the prototype that has it. */
export type Write = readonly [of: object, method: string];

type Method = (...given: unknown[]) => unknown;

/** Does the work, in the course of which the write, once it is done, throws once: its turn must leave nothing of it. */
export async function whileBreaking<Result>([of, method]: Write, work: () => Promise<Result>): Promise<Result> {
  const write = Reflect.get(of, method) as Method;
  const spy = vi.spyOn(of as Record<string, Method>, method).mockImplementationOnce(function breaks(
    this: unknown,
    ...given: unknown[]
  ) {
    write.apply(this, given);
    throw new Error("broken on purpose");
  });
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}

/**
 * How often D1 refuses the notes of a history, during how many calls, and how often storage breaks in the turn of a
 * frame or an alarm.
 */
const WITHOUT_D1 = 0.3;
const D1_IS_BACK_AFTER = 40;
const BREAKS = 0.06;

/** How often a call by which an outcome is recorded does not arrive, or its answer is lost. */
const RECORD_FAILS = 0.15;
const RECORD_ANSWER_LOST = 0.15;

const WRITES: readonly Write[] = [
  [Journal.prototype, "insert"],
  [Journal.prototype, "update"],
  [Retention.prototype, "stored"],
  [OwnRow.prototype, "finish"],
  [Outbox.prototype, "enqueue"],
  [Outbox.prototype, "settle"],
  [Claims.prototype, "save"],
  [Events.prototype, "add"],
];

export class Faults {
  readonly #database = failTerminalNotes("fail");
  #random = createRandom(0);
  #calls = 0;
  #areOn = false;

  constructor() {
    const record = Reflect.get<Account, "record">(Account.prototype, "record");
    const happens = (probability: number): boolean => this.#areOn && this.#random.chance(probability);
    vi.spyOn(Account.prototype, "record").mockImplementation(async function broken(this: Account, entries) {
      if (happens(RECORD_FAILS)) throw new Error("the account's object is away");
      const answer = await record.call(this, entries);
      if (happens(RECORD_ANSWER_LOST)) throw new Error("the answer is lost");
      return answer;
    });
  }

  /** Nothing goes wrong any more in this history. */
  end(): void {
    this.#areOn = false;
    this.#database.recover();
  }

  /** A history begins. */
  begin(seed: number): void {
    this.#areOn = true;
    this.#random = createRandom(~seed);
    this.#calls = 0;
    if (this.#random.chance(WITHOUT_D1)) this.#database.failAgain();
    else this.#database.recover();
  }

  /** Carries a call out, in the course of which storage may break once, after it has written. */
  async during<Result>({ kind }: Call, work: () => Promise<Result>): Promise<Result> {
    if (++this.#calls === D1_IS_BACK_AFTER) this.#database.recover();
    if ((kind !== "frame" && kind !== "alarm") || !this.#random.chance(BREAKS)) return work();
    return whileBreaking(this.#random.pick(WRITES), work);
  }
}
