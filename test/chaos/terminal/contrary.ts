/** A second result with another status or amount, from a terminal whose software is broken. */
import type { Wire } from "../journal.ts";
import { textOf } from "../wire/values.ts";
import type { Kept } from "./book.ts";
import type { Link } from "./link.ts";

export type Manner = "status" | "amount";

/** What the journal says of one. */
export interface Second {
  result: Wire;
  statusCode: string;
  transAmt?: string;
}

interface Sent extends Second {
  link: Link;
  kept: Kept;
}

export class Contraries {
  readonly #wanted = new Map<Manner, () => void>();
  #sent: Sent | null = null;

  /** From now on, results are contradicted. Resolves when the gateway has acknowledged one that contradicts. */
  async want(manner: Manner): Promise<void> {
    await new Promise<void>((done) => this.#wanted.set(manner, done));
  }

  /** The second result for a first one that was acknowledged; null: none is wanted of this kind. */
  secondTo({ decision, transType }: Kept, first: Wire): Second | null {
    const isApproved = decision?.statusCode === "00";
    if (isApproved && transType !== "void" && this.#wanted.has("amount")) {
      const transAmt = textOf(decision.moved + 1);
      const transData = { ...(first["transData"] as Wire), transAmt };
      return { result: { ...first, transData }, statusCode: "00", transAmt };
    }
    if (!this.#wanted.has("status")) return null;
    const statusCode = isApproved ? "11" : "00";
    return { result: { ...first, statusCode, responseCode: isApproved ? "05" : "00" }, statusCode };
  }

  /** Nothing else that was sent on this connection for this request waits for an answer. */
  sent(second: Second, kept: Kept, link: Link): void {
    this.#sent = { ...second, kept, link };
  }

  /** What an acknowledgement is for; null: not for a second result. */
  acknowledged(link: Link | null, { requestId, statusCode }: Wire): Sent | null {
    const sent = this.#sent;
    if (sent?.link !== link || sent?.kept.requestId !== requestId || sent?.statusCode !== statusCode) return null;
    this.#sent = null;
    const manner = sent.transAmt === undefined ? "status" : "amount";
    this.#wanted.get(manner)?.();
    this.#wanted.delete(manner);
    return sent;
  }
}
