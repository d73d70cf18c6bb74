import type { Infer } from "./schemas/infer.ts";
import type * as schemas from "./schemas/transfers.ts";

/** A wallet payment has none of `CARD_MEMBERS`. */
export type TransactionDetails = Infer<typeof schemas.transactionDetails>;

export type AnyTransferAnswer = Infer<typeof schemas.transferAnswer>;

/** `cancel`: the answer to the cancel of a reference that never arrived. */
export type AnsweredType = AnyTransferAnswer["transType"];

/** Which transaction the answer to an inquiry or getLast is about. Compare these before you trust the rest. */
export type OriginalMembers = Pick<AnyTransferAnswer, "originalTransType" | "originalReferenceId" | "voidStatus">;
