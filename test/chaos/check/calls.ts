/** What a till asked, and what it was told. */
import type { Wire } from "../journal.ts";
import type { Line } from "./history.ts";
import { sortedText, textAt } from "./wire.ts";

export type StatusCode = "00" | "11" | "22";
export type FinalStatus = "00" | "11";

export function isFinal(status: string | null | undefined): status is FinalStatus {
  return status === "00" || status === "11";
}

export interface Call {
  asked: Line<"till.asked">;
  /** Null if the run ended before. */
  end: Line<"till.answered" | "till.unanswered"> | null;
  /** `payment`: sale or cashOut. `question`: inquiry or getLast. */
  sort: "payment" | "void" | "cancel" | "question";
  /** The reference of the transaction that it is about; null for a question whose answer does not tell. */
  about: string | null;
}

/** A 200 with a status. */
export interface StatusAnswer {
  call: Call;
  line: Line<"till.answered">;
  answer: Wire;
  status: StatusCode;
}

export function keyOf(posId: string, referenceId: string): string {
  return `${posId}/${referenceId}`;
}

export function typeOf({ path, request }: Line<"till.asked">): string {
  return path === "/api/transfer/cancel" ? "cancel" : (textAt(request, "transType") ?? "unknown");
}

export function newCall(asked: Call["asked"], end: Call["end"]): Call {
  const type = typeOf(asked);
  const sort =
    type === "cancel" || type === "void" ? type : type === "inquiry" || type === "getLast" ? "question" : "payment";
  const about = sort === "question" ? namedReference(asked) : textAt(asked.request, "referenceId");
  return { asked, end, sort, about };
}

/** The reference that a question means before it is answered: an inquiry that names nothing means its own. */
function namedReference({ request }: Line<"till.asked">): string | null {
  if (textAt(request, "transType") === "getLast") return null;
  const named = textAt(request, "transData", "referenceId");
  if (named !== null) return named;
  return textAt(request, "transData", "transId") === null ? textAt(request, "referenceId") : null;
}

/** The call's answer with a status; null for every other end. */
export function statusAnswer(call: Call): StatusAnswer | null {
  const { end } = call;
  if (end?.kind !== "till.answered" || end.status !== 200 || end.answer === null) return null;
  const status = textAt(end.answer, "statusCode");
  if (status !== "00" && status !== "11" && status !== "22") return null;
  return { call, line: end, answer: end.answer, status };
}

/** Whether the gateway has said that it did not take this message. */
export function isRefused({ end }: Call): boolean {
  return end?.kind === "till.answered" && end.status >= 400 && end.status < 500;
}

const TERMS = ["transAmt", "cashAmt", "paymentMethod", "paymentChannel", "transId"] as const;

/** Two requests under one reference with the same text are the same request. */
export function termsOf({ asked }: Call): string {
  const { request } = asked;
  const method = textAt(request, "transData", "paymentMethod");
  const terms = TERMS.map((name) => {
    // Only a merchant-presented code has a channel; with others it is ignored. A sale may name a cashAmt of zero.
    if (name === "paymentChannel" && method !== "qrCustScan") return null;
    const text = textAt(request, "transData", name);
    return name === "cashAmt" && text === "0.00" ? null : text;
  });
  return JSON.stringify([typeOf(asked), textAt(request, "deviceId"), ...terms]);
}

const OUTCOME = ["statusCode", "responseCode", "responseText", "softwareVersion", "terminalSn", "transData"] as const;

/** The part of an answer that is the same for every way of asking. */
export function outcomeText(answer: Wire): string {
  return sortedText(Object.fromEntries(OUTCOME.map((name) => [name, answer[name] ?? null])));
}

/** The answer as it came, without its signature: a rotated key signs the same answer differently. */
export function unsignedText(answer: Wire): string {
  const { signature: _signature, ...rest } = answer;
  return JSON.stringify(rest);
}

export const OUT_OF_REACH = "22 IN_PROGRESS during a fault: the gateway could not reach its record";
