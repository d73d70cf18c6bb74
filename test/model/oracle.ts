/**
 * The judge: what the devices really did, against everything that a POS was ever shown. It knows nothing of the
 * gateway's inside. An invariant that does not hold is thrown as a `Violation`.
 */
import type { StatusCode } from "../../src/protocol/status-codes.ts";
import { keyOf, type Answer, type Message } from "./vocabulary.ts";

export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.name = "Violation";
    this.invariant = invariant;
  }
}

/** Money that a device moved: for a sale or cashOut a charge, for a void its reversal. */
interface Charge {
  device: number;
  requestId: number;
  amount: string | null;
  /** Taken back by the device itself before it reported anything. */
  reversed: boolean;
}

/** The operator resolves a transaction. */
interface Decision {
  statusCode: "00" | "11";
  /** When it was sent. */
  at: number;
  /** When it was confirmed as done; null until then. */
  doneAt: number | null;
}

/** Everything that is known about one account's one reference. */
interface Book {
  charges: Charge[];
  /** The 00 or 11 that was shown, word for word, and when. */
  final: { statusCode: "00" | "11"; frozen: string; at: number } | null;
  /** The 00 or 11 that was acknowledged to a terminal, and when. */
  acknowledged: { statusCode: "00" | "11"; at: number } | null;
  /** The operator's word. It may contradict the terminal's, and is what everybody is shown from then on. */
  operator: Decision | null;
  /** A terminal reported other money than it was asked for: it stays open until the operator resolves it. */
  contradicted: boolean;
}

/** A question as it was when it was asked. */
export interface Question {
  message: Message;
  at: number;
  /** The newest transaction of this account that a device had accepted by then; 0: none. */
  newestTaken: number;
}

export class Oracle {
  readonly #books = new Map<string, Book>();
  /** Voids that were carried out, by the number of what they voided. */
  readonly #voided = new Map<number, string>();
  /** Orders what happens. */
  #tick = 0;

  get tick(): number {
    return ++this.#tick;
  }

  book(key: string): Book {
    let book = this.#books.get(key);
    if (book === undefined) {
      book = { charges: [], final: null, acknowledged: null, operator: null, contradicted: false };
      this.#books.set(key, book);
    }
    return book;
  }

  keys(): IterableIterator<string> {
    return this.#books.keys();
  }

  /** The truth: whether money has moved and stays moved. */
  isCharged(key: string): boolean {
    return this.book(key).charges.some(({ reversed }) => !reversed);
  }

  charged(key: string, charge: Omit<Charge, "reversed">, voids: number | null): void {
    const book = this.book(key);
    if (book.charges.length > 0) throw new Violation("I1", `${key} is carried out twice`);
    if (voids !== null) {
      const other = this.#voided.get(voids);
      // An operator who said that it was not done has had it done again.
      if (other !== undefined && this.book(other).operator?.statusCode !== "11")
        throw new Violation("I1", `${voids} is voided by ${other} and by ${key}`);
      this.#voided.set(voids, key);
    }
    book.charges.push({ ...charge, reversed: false });
    if (book.final?.statusCode === "11" && book.operator?.statusCode !== "11") {
      throw new Violation("I2", `${key} is charged after 11 was shown`);
    }
  }

  /** The device took its charge back, durably, before it reported anything. */
  reversed(key: string, requestId: number, voids: number | null): void {
    for (const charge of this.book(key).charges) if (charge.requestId === requestId) charge.reversed = true;
    if (voids !== null) this.#voided.delete(voids);
  }

  acknowledged(key: string, statusCode: StatusCode): void {
    const book = this.book(key);
    if (statusCode === "22" || book.contradicted) return;
    // A terminal's report is acknowledged beside the operator's word.
    if (book.operator === null && book.final !== null && book.final.statusCode !== statusCode) {
      throw new Violation("I4", `${key}: ${statusCode} is acknowledged, ${book.final.statusCode} was shown`);
    }
    if (book.acknowledged !== null && book.acknowledged.statusCode !== statusCode) {
      throw new Violation("I4", `${key}: ${statusCode} is acknowledged after ${book.acknowledged.statusCode}`);
    }
    book.acknowledged ??= { statusCode, at: this.tick };
  }

  /** The operator resolves it, if the gateway takes that. What is concluded in the same step may be shown before it is known. */
  decides(key: string, statusCode: "00" | "11"): void {
    this.book(key).operator = { statusCode, at: this.tick, doneAt: null };
  }

  /** Whether the gateway took the operator's word. */
  decided(key: string, isDone: boolean): void {
    const book = this.book(key);
    const { operator, final, acknowledged, contradicted } = book;
    if (operator === null) return;
    if (!isDone) {
      book.operator = null;
      if (final !== null) this.#mustBeTrue(key, final.statusCode);
      return;
    }
    if (acknowledged !== null && acknowledged.at < operator.at && !contradicted) {
      throw new Violation("I2", `${key}: the operator resolves what was acknowledged as ${acknowledged.statusCode}`);
    }
    if (final !== null && final.at < operator.at) {
      throw new Violation("I2", `${key}: the operator resolves what was shown as ${final.statusCode}`);
    }
    if (final !== null && final.statusCode !== operator.statusCode) {
      throw new Violation("I2", `${key}: the operator says ${operator.statusCode}, ${final.statusCode} is shown`);
    }
    operator.doneAt = this.tick;
  }

  /** I2: a status is what happened. */
  #mustBeTrue(key: string, statusCode: StatusCode): void {
    if (statusCode === "00" && !this.isCharged(key)) throw new Violation("I2", `${key}: 00 is shown without a charge`);
    if (statusCode === "11" && this.isCharged(key)) throw new Violation("I2", `${key}: 11 is shown with a charge`);
  }

  /** The operator's word is the answer, to everybody who asks after it. */
  #mustBeTheOperators(key: string, { statusCode: word, doneAt }: Decision, statusCode: StatusCode, at: number): void {
    if (doneAt === null || statusCode === word || (statusCode === "22" && at < doneAt)) return;
    throw new Violation("I2", `${key}: the operator has said ${word}, and ${statusCode} is shown`);
  }

  /**
   * A POS is shown an answer.
   *
   * @param mayStillCharge whether a device may still move money under a key
   * @param requestIdOf the number under which a key was sent to a device, if it was
   */
  shown(
    { message, at, newestTaken }: Question,
    answer: Answer,
    mayStillCharge: (key: string) => boolean,
    requestIdOf: (key: string) => number | null,
  ): void {
    if (message.kind === "getLast") this.#judgeGetLast(answer, newestTaken, requestIdOf);
    if (answer.kind === "refused") return;
    const { statusCode, frozen } = answer;
    const key = keyOf(answer.posId, answer.referenceId);
    const book = this.book(key);
    if (message.kind === "inquiry" && message.transId === undefined) {
      const meant = message.named ?? message.reference;
      if (answer.referenceId !== meant) throw new Violation("I2", `who asks about ${meant} is shown ${key}`);
    }
    if (answer.posId !== message.pos) throw new Violation("I6", `${message.pos} is shown ${key}`);
    if (book.final !== null && (statusCode !== "22" || at > book.final.at)) {
      if (book.final.statusCode !== statusCode) {
        throw new Violation("I2", `${key}: ${book.final.statusCode} was shown, and now ${statusCode}`);
      }
      if (book.final.frozen !== frozen) {
        throw new Violation("I2", `${key}: ${book.final.frozen} was shown, and now ${frozen}`);
      }
    }
    if (statusCode !== "22") book.final ??= { statusCode, frozen, at: this.tick };
    if (book.operator !== null) return this.#mustBeTheOperators(key, book.operator, statusCode, at);
    this.#mustBeTrue(key, statusCode);
    if (statusCode === "11" && mayStillCharge(key)) {
      throw new Violation("I2", `${key}: 11 is shown while a device may still charge`);
    }
    if ((message.kind === "sale" || message.kind === "cashOut") && statusCode === "00") {
      const [charge] = book.charges;
      if (charge?.amount !== message.amount) {
        throw new Violation("I1", `${key}: 00 is shown for ${message.amount}, charged were ${charge?.amount}`);
      }
    }
    if (book.acknowledged !== null && !book.contradicted && book.acknowledged.statusCode !== statusCode) {
      if (at > book.acknowledged.at) {
        throw new Violation("I4", `${key}: ${book.acknowledged.statusCode} was acknowledged, ${statusCode} is shown`);
      }
    }
  }

  /** getLast skips nothing that a terminal took, and shows nothing that no terminal was sent. */
  #judgeGetLast(answer: Answer, newestTaken: number, requestIdOf: (key: string) => number | null): void {
    if (answer.kind === "refused") {
      if (newestTaken > 0) throw new Violation("I4", `getLast finds nothing, although ${newestTaken} was taken`);
      return;
    }
    const key = keyOf(answer.posId, answer.referenceId);
    const requestId = requestIdOf(key);
    if (requestId === null) throw new Violation("I4", `getLast shows ${key}, which was never sent`);
    if (requestId < newestTaken) throw new Violation("I4", `getLast shows ${key}, although ${newestTaken} was taken`);
  }
}
