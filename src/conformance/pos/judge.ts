/** Problems in a POS's messages. Each function returns clauses for a person; none if all is well. */
import { shortDuration } from "../../time/duration.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits/messages.ts";
import { readLogin } from "../../http/sessions/requests.ts";
import type { JsonObject } from "../../signing/json.ts";
import { holds } from "../../signing/signature.ts";
import { parseDatetime } from "../../time/datetime.ts";
import { parseCancel, parseTransfer } from "../../http/transfer/parse.ts";
import { isObject, textOf } from "../terminal/heard.ts";
import type { Shown } from "./drive.ts";
import { type MessageHeard, referencesOf, transactions } from "./heard.ts";
import type { KitAccount } from "./answer.ts";

/** The members that must not change when a transaction is sent again. */
const TERMS = ["transAmt", "cashAmt", "paymentMethod", "paymentChannel", "transId"];

function termsOf(body: JsonObject): string {
  const data = isObject(body["transData"]) ? body["transData"] : {};
  const members = TERMS.map((name) => textOf(data, name));
  return JSON.stringify([textOf(body, "transType"), textOf(body, "deviceId"), ...members]);
}

/** Problems if another transaction was started instead of the same one being sent again. */
export function repetitionProblems(messages: readonly MessageHeard[]): string[] {
  const sent = transactions(messages);
  const references = referencesOf(sent);
  if (sent.length === 0) return ["no transaction arrived"];
  if (references.length > 1) return [`${references.length} different referenceIds: ${references.join(", ")}`];
  if (sent.length === 1) return ["it was not sent again"];
  const terms = new Set(sent.map(({ body }) => termsOf(body)));
  return terms.size > 1 ? ["the second message has the same referenceId and other terms"] : [];
}

/** Problems if a POS that received 22 did not ask again, or started something else. */
export function askingProblems(messages: readonly MessageHeard[], answers: number): string[] {
  const references = referencesOf(transactions(messages));
  if (references.length > 1) {
    return [`a new transaction under ${references.slice(1).join(", ")} while ${references[0] ?? ""} was not completed`];
  }
  if (messages.length < answers) return [`${messages.length - 1} further questions instead of ${answers - 1}`];
  const other = messages.filter(({ body }) => {
    const data = isObject(body["transData"]) ? body["transData"] : null;
    const named = textOf(data, "referenceId");
    return named !== "" && !references.includes(named);
  });
  return other.length === 0 ? [] : ["it asked about another transaction"];
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

/** What the till showed, if it is none of `right`. */
export function shownProblems(shown: Shown, ...right: Shown[]): string[] {
  return right.includes(shown) ? [] : [`the till showed ${WORDS[shown]}`];
}

/** Fields and lengths, by the gateway's own schema. */
export function fieldProblems({ path, body }: MessageHeard, account: KitAccount): string[] {
  const parsed = path === "/api/transfer" ? parseTransfer(body) : parseCancel(body);
  const problems = parsed.ok ? [] : parsed.error;
  const kind = path === "/api/transfer" ? textOf(body, "transType") || "transfer" : "cancel";
  const names =
    path === "/api/transfer" ? (["posId", "merchantId", "deviceId"] as const) : (["posId", "deviceId"] as const);
  return [
    ...problems
      .filter((problem) => problem.path !== "datetime")
      .map((problem) => `${kind}: ${problem.path || "the message"}: ${problem.message}`),
    ...names.flatMap((name) =>
      textOf(body, name) === account[name] ? [] : [`${kind}: ${name} must be ${account[name]}`],
    ),
  ];
}

export function datetimeProblems({ body, receivedAt }: MessageHeard): string[] {
  const said = textOf(body, "datetime");
  const datetime = parseDatetime(said);
  if (datetime === null) return [`“${said}” does not have the form YYYYMMDDTHHMMSS`];
  const off = Math.abs(datetime - receivedAt);
  return off <= CLOCK_TOLERANCE ? [] : [`${said} is ${shortDuration(off)} off; send UTC`];
}

/**
 * Why a login is refused, with a password or signed; empty if it is accepted.
 *
 * @param used signatures of logins before; this one is added
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
