import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";

export type Search =
  | { kind: "number"; transId: string }
  | { kind: "reference"; posId: string; referenceId: string }
  | { kind: "account"; posId: string }
  | { kind: "unclear"; problem: string };

/** @param posId the account of the reference or of the payments; empty: the text is a payment's number */
export function searchOf(text: string, posId: string): Search {
  const [wanted, account] = [text.trim(), posId.trim()];
  if (wanted === "" && account !== "") return { kind: "account", posId: account };
  if (wanted === "")
    return { kind: "unclear", problem: "Enter a payment's number, a till's reference, or an account." };
  if (account !== "") return { kind: "reference", posId: account, referenceId: wanted };
  if (TRANSACTION_NUMBER.test(wanted)) return { kind: "number", transId: wanted };
  return {
    kind: "unclear",
    problem: "A payment's number has ten digits. For a till's reference, enter the account as well.",
  };
}
