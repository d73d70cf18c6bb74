/**
 * What is wrong with what a terminal has sent: verdicts, or clauses for a person, none if all is well. Times (`at`) are
 * milliseconds of the machine's monotonic clock.
 */
import { shortDuration } from "../../../protocol/time/duration.ts";
import { CLOCK_TOLERANCE, OPEN_REQUESTS } from "../../../protocol/limits.ts";
import { DETAIL_LENGTHS, NONCE_LENGTH, RESULT_LENGTHS } from "../../../protocol/lengths.ts";
import { isStatusCode } from "../../../protocol/status-codes.ts";
import { isTransferType, needsTarget } from "../../../protocol/transfer-types.ts";
import { canonicalize } from "../../../protocol/signing/canonical.ts";
import { isJsonObject, type JsonObject } from "../../../protocol/signing/json.ts";
import { kindProblems } from "../../../protocol/signing/message-kind.ts";
import { verifySignature } from "../../../protocol/signing/signature.ts";
import { PING, PONG, SUBPROTOCOL } from "../../../protocol/frames.ts";
import { parseDatetime } from "../../../protocol/time/datetime.ts";
import { MANDATORY, TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { maskCardNumbers, SEARCHED_UNITS } from "../../../protocol/card-data/card-numbers.ts";
import { sensitiveMembers } from "../../../protocol/card-data/sensitive-data.ts";
import { DATE_TIME } from "../../../protocol/terminal-frames.ts";
import { brokenVerdict, keptIf, keptUnless, problemsIn, type PossibleProblems, type StepVerdict } from "../step.ts";
import { dataOf, countCharacters, textOf, wrongSignature } from "../message.ts";
import type { EpochMs, Milliseconds } from "../../../protocol/time/units.ts";

/** A text on a connection; `frame` is null if it is not a JSON object that the service accepts. */
export interface Heard {
  at: number;
  /** Connections are counted from 1. */
  connection: number;
  text: string;
  frame: JsonObject | null;
}

export interface LoginHeard {
  at: number;
  /** Null if it is not a JSON object. */
  body: JsonObject | null;
  signatureHolds: boolean;
  status: number;
  query: string;
}

export interface BindHeard {
  at: number;
  body: JsonObject | null;
  tokenHolds: boolean;
  /** How far `datetime` is off; null without a `datetime`. */
  skew: Milliseconds | null;
  status: number;
}

export interface ConnectHeard {
  at: number;
  query: string;
  protocols: string[];
  /** Where the kit found a token that it had issued. */
  token: "authorization" | "protocol" | "url" | "nowhere";
}

/** The two texts of the heartbeat, which are not frames. */
export function isBeat({ text }: Heard): boolean {
  return text === PING || text === PONG;
}

/** "" for a text that is not a frame, and for null. */
export function typeOf(heard: Heard | null | undefined): string {
  return textOf(heard?.frame, "type");
}

/** Returns "" for everything except a result. */
export function frameStatus(heard: Heard | null | undefined): string {
  return typeOf(heard) === "result" ? textOf(heard?.frame, "statusCode") : "";
}

export function isFinal(heard: Heard): boolean {
  return ["00", "11"].includes(frameStatus(heard));
}

/** Null if `open` is not a list. */
export function openOf(hello: JsonObject | null | undefined): string[] | null {
  const open = hello?.["open"];
  return Array.isArray(open) ? open.map(String) : null;
}

/** Enough for a person to identify the text, nothing that could be secret. */
export function describeFrame(heard: Heard): string {
  const { frame, text } = heard;
  if (frame === null) return isBeat(heard) ? `“${text}”` : "a text that is not a frame";
  const named = ["statusCode", "responseCode", "reason", "stage"].map((name) => textOf(frame, name));
  return [textOf(frame, "type") || "a frame without a type", ...named].filter((word) => word !== "").join(" ");
}

export function describeFrames(heard: readonly Heard[] | Heard | null): string {
  const all = heard === null ? [] : "frame" in heard ? [heard] : heard;
  return all.length === 0 ? "nothing" : all.map(describeFrame).join(", ");
}

const NOT_JSON = ["the body is not a JSON object that the service accepts"];

/** Members and signature; the time of a login is a separate duty. */
export function loginProblems(body: JsonObject | null, secret: string, terminalId: string | null): string[] {
  if (body === null) return NOT_JSON;
  const named = textOf(body, "terminalId");
  return problemsIn([
    named === "" && "terminalId is missing",
    terminalId !== null && named !== terminalId && `terminalId must be ${terminalId}`,
    parseDatetime(textOf(body, "datetime")) === null && NO_DATETIME,
    ...signedProblems(body, "login", "terminalId", secret),
  ]);
}

/** Checks time, members and signature. */
export function bindProblems({ body, skew }: BindHeard, secret: string): string[] {
  if (body === null) return NOT_JSON;
  return problemsIn([
    skew === null ? NO_DATETIME : !isTolerable(skew) && `datetime is ${shortDuration(Math.abs(skew))} off`,
    ...signedProblems(body, "bind", "key", secret),
  ]);
}

const NO_DATETIME = "datetime does not have the form YYYYMMDDTHHMMSS";

/**
 * Checks nonce, members of another kind of message, and signature.
 *
 * @param own the message's own members besides `datetime`
 */
function signedProblems(body: JsonObject, kind: "login" | "bind", own: string, secret: string): PossibleProblems {
  const { nonce = null } = body;
  const isNonce = nonce === null || (typeof nonce === "string" && countCharacters(nonce) <= NONCE_LENGTH);
  const foreign = kindProblems(body, kind).filter(({ path }) => path !== own && path !== "datetime");
  return [
    !isNonce && `nonce must be a string of at most ${NONCE_LENGTH} characters`,
    ...foreign.map(({ path }) => `${path} does not belong in a ${kind}`),
    !verifySignature(body, secret) && wrongSignature(body),
  ];
}

/** Upper and lower case hex is the same signature. */
export function repeatedLogins(logins: readonly LoginHeard[]): number {
  const signed = logins.filter(({ signatureHolds }) => signatureHolds);
  return signed.length - new Set(signed.map(({ body }) => textOf(body, "signature").toLowerCase())).size;
}

/** Returns null without a valid `datetime`. */
export function measureSkew(body: JsonObject | null, now: EpochMs): Milliseconds | null {
  const datetime = parseDatetime(textOf(body, "datetime"));
  return datetime === null ? null : datetime - now;
}

export function isTolerable(skew: Milliseconds | null): boolean {
  return skew !== null && Math.abs(skew) <= CLOCK_TOLERANCE;
}

export function connectProblems({ token, protocols, query }: ConnectHeard): string[] {
  const offersOther = !protocols.includes(SUBPROTOCOL) && protocols.join("") !== "";
  return problemsIn([
    token === "url" && "the token is in the URL",
    token === "nowhere" && "no token from the login",
    token === "authorization" && query !== "" && "the URL has a query",
    offersOther && `Sec-WebSocket-Protocol does not offer ${SUBPROTOCOL}`,
  ]);
}

/** Nonce and signature are separate duties. */
export function helloProblems(hello: JsonObject | null): string[] {
  const open = openOf(hello);
  const texts = Object.entries({ softwareVersion: 40, terminalSn: 40, memory: 128 });
  return problemsIn([
    ...texts.map(([name, length]) => textProblem(hello ?? {}, name, length, false)),
    open === null && "open must be an array",
    open?.every((requestId) => TRANSACTION_NUMBER.test(requestId)) === false &&
      "open must contain requestIds of ten digits only",
    open !== null && open.length > OPEN_REQUESTS && `open lists more than ${OPEN_REQUESTS} requests`,
  ]);
}

/** For the answer to a frame that must be refused; `attempt` is the frame's. */
export function refusedAs(reason: string, answer: Heard | null, attempt = 1): StepVerdict {
  if (typeOf(answer) !== "refused") return brokenVerdict(`refused ${reason}`, describeFrames(answer));
  const said = textOf(answer?.frame, "reason");
  const number = answer?.frame?.["attempt"] ?? null;
  const problems = [said !== reason && `refused ${said}`, number !== attempt && `attempt ${JSON.stringify(number)}`];
  return keptUnless(problems, `refused ${reason}, attempt ${attempt}`);
}

/** For a result that is sent again. Its signature is new each time. */
export function sameOutcome(first: Heard, again: Heard): StepVerdict {
  return keptIf(
    formatOutcome(first.frame) === formatOutcome(again.frame),
    `the same result: ${describeFrame(first)}`,
    `another result: ${describeFrame(again)}, with other details`,
  );
}

function formatOutcome(frame: JsonObject | null): string {
  const { statusCode = "", responseCode = "", transData = null } = frame ?? {};
  return canonicalize([statusCode, responseCode, transData]);
}

export function signedResult(result: JsonObject, secret: string): StepVerdict {
  return keptIf(verifySignature(result, secret), "the result again, signed", wrongSignature(result));
}

export function resultProblems(result: JsonObject, request: JsonObject): string[] {
  const statusCode = textOf(result, "statusCode");
  const { transData = null } = result;
  return problemsIn([
    !isStatusCode(statusCode) && `statusCode “${statusCode}” must be 00, 11 or 22`,
    ...Object.entries(RESULT_LENGTHS).map(([name, length]) =>
      textProblem(result, name, length, name === "responseText"),
    ),
    transData !== null && !isJsonObject(transData) && "transData must be an object",
    ...(statusCode === "00" ? dataProblems(dataOf(result), request) : []),
  ]);
}

function textProblem(members: JsonObject, name: string, length: number, optional: boolean): string | false {
  const value = members[name] ?? "";
  if (value === "") return !optional && `${name} is missing`;
  if (typeof value !== "string") return `${name} must be a string`;
  return countCharacters(value) > length && `${name} is longer than ${length} characters`;
}

function dataProblems(transData: JsonObject, request: JsonObject): PossibleProblems {
  const mandatory: readonly string[] = MANDATORY;
  const transDateTime = textOf(transData, "transDateTime") || "2026-01-01T00:00:00";
  const texts = Object.entries(DETAIL_LENGTHS).map(([name, length]) =>
    textProblem(transData, name, length, !mandatory.includes(name)),
  );
  return [
    ...problemsIn(texts).map((problem) => `transData.${problem}`),
    !DATE_TIME.test(transDateTime) && "transData.transDateTime must have the form yyyy-MM-ddTHH:mm:ss",
    ...namedOtherwise(transData, request),
  ];
}

/** Amounts and currency are optional, but must be those of the request. */
function namedOtherwise(transData: JsonObject, request: JsonObject): PossibleProblems {
  const { transType } = request;
  const expected = { ...dataOf(request), ...request };
  // A void's request has no amounts. The result has those of the voided transaction, checked elsewhere.
  const isVoid = isTransferType(transType) && needsTarget(transType);
  return ["transAmt", "cashAmt", "currency", "transId"].map((name) => {
    const [named, value] = [textOf(transData, name), textOf(expected, name)];
    if (named === "" || named === value || (value === "" && isVoid)) return false;
    return `transData.${name} is ${named}, but the request has ${value === "" ? "none" : value}`;
  });
}

/** Free texts, which must not contain a card number. Numbers and codes keep their digits. */
const FREE_TEXTS = ["responseText", "cardLabel", "cardHoldersName", "paymentChannel", "metadata", "terminalSn"];

/** Finds card numbers, track data, PINs and verification codes. */
export function cardDataProblems(frame: JsonObject): string[] {
  const transData = dataOf(frame);
  const texts = [frame, transData].flatMap((members) =>
    FREE_TEXTS.map((name) => [name, textOf(members, name).slice(0, SEARCHED_UNITS)] as const),
  );
  return problemsIn([
    /[0-9].{4}/su.test(textOf(transData, "cardNo")) && "cardNo shows more than the last four digits",
    ...texts.map(([name, text]) => maskCardNumbers(text) !== text && `${name} contains a card number`),
    ...sensitiveMembers(frame).map(({ path }) => `${path} is track data, a PIN or a verification code`),
  ]);
}
