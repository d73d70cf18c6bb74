import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";

/** What the form contains; empty: not given. */
export type Wanted = Record<"text" | "posId" | "amount" | "cardLastFour" | "terminalId" | "from" | "to", string>;

export type Search =
  | { kind: "number"; transId: string }
  | { kind: "reference"; posId: string; referenceId: string }
  | { kind: "account"; posId: string; from: string; to: string }
  /** Over all accounts. */
  | ({ kind: "search"; referenceId: string } & Omit<Wanted, "text">)
  | { kind: "unclear"; problem: string };

export function searchOf(entered: Wanted): Search {
  const names = Object.keys(entered) as (keyof Wanted)[];
  const wanted = Object.fromEntries(names.map((name) => [name, entered[name].trim()])) as Wanted;
  const { text: referenceId, ...others } = wanted;
  const { posId, from, to, ...marks } = others;
  const hasMarks = Object.values(marks).some((mark) => mark !== "");
  if (hasMarks) return { kind: "search", referenceId, ...others };
  if (referenceId === "" && posId !== "") return { kind: "account", posId, from, to };
  if (referenceId === "") {
    return { kind: "unclear", problem: "Enter a number, a reference, an amount, a card, a terminal or an account." };
  }
  if (posId !== "") return { kind: "reference", posId, referenceId };
  if (TRANSACTION_NUMBER.test(referenceId)) return { kind: "number", transId: referenceId };
  return { kind: "search", referenceId, ...others };
}
