/**
 * What is wrong with what a POS has sent: clauses for a person, none if all is well. Times (`at`) are milliseconds of
 * the machine's monotonic clock.
 */
import { shortDuration } from "../../../protocol/time/duration.ts";
import { CLOCK_TOLERANCE } from "../../../protocol/limits/messages.ts";
import { isTransactionType } from "../../../protocol/transfer-types.ts";
import { readLogin } from "../../../gateway/http/pos/sessions/requests.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { holds } from "../../../protocol/signing/signature.ts";
import { parseDatetime } from "../../../protocol/time/datetime.ts";
import { parseCancel, parseTransfer } from "../../../gateway/http/pos/transfer/messages.ts";
import { dataOf, textOf } from "../message.ts";
import { problemsIn } from "../step.ts";
import type { Shown } from "./drive.ts";
import type { KitAccount } from "./ledger.ts";

/** `stale`: replaced, expired or not issued. */
export type TokenKind = "access" | "refresh" | "stale" | "none";

/** Secrets are checked on arrival and not kept. */
export interface CallHeard {
  at: number;
  method: string;
  path: string;
  /** The URL contained a token or the password. */
  secretInUrl: boolean;
  token: TokenKind;
  status: number;
}

/** A transfer or a cancel, accepted or not. */
export interface MessageHeard {
  at: number;
  path: string;
  body: JsonObject;
  signatureHolds: boolean;
  /** Epoch milliseconds. */
  receivedAt: number;
  /** The number of the tester's action that it belongs to. */
  drive: number;
  /** It is about a sale of an earlier step, although the till was to make a new one. */
  isOlder?: true;
}

export interface LoginHeard {
  at: number;
  /** Why it was refused; empty if it was accepted. */
  problems: string[];
  isJson: boolean;
}

export interface RefreshHeard {
  at: number;
  token: TokenKind;
}

/** Sales, cashOuts and voids. */
export function transactions(messages: readonly MessageHeard[]): MessageHeard[] {
  return messages.filter(({ path, body }) => path === "/api/transfer" && isTransactionType(textOf(body, "transType")));
}

/** Each once. */
export function referencesOf(messages: readonly MessageHeard[]): string[] {
  return [...new Set(transactions(messages).map(({ body }) => textOf(body, "referenceId")))];
}

/** The members that must not change when a transaction is sent again. */
const TERMS = ["transAmt", "cashAmt", "paymentMethod", "paymentChannel", "transId"];

function termsOf({ body }: MessageHeard): string {
  const members = TERMS.map((name) => textOf(dataOf(body), name));
  return JSON.stringify([textOf(body, "transType"), textOf(body, "deviceId"), ...members]);
}

/** For a transaction that must be sent again: whether the till started another one instead. */
export function repetitionProblem(messages: readonly MessageHeard[]): string | false {
  const sent = transactions(messages);
  const references = referencesOf(sent);
  if (sent.length === 0) return "no transaction arrived";
  if (references.length > 1) return `${references.length} different referenceIds: ${references.join(", ")}`;
  if (sent.length === 1) return "it was not sent again";
  return new Set(sent.map(termsOf)).size > 1 && "the second message has the same referenceId and other terms";
}

/** For a POS that received 22: whether it did not ask again, or started something else. */
export function askingProblem(messages: readonly MessageHeard[], answers: number): string | false {
  const [first = "", ...others] = referencesOf(messages);
  if (others.length > 0) return `a new transaction under ${others.join(", ")} while ${first} was not completed`;
  if (messages.length < answers) return `${messages.length - 1} further questions instead of ${answers - 1}`;
  const named = messages.map(({ body }) => textOf(dataOf(body), "referenceId"));
  return named.some((name) => name !== "" && name !== first) && "it asked about another transaction";
}

const WORDS: Record<Shown, string> = {
  approved: "approved",
  "not-approved": "not approved",
  unknown: "an unknown outcome",
  failed: "a failure, no money moved",
  "failed-unknown": "a failure, outcome unknown",
  unsupported: "that it does not support this action",
  crashed: "nothing: its command does not exist, or exited with a status other than 0 to 5",
  nothing: "nothing: it did not end in time",
};

export function shownProblem(shown: Shown, ...right: Shown[]): string | false {
  return !right.includes(shown) && `the till showed ${WORDS[shown]}`;
}

export function fieldProblems({ path, body }: MessageHeard, account: KitAccount): string[] {
  const isTransfer = path === "/api/transfer";
  const parsed = isTransfer ? parseTransfer(body) : parseCancel(body);
  const kind = isTransfer ? textOf(body, "transType") || "transfer" : "cancel";
  const names = ["posId", "deviceId", ...(isTransfer ? (["merchantId"] as const) : [])] as const;
  const invalid = parsed.ok ? [] : parsed.error.filter((problem) => problem.path !== "datetime");
  return problemsIn([
    ...invalid.map((problem) => `${kind}: ${problem.path}: ${problem.message}`),
    ...names.map((name) => textOf(body, name) !== account[name] && `${kind}: ${name} must be ${account[name]}`),
  ]);
}

export function datetimeProblem({ body, receivedAt }: MessageHeard): string | false {
  const said = textOf(body, "datetime");
  const datetime = parseDatetime(said);
  if (datetime === null) return `“${said}” does not have the form YYYYMMDDTHHMMSS`;
  const off = Math.abs(datetime - receivedAt);
  return off > CLOCK_TOLERANCE && `${said} is ${shortDuration(off)} off; send UTC`;
}

/**
 * With a password or signed. Empty if the login is accepted.
 *
 * @param used signatures of earlier logins; this one is added
 * @param now epoch milliseconds
 */
export function loginProblems(body: JsonObject | null, account: KitAccount, used: Set<string>, now: number): string[] {
  const login = readLogin(body ?? {});
  if (!login.ok) return login.error.map(({ path, message }) => `${path}: ${message}`);
  if (login.value.posId !== account.posId) return ["posId was wrong"];
  if (login.value.kind === "password") return login.value.password === account.password ? [] : ["password was wrong"];
  const { form, signature, datetime } = login.value;
  if (!holds(form, signature, account.signingKey)) return ["the signature is wrong"];
  if (Math.abs(datetime - now) > CLOCK_TOLERANCE) return [`datetime is ${shortDuration(Math.abs(datetime - now))} off`];
  const isNew = !used.has(signature.toLowerCase());
  used.add(signature.toLowerCase());
  return isNew ? [] : ["a signed login was sent twice; each needs a new nonce"];
}
