/**
 * What is wrong with what a POS has sent: clauses for a person, none if all is well. Times (`at`) are milliseconds of
 * the machine's monotonic clock.
 */
import { shortDuration } from "../../../protocol/time/duration.ts";
import { CLOCK_TOLERANCE } from "../../../protocol/limits.ts";
import { isTransactionType } from "../../../protocol/transfer-types.ts";
import { isJsonObject, type JsonObject } from "../../../protocol/signing/json.ts";
import { parseDatetime } from "../../../protocol/time/datetime.ts";
import { dataOf, textOf } from "../message.ts";
import { problemsIn } from "../step.ts";
import type { PosAnswer } from "./drive.ts";
import type { TokenKind } from "./tokens.ts";
import type { EpochMs } from "../../../protocol/time/units.ts";

/** The POS's account at the gateway. */
export interface KitAccount {
  posId: string;
  merchantId: string;
  deviceId: string;
  password: string;
  signingKey: string;
}

/** An error of the gateway. */
export interface RecordedRefusal {
  status: number;
  code: string;
  message: string;
  details: { path: string; message: string }[];
}

/** Secrets are checked on arrival and not kept. */
export interface RecordedCall {
  at: number;
  method: string;
  path: string;
  isJson: boolean;
  /** Whether the URL contained a token or the password. */
  secretInUrl: boolean;
  token: TokenKind;
  /** The gateway's status. It is null if the gateway was not asked, or has not answered yet. */
  status: number | null;
  /** Why the gateway refused it, or null. */
  refusal: RecordedRefusal | null;
}

/** A transfer or a cancel, accepted or not. */
export interface RecordedMessage extends RecordedCall {
  body: JsonObject;
  signatureHolds: boolean;
  receivedAt: EpochMs;
  /** The number of the tester's action that it belongs to. */
  drive: number;
  /** That of the gateway's answer; "" without one. */
  statusCode: string;
  /** It is about a sale of an earlier step, although the POS was to make a new one. */
  isOlder?: true;
}

/** @param body of the gateway's answer; null if it is not JSON */
export function refusalIn(status: number, body: JsonObject | null): RecordedRefusal {
  const listed = body?.["details"];
  const details = (Array.isArray(listed) ? listed : []).filter(isJsonObject);
  return {
    status,
    code: textOf(body, "code"),
    message: textOf(body, "message"),
    details: details.map((detail) => ({ path: textOf(detail, "path"), message: textOf(detail, "message") })),
  };
}

/** Describes the refusal in a clause for a person. */
export function refusalText({ status, message, details }: RecordedRefusal): string {
  const fields = details.map((detail) => (detail.path === "" ? "" : `${detail.path}: `) + detail.message);
  return `the gateway refused it with ${status}: ${[message, ...fields].join(" ")}`;
}

/** Why the gateway processed none of the messages; null if it processed one, or none has come. */
export function refusalOfAll(messages: readonly RecordedMessage[]): RecordedRefusal | null {
  const refusals = messages.map(({ refusal }) => refusal);
  const isRefused = refusals.every((refusal) => refusal !== null && refusal.status < 500 && refusal.status !== 429);
  return isRefused ? (refusals[0] ?? null) : null;
}

/** Sales, cashOuts and voids. */
export function groupByTransaction(messages: readonly RecordedMessage[]): RecordedMessage[] {
  return messages.filter(({ path, body }) => path === "/api/transfer" && isTransactionType(textOf(body, "transType")));
}

/** Lists each reference once. */
export function listReferences(messages: readonly RecordedMessage[]): string[] {
  return [...new Set(groupByTransaction(messages).map(({ body }) => textOf(body, "referenceId")))];
}

/** Whether the message is the transaction with this reference, or a question about it. */
export function isAbout(referenceId: string): (message: RecordedMessage) => boolean {
  return ({ body }) => [textOf(body, "referenceId"), textOf(dataOf(body), "referenceId")].includes(referenceId);
}

/** The members that must not change when a transaction is sent again. */
const TERMS = ["transAmt", "cashAmt", "paymentMethod", "paymentChannel", "transId"];

function formatTerms({ body }: RecordedMessage): string {
  const members = TERMS.map((name) => textOf(dataOf(body), name));
  return JSON.stringify([textOf(body, "transType"), textOf(body, "deviceId"), ...members]);
}

/** For a transaction that must be sent again: whether the POS started another one instead. */
export function repetitionProblem(messages: readonly RecordedMessage[]): string | false {
  const sent = groupByTransaction(messages);
  const references = listReferences(sent);
  if (sent.length === 0) return "no transaction arrived";
  if (references.length > 1) return `${references.length} different referenceIds: ${references.join(", ")}`;
  if (sent.length === 1) return "it was not sent again";
  return new Set(sent.map(formatTerms)).size > 1 && "the second message has the same referenceId and other terms";
}

/** Finds out whether a POS that received 22 did not ask again, or started something else. */
export function askingProblem(messages: readonly RecordedMessage[], answers: number): string | false {
  const [first = "", ...others] = listReferences(messages);
  if (others.length > 0) return `a new transaction under ${others.join(", ")} while ${first} was not completed`;
  if (messages.length < answers) return `${messages.length - 1} further questions instead of ${answers - 1}`;
  const named = messages.map(({ body }) => textOf(dataOf(body), "referenceId"));
  return named.some((name) => name !== "" && name !== first) && "it asked about another transaction";
}

const WORDS: Record<PosAnswer, string> = {
  approved: "approved",
  "not-approved": "not approved",
  unknown: "an unknown outcome",
  failed: "a failure, no money moved",
  "failed-unknown": "a failure, outcome unknown",
  unsupported: "that it does not support this action",
  crashed: "nothing: its command does not exist, or exited with a status other than 0 to 5",
  nothing: "nothing: it did not end in time",
};

export function answerKindText(shown: PosAnswer): string {
  return `the POS showed ${WORDS[shown]}`;
}

export function answerProblem(shown: PosAnswer, ...right: PosAnswer[]): string | false {
  return !right.includes(shown) && answerKindText(shown);
}

/** A signature, the time and the URL have steps of their own. */
const NOT_FIELDS = ["signature", "datetime", ""];

/** What the gateway finds wrong with the fields, and what names another account or device. */
export function fieldProblems({ path, body, refusal }: RecordedMessage, account: KitAccount): string[] {
  const isTransfer = path === "/api/transfer";
  const kind = isTransfer ? textOf(body, "transType") || "transfer" : "cancel";
  const names = ["posId", "deviceId", ...(isTransfer ? (["merchantId"] as const) : [])] as const;
  const invalid = refusal?.code === "40000" ? refusal.details : [];
  return problemsIn([
    ...invalid
      .filter((problem) => !NOT_FIELDS.includes(problem.path))
      .map((problem) => `${kind}: ${problem.path}: ${problem.message}`),
    ...names.map((name) => textOf(body, name) !== account[name] && `${kind}: ${name} must be ${account[name]}`),
  ]);
}

export function datetimeProblem({ body, receivedAt }: RecordedMessage): string | false {
  const said = textOf(body, "datetime");
  const datetime = parseDatetime(said);
  if (datetime === null) return `“${said}” does not have the form YYYYMMDDTHHMMSS`;
  const off = Math.abs(datetime - receivedAt);
  return off > CLOCK_TOLERANCE && `${said} is ${shortDuration(off)} off; send UTC`;
}

/**
 * What the terminal really charged for one purchase, if it does not fit what the POS showed at the end.
 *
 * @param charges how many times money moved, and was not given back
 */
export function moneyProblem(charges: number, shown: PosAnswer): string | false {
  if (charges > 1) return `the terminal charged the customer ${charges} times`;
  if (charges === 0) return shown === "approved" && "the terminal charged nothing";
  return (shown === "not-approved" || shown === "failed") && "the terminal charged the customer";
}
