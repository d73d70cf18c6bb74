/** A verified result is compared with what was asked for, and brought into the interface's form. */
import { localDateTime } from "../time/zone.ts";
import type { JsonObject } from "../signing/json.ts";
import { maskCardNo, maskCardNumbers } from "./card-data.ts";
import type { ResultFrame } from "./frames.ts";
import type { Link, Report } from "./lane/lane.ts";
import type { Outcome, Transaction, TransactionData } from "./lane/transaction.ts";
import { withoutDiscretionaryData, withoutTrackData } from "./sensitive-data.ts";

/** The longest texts of the result itself, in characters: longer ones are cut. */
export const RESULT_LENGTHS = { responseCode: 32, responseText: 128, softwareVersion: 40, terminalSn: 40 } as const;

/** The members of a result's `transData`, with their longest lengths in characters. Anything else is dropped. */
export const LENGTHS = {
  paymentChannel: 32,
  transDateTime: 32,
  cardNo: 32,
  invNo: 32,
  batchNo: 32,
  tid: 32,
  mid: 32,
  entryMode: 32,
  rrn: 32,
  apprCode: 32,
  tvr: 32,
  appCrypt: 32,
  aid: 32,
  cvmType: 2,
  cardLabel: 32,
  cardHoldersName: 32,
} as const;

/** Present in every result, left empty where the terminal says nothing. */
export const MANDATORY = ["paymentChannel", "invNo", "tid", "mid"] as const;

/** Texts for people and names, where a card number may have slipped in; the other members keep their digits. */
const FREE_TEXTS = new Set<string>(["cardLabel", "cardHoldersName", "paymentChannel"]);

/** The request's names of entry modes, and the answers' names for them. */
const ENTRY_MODES: ReadonlyMap<string, string> = new Map([
  ["contact", "Chip"],
  ["chip", "Chip"],
  ["contactless", "Contactless"],
  ["magstripe", "Magstripe"],
  ["manual", "Manual"],
  ["fallback", "Fallback"],
]);

export const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}$/u;

/**
 * @param frame a result whose signature holds
 * @param transaction the row that it is about
 * @param versions those that the terminal last reported, for a result that does not name them
 * @param now epoch milliseconds
 */
export function checkResult(
  frame: ResultFrame,
  transaction: Transaction,
  versions: Pick<Link, "softwareVersion" | "terminalSn">,
  now: number,
): Report {
  const outcome: Outcome = {
    statusCode: frame.statusCode,
    // No scheme's code looks like a card number; a terminal that writes one there must not put it into storage (I6).
    responseCode: freeText(frame.responseCode, RESULT_LENGTHS.responseCode),
    ...(frame.responseText !== "" ? { responseText: freeText(frame.responseText, RESULT_LENGTHS.responseText) } : {}),
    softwareVersion: freeText(frame.softwareVersion, RESULT_LENGTHS.softwareVersion) || versions.softwareVersion,
    terminalSn: freeText(frame.terminalSn, RESULT_LENGTHS.terminalSn) || versions.terminalSn,
  };
  const reported = frame.transData;
  // A success always has its details; a failure has those that the terminal gave.
  if (reported !== null || frame.statusCode === "00") {
    outcome.transData = transactionData(reported ?? {}, transaction, now);
  }
  return { statusCode: frame.statusCode, outcome, contradicts: contradicts(reported ?? {}, transaction) };
}

/** Whether the result names another amount or currency than the one frozen when the request arrived. */
function contradicts(reported: Record<string, unknown>, { frozen }: Transaction): boolean {
  const differs = (name: "transAmt" | "cashAmt" | "currency", expected: string | undefined): boolean => {
    const value = reported[name];
    return value !== undefined && value !== null && value !== "" && value !== expected;
  };
  return (
    differs("transAmt", frozen.transAmt) || differs("cashAmt", frozen.cashAmt) || differs("currency", frozen.currency)
  );
}

function transactionData(
  reported: Record<string, unknown>,
  { requestId, terms, details, frozen }: Transaction,
  now: number,
): TransactionData {
  const data: TransactionData = {
    transId: terms.transId ?? String(requestId),
    paymentChannel: "",
    ...(frozen.transAmt === undefined ? {} : { transAmt: frozen.transAmt }),
    ...(frozen.cashAmt === undefined ? {} : { cashAmt: frozen.cashAmt }),
    transDateTime: "",
    currency: frozen.currency,
  };
  for (const name of MANDATORY) data[name] = "";
  for (const [name, length] of Object.entries(LENGTHS)) {
    const value = reported[name];
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string") continue;
    if (name === "transDateTime") {
      if (DATE_TIME.test(text)) data[name] = text;
    } else if (name === "cardNo") data[name] = maskCardNo(withoutDiscretionaryData(text));
    else if (name === "entryMode") data[name] = freeText(ENTRY_MODES.get(text.toLowerCase()) ?? text, length);
    else data[name] = FREE_TEXTS.has(name) ? freeText(text, length) : structured(text, length);
  }
  if (data["transDateTime"] === "") data["transDateTime"] = localDateTime(now, frozen.timezone);
  if (details.metadata !== undefined) data["metadata"] = details.metadata;
  return data;
}

/** Masked before it is cut: a number must not escape by being cut. */
function freeText(text: string, length: number): string {
  return cut(maskCardNumbers(withoutTrackData(text)), length);
}

/** Numbers and codes keep their digits, one in ten of which would pass for a card number's; a track is never one. */
function structured(text: string, length: number): string {
  return cut(withoutTrackData(text), length);
}

/** The first so many Unicode characters. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join("");
}

/** A report as it is kept beside a row that it must not change: as it would have been shown, with what it named. */
export function keptReport(frame: ResultFrame, report: Report): JsonObject {
  const named: JsonObject = {};
  for (const name of ["transAmt", "cashAmt", "currency"] as const) {
    const value = frame.transData?.[name];
    if (typeof value === "string") named[name] = freeText(value, 32);
  }
  return { ...(report.outcome as unknown as JsonObject), named };
}
