import {
  sensitiveMembers,
  withoutDiscretionaryData,
  maskFreeText,
  structuredText,
} from "../../protocol/card-data/sensitive-data.ts";
import { log } from "../lib/log.ts";
import { signedForm } from "../../protocol/signing/canonical.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { computedForm } from "../../protocol/signing/problems.ts";
import { verifySignature } from "../../protocol/signing/signature.ts";
import { DATE_TIME, type HelloFrame, type ResultFrame, type TerminalFrame } from "../../protocol/terminal-frames.ts";
import { type StoredReports, knownData, type ConnectionLink, type Report, type LaneTransaction } from "./lane/index.ts";
import type { TerminalContext } from "./context.ts";
import { DETAIL_LENGTHS, RESULT_LENGTHS } from "../../protocol/lengths.ts";
import { CARD_MEMBERS, CVM_TYPES, ENTRY_MODES, isWallet } from "../../protocol/payment-methods.ts";
import { maskCardNo } from "../../protocol/card-data/card-numbers.ts";
import type { Outcome, TransactionData } from "../../protocol/transactions.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

type ReportFrame = Exclude<TerminalFrame, HelloFrame>;

/** A frame, and its JSON as it was received, which a result's signature covers. */
interface Received<Frame> {
  frame: Frame;
  signed: JsonObject;
}

export function report(
  context: TerminalContext,
  socket: WebSocket,
  { frame, signed }: Received<ReportFrame>,
  now: EpochMs,
): void {
  const { lane } = context;
  const { requestId } = frame;
  switch (frame.type) {
    case "accepted":
      lane.take({ kind: "accepted", requestId, transaction: lane.find(requestId) }, now);
      return;
    case "refused": {
      const { attempt, reason } = frame;
      lane.take({ kind: "refused", requestId, attempt, reason, transaction: lane.find(requestId) }, now);
      return;
    }
    case "progress":
      lane.take({ kind: "progress", requestId, stage: frame.stage, transaction: lane.find(requestId) }, now);
      return;
    case "result":
      reportResult(context, socket, { frame, signed }, now);
      return;
  }
}

function reportResult(
  context: TerminalContext,
  socket: WebSocket,
  { frame, signed }: Received<ResultFrame>,
  now: EpochMs,
): void {
  const { lane, records, reports } = context;
  const { requestId } = frame;
  const about = { transaction: requestId, terminal: records.terminalId };
  const signedWith = context.secretStore.find(context.connections.terminalAt(socket).secretVersion);
  if (signedWith === null || !verifySignature(signed, signedWith.secret)) {
    log("warning", "result_signature_rejected", about);
    const message = `The result's signature is wrong. Sign it again and send it again. ${computedForm(signedForm(signed))}`;
    context.connections.sendError(socket, "bad_signature", message, requestId);
    return;
  }
  // The terminal's maker must fix this. The result still counts (I4); only the sensitive data are dropped.
  if (sensitiveMembers(signed).length > 0) log("error", "sensitive_result_data_dropped", about);
  const transaction = lane.find(requestId);
  const cleaned = cleanResult(frame, transaction, lane.versions);
  if (transaction === null || transaction.attempt === 0) {
    const orphan = keptReport(cleaned);
    lane.take(
      { kind: "orphan", requestId, statusCode: frame.statusCode, kept: reports.orphan(requestId, orphan) },
      now,
      orphan,
    );
    return;
  }
  const checked = checkResult(frame, cleaned, transaction, now);
  // Whoever replaced the secret since the request was sent can sign as the terminal, so this result proves nothing by itself.
  const isOlderThanSecret = (transaction.sending?.at ?? transaction.receivedAt) < signedWith.changedAt;
  if (isOlderThanSecret && transaction.state !== "completed") checked.contradicts = true;
  const result = { kind: "result", requestId, transaction, report: checked } as const;
  if (!checked.contradicts && transaction.state !== "completed") {
    lane.take({ ...result, kept: NOTHING_KEPT }, now);
    return;
  }
  const beside = keptReport(cleaned);
  lane.take({ ...result, kept: reports.beside(requestId, beside) }, now, beside);
}

const NOTHING_KEPT: StoredReports = { as: [], hasRoom: true };

/**
 * These are names and texts for people, which may contain a card number by mistake. Other members keep their digits.
 */
const FREE_TEXTS = new Set<string>(["cardLabel", "cardHoldersName", "paymentChannel", "aid", "apprCode"]);

const OF_CARDS = new Set<string>(CARD_MEMBERS);

/** The answers' names of entry modes, by their lower-case form and by the request's name. */
const ENTRY_MODE_NAMES: ReadonlyMap<string, string> = new Map([
  ["contact", "Chip"],
  ...ENTRY_MODES.map((name) => [name.toLowerCase(), name] as const),
]);

/** The members of a result that may be stored. Each of its texts is searched for card data once. */
interface CleanedResult {
  outcome: Outcome;
  transData: TransactionData;
  /** The amounts and the currency that the result names. */
  named: JsonObject;
}

/**
 * @param frame a result with a valid signature
 * @param transaction null: there is no row
 * @param versions as the terminal last reported them, for a result without them
 */
function cleanResult(
  frame: ResultFrame,
  transaction: LaneTransaction | null,
  versions: Pick<ConnectionLink, "softwareVersion" | "terminalSn">,
): CleanedResult {
  const named: JsonObject = {};
  for (const name of ["transAmt", "cashAmt", "currency"] as const) {
    const value = frame.transData?.[name];
    if (typeof value === "string") named[name] = maskFreeText(value, 32);
  }
  const byWallet = transaction !== null && isByWallet(transaction);
  return {
    outcome: {
      statusCode: frame.statusCode,
      // No scheme's code looks like a card number, but a terminal may send one here, and it must not be stored (I6).
      responseCode: maskFreeText(frame.responseCode, RESULT_LENGTHS.responseCode),
      ...(frame.responseText !== ""
        ? { responseText: maskFreeText(frame.responseText, RESULT_LENGTHS.responseText) }
        : {}),
      softwareVersion: maskFreeText(frame.softwareVersion, RESULT_LENGTHS.softwareVersion) || versions.softwareVersion,
      terminalSn: maskFreeText(frame.terminalSn, RESULT_LENGTHS.terminalSn) || versions.terminalSn,
    },
    transData: reportedMembers(frame.transData ?? {}, byWallet),
    named,
  };
}

function checkResult(
  frame: ResultFrame,
  { outcome, transData }: CleanedResult,
  transaction: LaneTransaction,
  now: EpochMs,
): Report {
  const reported = frame.transData;
  // A success always has details; a failure has the details that the terminal sent.
  const hasDetails = reported !== null || frame.statusCode === "00";
  return {
    statusCode: frame.statusCode,
    outcome: hasDetails ? { ...outcome, transData: withReported(transData, transaction, now) } : outcome,
    contradicts: contradicts(reported ?? {}, transaction),
  };
}

/** Whether the result names another amount or currency than the one frozen when the request arrived. */
function contradicts(reported: Record<string, unknown>, { frozen }: LaneTransaction): boolean {
  const differs = (name: "transAmt" | "cashAmt" | "currency", expected: string | undefined): boolean => {
    const value = reported[name];
    if (value === undefined || value === null || value === "") return false;
    // A terminal may report for a sale that no cash was paid out.
    if (name === "cashAmt" && expected === undefined) return !isZero(value);
    return value !== expected;
  };
  return (
    differs("transAmt", frozen.transAmt) || differs("cashAmt", frozen.cashAmt) || differs("currency", frozen.currency)
  );
}

function isZero(amount: unknown): boolean {
  return typeof amount === "string" && /^0+(?:\.0+)?$/u.test(amount);
}

/**
 * Valid reported members win over the gateway's own values, and empty ones over none.
 *
 * @param reported as `reportedMembers` returns them
 */
function withReported(reported: TransactionData, transaction: LaneTransaction, now: EpochMs): TransactionData {
  const data = knownData(transaction, now);
  for (const [name, value] of Object.entries(reported)) {
    // Only a cashOut has a cash amount.
    if (name === "cashAmt" && transaction.frozen.cashAmt === undefined) continue;
    if (value !== "" || data[name] === undefined) data[name] = value;
  }
  return data;
}

function isByWallet({ terms, frozen }: LaneTransaction): boolean {
  return isWallet(terms.paymentMethod ?? frozen.paymentMethod);
}

/** A wallet has no card details. */
function reportedMembers(reported: Record<string, unknown>, byWallet: boolean): TransactionData {
  const data: TransactionData = {};
  for (const [name, length] of Object.entries(DETAIL_LENGTHS)) {
    const value = reported[name];
    const text = typeof value === "number" ? String(value) : value;
    if (typeof text !== "string" || (byWallet && OF_CARDS.has(name))) continue;
    const shown = shownText(name, text, length);
    if (shown !== undefined) data[name] = shown;
  }
  return data;
}

/** Returns undefined if the detail is not valid. */
function shownText(name: string, text: string, length: number): string | undefined {
  switch (name) {
    case "transDateTime":
      return DATE_TIME.test(text) ? text : undefined;
    case "cardNo":
      return maskCardNo(withoutDiscretionaryData(text));
    case "entryMode":
      return ENTRY_MODE_NAMES.get(text.trim().toLowerCase());
    case "cvmType": {
      const type = text.trim().padStart(2, "0");
      return CVM_TYPES.find((known) => known === type);
    }
    default:
      return FREE_TEXTS.has(name) ? maskFreeText(text, length) : structuredText(text, length);
  }
}

/**
 * Returns a report that must not change its row: the members that may be shown, with the amounts that it named. The
 * same result gives the same report, so it is stored once.
 */
function keptReport({ outcome, transData, named }: CleanedResult): JsonObject {
  return { ...outcome, transData, named };
}
