/** A call of a till, as the form creates it and the client sends it. */
import type { TransferRequests } from "../../client/pos.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";

export type Call = { [Type in TransferType]: { transType: Type; request: TransferRequests[Type] } }[TransferType];

/** The same text for the same transaction, however often it is sent. */
export function callKey({ transType, request }: Call): string {
  return JSON.stringify([transType, request]);
}
