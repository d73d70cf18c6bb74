import type { TransferRequests } from "../../sdk/client/pos.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";
import type { SignedExchange } from "./messages.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export type PageTransfer = {
  [Type in TransferType]: { transType: Type; request: TransferRequests[Type] };
}[TransferType];

/** The same text for the same transaction, however often it is sent. */
export function callKey({ transType, request }: PageTransfer): string {
  return JSON.stringify([transType, request]);
}

/** A payment with an unknown outcome, and what is needed to ask about it and show its messages. */
export interface OpenPayment {
  call: PageTransfer;
  wait: number | undefined;
  begun: EpochMs;
  messages: SignedExchange[];
}

/** Where a POS stores its open payments, so that it still knows their references after a restart. */
export interface OpenPayments {
  /** Loads them, the oldest first. */
  load: () => Promise<OpenPayment[]>;
  /** Resolves when the payment is stored durably. */
  keep: (payment: OpenPayment) => Promise<void>;
  /** The outcome is known, or the gateway has refused the payment. */
  drop: (call: PageTransfer) => Promise<void>;
}

/** A sale that shows what the gateway promises. A simulated terminal acts on its cents, without anybody's help. */
export interface Scenario {
  label: string;
  transAmt: string;
  /** What happens, and where to look. */
  watch: string;
  /** The POS loses the gateway's first answer, as if its network had failed. */
  losesAnswer?: boolean;
}
