/** What a till can ask for, as the form hands it over and the client takes it. */
import type { TransferRequests } from "../../client/pos.ts";
import type { TransferType } from "../../protocol/transfer-types.ts";

export type Call = { [Type in TransferType]: { transType: Type; request: TransferRequests[Type] } }[TransferType];

/** The same text for one and the same transaction, however often it is sent. */
export function callKey({ transType, request }: Call): string {
  return JSON.stringify([transType, request]);
}
