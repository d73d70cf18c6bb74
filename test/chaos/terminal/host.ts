/** The acquirer's host: it moves the money, and nobody else does. */
import { hundredthsOf } from "../wire/values.ts";
import type { Kept } from "./book.ts";

export interface Decision {
  statusCode: "00" | "11";
  responseCode: string;
  /** Hundredths that the customer was charged; negative: paid back. */
  moved: number;
}

const NOT_AUTHORISED: Decision = { statusCode: "11", responseCode: "25", moved: 0 };

export class Host {
  readonly #decisions = new Map<string, Decision>();
  readonly #voided = new Set<string>();

  /** Decides once. A request that a terminal has asked about before stays refused. */
  authorise(kept: Kept, isApproved: boolean): Decision {
    const known = this.#decisions.get(kept.requestId);
    if (known !== undefined) return known;
    const decision = isApproved ? this.#approve(kept) : { statusCode: "11" as const, responseCode: "05", moved: 0 };
    this.#decisions.set(kept.requestId, decision);
    return decision;
  }

  /** What became of a request. One that is unknown will never be authorised. */
  clearUp({ requestId }: Kept): Decision {
    const known = this.#decisions.get(requestId) ?? NOT_AUTHORISED;
    this.#decisions.set(requestId, known);
    return known;
  }

  /** What the acquirer's list says; null: nothing. */
  decided(requestId: string): Decision | null {
    return this.#decisions.get(requestId) ?? null;
  }

  #approve({ transType, transId, transData }: Kept): Decision {
    const charged = hundredthsOf(transData["transAmt"]) + hundredthsOf(transData["cashAmt"]);
    if (transType !== "void") return { statusCode: "00", responseCode: "00", moved: charged };
    const paid = this.#decisions.get(transId)?.moved ?? 0;
    if (paid <= 0 || this.#voided.has(transId)) return NOT_AUTHORISED;
    this.#voided.add(transId);
    return { statusCode: "00", responseCode: "00", moved: -paid };
  }
}
