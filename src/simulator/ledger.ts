/** One charge that the simulated host really made. */
export interface Charge {
  posId: string;
  referenceId: string;
  requestId: string;
  transId: string;
  transType: "sale" | "cashOut";
  currency: string;
  transAmt: string;
  cashAmt: string | null;
  /** The requestId of the void that took it back, or null. */
  voidedBy: string | null;
  /** What the answer said beside the amounts: a void repeats it. */
  details: Record<string, string>;
}

/**
 * What was really charged: the truth against which a test holds every status that a POS was ever shown. A charge is
 * never merged with another one, whatever its numbers: two for one reference are the mistake that a test looks for.
 */
export class Ledger {
  readonly charges: Charge[] = [];
  #invoices = 0;

  charge(made: Omit<Charge, "voidedBy">): Charge {
    const charge = { ...made, voidedBy: null };
    this.charges.push(charge);
    return charge;
  }

  /** The charge under `transId` that a void of `posId` may take back. */
  voidable(transId: string, posId: string): Charge | undefined {
    return this.charges.find((one) => one.transId === transId && one.posId === posId && one.voidedBy === null);
  }

  /** All charges of one reference of one account: one at most, or money was taken twice. */
  of(posId: string, referenceId: string): Charge[] {
    return this.charges.filter((one) => one.posId === posId && one.referenceId === referenceId);
  }

  /** The terminal's running number. */
  nextInvoice(): string {
    this.#invoices += 1;
    return String(this.#invoices).padStart(6, "0");
  }
}
