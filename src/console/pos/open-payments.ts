import type { Call } from "./call.ts";
import type { Message } from "./messages.ts";

/** A payment whose outcome is not known, as it is kept: enough to ask about it, and to show what was said. */
export interface OpenPayment {
  call: Call;
  wait: number | undefined;
  /** Epoch milliseconds. */
  begun: number;
  messages: Message[];
}

/** Where a till keeps its open payments, so that it still knows under which references to ask when it starts again. */
export interface OpenPayments {
  /** The oldest first. */
  load: () => Promise<OpenPayment[]>;
  /** Resolves when it would survive the end of the page. */
  keep: (payment: OpenPayment) => Promise<void>;
  /** Its outcome is known, or the gateway has refused it. */
  drop: (call: Call) => Promise<void>;
}
