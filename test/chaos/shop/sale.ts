/** What a till has written down about a transaction before it sends the first message, and what it has learned since. */
import type { Wire } from "../journal.ts";
import type { Message } from "./asking.ts";

export interface Sale {
  readonly transType: "sale" | "cashOut" | "void";
  readonly deviceId: string;
  readonly referenceId: string;
  readonly transData: Wire;
  /** Null: no answer yet. */
  statusCode: "00" | "11" | "22" | null;
  /** The number of an approved one, for its void. */
  transId: string | null;
  /** As sent last. */
  message: Message | null;
  /** Whether a message may have arrived of which the till knows nothing. */
  isUnsure: boolean;
  /** Every message was refused: it never happened. */
  isRefused: boolean;
}

export function isOpen({ statusCode, isRefused }: Sale): boolean {
  return !isRefused && (statusCode === null || statusCode === "22");
}

/** Notes a genuine answer. The first outcome stays: whether a later one differs is the checker's business. */
export function learn(sale: Sale, { statusCode, transData }: Wire): void {
  if (statusCode !== "00" && statusCode !== "11" && statusCode !== "22") return;
  if (sale.statusCode !== "00" && sale.statusCode !== "11") sale.statusCode = statusCode;
  const { transId } = (transData ?? {}) as { transId?: string };
  if (statusCode === "00" && sale.transType !== "void" && transId !== undefined) sale.transId = transId;
}
