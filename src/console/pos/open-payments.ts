import type { Call } from "./call.ts";
import type { Message } from "./messages.ts";

/** A payment with an unknown outcome, as it is stored: enough to ask about it and to show what was sent. */
export interface OpenPayment {
  call: Call;
  wait: number | undefined;
  /** Epoch milliseconds. */
  begun: number;
  messages: Message[];
}

/** Where a till stores its open payments, so that after a restart it knows which references to ask about. */
export interface OpenPayments {
  /** The oldest first. */
  load: () => Promise<OpenPayment[]>;
  /** Resolves when the payment is stored durably. */
  keep: (payment: OpenPayment) => Promise<void>;
  /** Called when the outcome is known or the gateway has refused the payment. */
  drop: (call: Call) => Promise<void>;
}
