import type { PaymentType } from "../../protocol/transfer-types.ts";

export interface Charge {
  posId: string;
  referenceId: string;
  requestId: string;
  transId: string;
  transType: PaymentType;
  currency: string;
  transAmt: string;
  cashAmt: string | null;
  /** The time in the account's zone. */
  transDateTime: string;
  /** The void that reversed the charge: its requestId and local time. */
  voidedBy: string | null;
  voidedAt: string | null;
  /** The answer's details besides the amounts, which a void repeats. */
  details: Record<string, string>;
}

export type NewCharge = Omit<Charge, "voidedBy" | "voidedAt">;

/** The entries stand in the order of their events. */
export type LedgerEntry =
  | ({ kind: "charge" } & NewCharge)
  | { kind: "void"; transId: string; posId: string; requestId: string; at: string }
  /** The terminal has asked, and reversed anything still in transit: this request never moves money. */
  | { kind: "reversal"; requestId: string };

/**
 * The actual charges: tests compare every status that a POS has seen with them. Charges are never merged, even with
 * equal numbers: two charges for one reference are the error that tests look for.
 */
export class Ledger {
  readonly charges: Charge[] = [];
  readonly #reversed = new Set<string>();
  readonly #keep: (entry: LedgerEntry) => void;

  /**
   * @param entries earlier events
   * @param keep makes an entry durable before it takes effect, or throws
   */
  constructor(entries: LedgerEntry[] = [], keep: (entry: LedgerEntry) => void = () => undefined) {
    for (const entry of entries) this.#apply(entry);
    this.#keep = keep;
  }

  /** Returns null and moves no money for a reversed request. */
  charge(made: NewCharge): Charge | null {
    if (this.#reversed.has(made.requestId)) return null;
    this.#enter({ kind: "charge", ...made });
    return this.charges.at(-1) ?? null;
  }

  /** null if the account has no unvoided charge with `transId`. */
  void(made: { transId: string; posId: string; requestId: string; at: string }): Charge | null {
    if (this.#reversed.has(made.requestId) || this.#voidable(made) === undefined) return null;
    this.#enter({ kind: "void", ...made });
    return this.moneyMoved(made.requestId) ?? null;
  }

  /** Finds the charge that a request made or reversed. */
  moneyMoved(requestId: string): Charge | undefined {
    return this.charges.find((one) => one.requestId === requestId || one.voidedBy === requestId);
  }

  /** A request that has moved no money never will, even if a part of it is still in transit. */
  reverse(requestId: string): void {
    if (!this.#reversed.has(requestId)) this.#enter({ kind: "reversal", requestId });
  }

  /** More than one means that the customer paid twice. */
  of(posId: string, referenceId: string): Charge[] {
    return this.charges.filter((one) => one.posId === posId && one.referenceId === referenceId);
  }

  nextInvoice(): string {
    return String(this.charges.length + 1).padStart(6, "0");
  }

  /**
   * A terminal completes its batch at midnight.
   *
   * @param transDateTime local time
   */
  batchAt(transDateTime: string): string {
    const days = new Set(this.charges.map((one) => one.transDateTime.slice(0, 10)));
    days.add(transDateTime.slice(0, 10));
    return String(days.size).padStart(6, "0");
  }

  #enter(entry: LedgerEntry): void {
    this.#keep(entry);
    this.#apply(entry);
  }

  #apply(entry: LedgerEntry): void {
    switch (entry.kind) {
      case "charge": {
        const { kind: _kind, ...made } = entry;
        this.charges.push({ ...made, voidedBy: null, voidedAt: null });
        return;
      }
      case "void": {
        const charge = this.#voidable(entry);
        if (charge !== undefined) Object.assign(charge, { voidedBy: entry.requestId, voidedAt: entry.at });
        return;
      }
      case "reversal":
        this.#reversed.add(entry.requestId);
        return;
      default:
        return entry satisfies never;
    }
  }

  #voidable({ transId, posId }: { transId: string; posId: string }): Charge | undefined {
    return this.charges.find((one) => one.transId === transId && one.posId === posId && one.voidedBy === null);
  }
}
