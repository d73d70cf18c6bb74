import type { PaymentType } from "../protocol/transfer-types.ts";

/** One charge that the simulated host really made. */
export interface Charge {
  posId: string;
  referenceId: string;
  requestId: string;
  transId: string;
  transType: PaymentType;
  currency: string;
  transAmt: string;
  cashAmt: string | null;
  /** The account's local time. */
  transDateTime: string;
  /** The requestId of the void that took it back, and its local time; or null. */
  voidedBy: string | null;
  voidedAt: string | null;
  /** What the answer said beside the amounts: a void repeats it. */
  details: Record<string, string>;
}

export type NewCharge = Omit<Charge, "voidedBy" | "voidedAt">;

/** What happens at the host, in the order in which it happens. */
export type LedgerEntry =
  | ({ kind: "charge" } & NewCharge)
  | { kind: "void"; transId: string; posId: string; requestId: string; at: string }
  /** The terminal has asked, and taken back whatever may still be on its way: this request never moves money. */
  | { kind: "reversal"; requestId: string };

/**
 * What was really charged: the truth against which a test holds every status that a POS was ever shown. A charge is
 * never merged with another one, whatever its numbers: two for one reference are the mistake that a test looks for.
 */
export class Ledger {
  readonly charges: Charge[] = [];
  readonly #reversed = new Set<string>();
  readonly #keep: (entry: LedgerEntry) => void;

  /** `entries` have happened before; `keep` makes one durable, or throws, before it has any effect. */
  constructor(entries: LedgerEntry[] = [], keep: (entry: LedgerEntry) => void = () => undefined) {
    for (const entry of entries) this.#apply(entry);
    this.#keep = keep;
  }

  /** Moves money; null, and no money, for a request that was reversed. */
  charge(made: NewCharge): Charge | null {
    if (this.#reversed.has(made.requestId)) return null;
    this.#enter({ kind: "charge", ...made });
    return this.charges.at(-1) ?? null;
  }

  /** Takes the charge under `transId` back; null where the account has none that is not voided. */
  void(made: { transId: string; posId: string; requestId: string; at: string }): Charge | null {
    if (this.#reversed.has(made.requestId) || this.#voidable(made) === undefined) return null;
    this.#enter({ kind: "void", ...made });
    return this.moneyMoved(made.requestId) ?? null;
  }

  /** The charge that a request made, or took back. */
  moneyMoved(requestId: string): Charge | undefined {
    return this.charges.find((one) => one.requestId === requestId || one.voidedBy === requestId);
  }

  /** Makes sure that a request that has moved no money never will, whatever of it is still on its way. */
  reverse(requestId: string): void {
    if (!this.#reversed.has(requestId)) this.#enter({ kind: "reversal", requestId });
  }

  /** All charges of one reference of one account: one at most, or money was taken twice. */
  of(posId: string, referenceId: string): Charge[] {
    return this.charges.filter((one) => one.posId === posId && one.referenceId === referenceId);
  }

  /** The terminal's next running number. */
  nextInvoice(): string {
    return String(this.charges.length + 1).padStart(6, "0");
  }

  /** The batch of a charge made at this local time: a terminal settles at midnight. */
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
