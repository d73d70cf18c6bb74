import type {
  AccountEvent,
  AccountTransaction,
  DayTotals,
  PosError,
  TransferAnswer,
  TransferProgress,
} from "../../client/pos.ts";
import { stageWords } from "../../client/pos/stage-words.ts";
import type { TransferType } from "../../../protocol/transfer-types.ts";
import { SECOND } from "../../../protocol/time/units.ts";
import { commandLine, WRONG_USAGE } from "../invocation.ts";
import { dataLines, memberLines, paint, tableLines } from "../table.ts";

/** A script reads the statusCode from the exit status. */
export const POS_EXIT = { approved: 0, notApproved: 1, unknown: 2, failed: 3, failedUnknown: 4, usage: WRONG_USAGE };

const PAINTED = { "00": paint.green, "11": paint.red, "22": paint.yellow };

const STATUS = { "00": POS_EXIT.approved, "11": POS_EXIT.notApproved, "22": POS_EXIT.unknown };

export interface PosReport {
  data: unknown;
  lines: string;
  status?: number;
}

export function answerText({ data, lines }: PosReport, json: boolean): string {
  return json ? JSON.stringify(data ?? { ok: true }) : lines;
}

export function reportData(data: unknown): PosReport {
  return { data, lines: dataLines(data) };
}

export function reportTransfer(answer: TransferAnswer): PosReport {
  const { statusCode, responseCode, responseText = "", transData = {} } = answer;
  const { referenceId, originalTransType, originalReferenceId, voidStatus, softwareVersion, terminalSn } = answer;
  const members = { referenceId, originalTransType, originalReferenceId, voidStatus, ...transData };
  const lines = [
    `${PAINTED[statusCode](statusCode)}  ${responseCode}  ${responseText}`.trimEnd(),
    ...memberLines({ ...members, terminal: `${terminalSn}, ${softwareVersion}` }),
    ...openPaymentLines(answer),
  ];
  return { data: answer, lines: lines.join("\n"), status: STATUS[statusCode] };
}

/** The customer may have paid otherwise, and the next customer's card would pay what the terminal still shows. */
function openPaymentLines({ openReferenceId }: TransferAnswer): string[] {
  if (openReferenceId === undefined) return [];
  const cancel = `${commandLine("pos")} cancel ${openReferenceId}`;
  return [`Payment ${openReferenceId} is open at the terminal. If nobody is about to pay it, cancel it: ${cancel}`];
}

/** What to do about the money. A question that is refused says nothing about its transaction. */
const NEXT: Record<PosError["next"], string> = {
  again: "Ask again with the same --reference. Do not charge again: money may have moved.",
  inquiry: `Send an inquiry. Do not charge again: ${commandLine("pos")} inquiry --about REFERENCE`,
  transactions: `Look in the account's list. Do not charge again: ${commandLine("pos")} transactions --about REFERENCE`,
  none: "This call moved no money.",
};

/**
 * What to do about the money comes first: people read the first words, and act.
 *
 * @param movesMoney whether the call moves money when it succeeds
 */
export function errorText({ next, problem }: PosError, movesMoney: boolean): string {
  return [
    ...(next === "none" ? [] : [NEXT[next]]),
    problem.message,
    ...(problem.details ?? []).map(({ path, message }) => `  ${path}: ${message}`),
    ...(problem.doc === undefined ? [] : [`  see ${problem.doc}`]),
    ...(problem.traceId === undefined ? [] : [`  traceId ${problem.traceId}`]),
    ...(movesMoney && next === "none" ? [NEXT.none] : []),
  ].join("\n");
}

export function errorJson({ kind, outcomeUnknown, next, problem }: PosError): string {
  return JSON.stringify({ error: kind, outcomeUnknown, next, ...problem });
}

/** Has the same members, and says that nothing was sent. */
export function usageJson(message: string): object {
  return { error: "wrong_usage", outcomeUnknown: false, next: "none", message };
}

export function reportEvent(event: AccountEvent): PosReport {
  return { data: event, lines: eventLine(event) };
}

/** `42  2026-11-20 10:15:42  transaction.completed  00  sale     12.50 MYR  T-0001  R-20261120-0001` */
export function eventLine(event: AccountEvent): string {
  const { number, timestamp, type } = event;
  const time = timestamp.slice(0, 19).replace("T", " ");
  return [String(number).padStart(6), time, type.padEnd("transaction.completed".length), ...describeEvent(event)]
    .join("  ")
    .trimEnd();
}

function describeEvent(event: AccountEvent): string[] {
  switch (event.type) {
    case "transaction.pending":
    case "transaction.completed":
    case "transaction.updated": {
      const { statusCode, transType, transAmt, currency, deviceId, referenceId, voidedBy } = event.data;
      const amount = `${transAmt ?? "-"} ${currency}`.padStart(14);
      const voided = voidedBy === null ? [] : [`voided by ${voidedBy.referenceId}`];
      return [statusCode, transType.padEnd("cashOut".length), amount, deviceId, referenceId, ...voided];
    }
    case "transaction.conflict": {
      const { transaction, reported } = event.data;
      const { statusCode, deviceId, referenceId } = transaction;
      return [statusCode, `the terminal reports ${reported.statusCode}`, deviceId, referenceId];
    }
    case "day.closed":
      return [event.data.day];
    default:
      // An event type that is newer than this program.
      return Object.values({ ...(event as { data?: object }).data })
        .flat()
        .filter((value): value is string => typeof value === "string");
  }
}

/** `2026-11-20 10:15:42  00  sale     12.50 MYR  T-0001  R-20261120-0001  VISA` */
export function transactionLine(transaction: AccountTransaction): string {
  const { statusCode, responseCode, transType, transAmt, currency, deviceId, referenceId } = transaction;
  const { completedAt, receivedAt, paymentChannel, voidedBy } = transaction;
  const time = (completedAt ?? receivedAt).slice(0, 19).replace("T", " ");
  const amount = `${transAmt ?? "-"} ${currency}`.padStart(14);
  const voided = voidedBy === null ? [] : [`voided by ${voidedBy.referenceId}`];
  const how = statusCode === "00" ? (paymentChannel ?? "-") : responseCode;
  return [time, statusCode, transType.padEnd("cashOut".length), amount, deviceId, referenceId, how, ...voided].join(
    "  ",
  );
}

export function totalsText({ day, timezone, closed, closesAt, deviceId, pending, data }: DayTotals): string {
  const whose = deviceId === null ? "all terminals" : deviceId;
  const open =
    pending === null || pending.count === 0
      ? []
      : [`  22 now: ${pending.count}, ${pending.transAmt ?? "in several currencies"}`];
  const rows = data.map(({ currency, transType, paymentChannel, approved, notApproved }) => [
    transType,
    paymentChannel ?? "-",
    String(approved.count),
    `${approved.transAmt} ${currency}`,
    approved.cashAmt,
    String(notApproved.count),
  ]);
  const table =
    rows.length === 0 ? ["  Nothing was completed."] : tableLines([HEAD, ...rows], 2).map((line) => `  ${line}`);
  const state = closed ? "closed" : `open, closes at ${closesAt.slice(0, 16).replace("T", " ")}`;
  return [`${day}  ${state}  ${timezone}  ${whose}`, ...table, ...open].join("\n");
}

const HEAD = ["type", "channel", "00", "amount", "cash", "11"];

interface ProgressOutput {
  isTTY?: boolean;
  columns?: number;
  write(text: string): unknown;
}

const CLEAR_LINE = "\r\u001b[2K";

/** A transfer's progress on one line, overwritten in place; prints nothing if the output is not a terminal window. */
export class ProgressLine {
  readonly #output: ProgressOutput;
  readonly #transType: TransferType | undefined;
  #shown = false;

  /** @param transType decides some of the words */
  constructor(output: ProgressOutput, transType?: TransferType) {
    this.#output = output;
    this.#transType = transType;
  }

  get isSeen(): boolean {
    return this.#output.isTTY === true;
  }

  show(progress: TransferProgress): void {
    if (!this.isSeen) return;
    const text = describeProgress(progress, this.#transType).slice(0, (this.#output.columns ?? 80) - 1);
    this.#output.write(CLEAR_LINE + text);
    this.#shown = true;
  }

  clear(): void {
    if (this.#shown) this.#output.write(CLEAR_LINE);
    this.#shown = false;
  }
}

/**
 * "Customer is entering the PIN · 12 s, 168 s left", followed by the last problem or the repetition: "… · message 2 ·
 * waiting to ask again · last answer 22 IN_PROGRESS".
 */
export function describeProgress(
  { state, attempt, elapsed, left, pending, problem, stages }: TransferProgress,
  transType?: TransferType,
): string {
  const stage = stages.at(-1)?.stage;
  // Until the first message is answered, the stage says more.
  const isFirst = attempt === 1 && state === "asking" && stage !== undefined;
  return [
    ...(stage === undefined ? [] : [stageWords(stage, transType)]),
    `${Math.round(elapsed / SECOND)} s, ${Math.round(left / SECOND)} s left`,
    ...(isFirst ? [] : [`message ${attempt}`, state === "asking" ? "waiting for the answer" : "waiting to ask again"]),
    ...(pending === null ? [] : [`last answer ${pending.statusCode} ${pending.responseCode}`]),
    ...(pending?.openReferenceId === undefined ? [] : [`payment ${pending.openReferenceId} is open at the terminal`]),
    ...(problem === null ? [] : [problem.message]),
  ].join(" · ");
}
