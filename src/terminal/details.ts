import type { RequestFrame } from "../protocol/frames.ts";
import type { Details, Terms } from "../protocol/transactions.ts";

/** The `transData` of a request as the terminal gets it: terms and details under the interface's names. */
export function formatDetails(terms: Terms, details: Details): RequestFrame["transData"] {
  const { referenceLabel: _printedByName, ...printed } = details;
  // The assertion: payment methods are checked when the request arrives, and stored as text.
  return { ...terms, ...printed } as RequestFrame["transData"];
}
