import type { Details, Terms } from "./lane/transaction.ts";

/** The `transData` of a request as the terminal gets it: terms and details under the interface's names. */
export function formatDetails(terms: Terms, details: Details): Record<string, string | number> {
  const { referenceLabel: _printedByName, ...printed } = details;
  return { ...terms, ...printed };
}
