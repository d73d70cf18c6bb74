/** Problems in a terminal's login, bind, connection and hello. Each function returns clauses; none if all is well. */
import { shortDuration } from "../../../time/duration.ts";
import { CLOCK_TOLERANCE } from "../../../protocol/limits/messages.ts";
import { NONCE_LENGTH } from "../../../protocol/lengths.ts";
import { OPEN_REQUESTS } from "../../../protocol/limits/connections.ts";
import type { JsonObject } from "../../../signing/json.ts";
import { kindProblems } from "../../../signing/message-kind.ts";
import { canonicalDigest, verifySignature } from "../../../signing/signature.ts";
import { SUBPROTOCOL } from "../../../protocol/frames.ts";
import { parseDatetime } from "../../../time/datetime.ts";
import { lengthOf, textOf, type BindHeard, type ConnectHeard, type LoginHeard } from "../heard.ts";
import { openOf } from "../line.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";

/** Problems in a login's members and signature; its time is a separate duty. */
export function loginProblems(body: JsonObject | null, secret: string, terminalId: string | null): string[] {
  if (body === null) return ["the body is not a JSON object that the service accepts"];
  return [
    ...(textOf(body, "terminalId") === "" ? ["terminalId is missing"] : []),
    ...(terminalId !== null && textOf(body, "terminalId") !== terminalId ? [`terminalId must be ${terminalId}`] : []),
    ...(parseDatetime(textOf(body, "datetime")) === null ? ["datetime does not have the form YYYYMMDDTHHMMSS"] : []),
    ...nonceProblems(body),
    ...kindProblems(body, "login").flatMap(({ path }) =>
      path === "terminalId" || path === "datetime" ? [] : [`${path} does not belong in a login`],
    ),
    ...(verifySignature(body, secret) ? [] : [wrongSignature(body)]),
  ];
}

/** Problems in a bind's time, members and signature. */
export function bindProblems({ body, skew }: BindHeard, secret: string): string[] {
  if (body === null) return ["the body is not a JSON object that the service accepts"];
  return [
    ...(skew === null ? ["datetime does not have the form YYYYMMDDTHHMMSS"] : []),
    ...(skew === null || isTolerable(skew) ? [] : [`datetime is ${shortDuration(Math.abs(skew))} off`]),
    ...nonceProblems(body),
    ...kindProblems(body, "bind").flatMap(({ path }) =>
      path === "key" || path === "datetime" ? [] : [`${path} does not belong in a bind`],
    ),
    ...(verifySignature(body, secret) ? [] : [wrongSignature(body)]),
  ];
}

function nonceProblems({ nonce }: JsonObject): string[] {
  if (nonce === undefined || nonce === null) return [];
  return typeof nonce === "string" && lengthOf(nonce) <= NONCE_LENGTH
    ? []
    : [`nonce must be a string of at most ${NONCE_LENGTH} characters`];
}

/** How many signed logins repeat an earlier one. Upper and lower case hex is the same signature. */
export function repeatedLogins(logins: readonly LoginHeard[]): number {
  const signed = logins.filter(({ signatureHolds }) => signatureHolds);
  return signed.length - new Set(signed.map(({ body }) => textOf(body, "signature").toLowerCase())).size;
}

/** Tells a wrong form from a wrong key: if the digest matches, the form is right. */
export function wrongSignature(message: JsonObject): string {
  if (textOf(message, "signature") === "") return "there is no signature";
  const { length, sha256 } = canonicalDigest(message);
  return `the signature is wrong (the received message in RFC 8785 form has ${length} bytes and SHA-256 ${sha256})`;
}

/** How far a login's time is off, milliseconds; null without a valid time. */
export function skewOf(body: JsonObject | null, now: number): number | null {
  const datetime = parseDatetime(textOf(body, "datetime"));
  return datetime === null ? null : datetime - now;
}

export function isTolerable(skew: number | null): boolean {
  return skew !== null && Math.abs(skew) <= CLOCK_TOLERANCE;
}

export function connectProblems({ token, protocols, query }: ConnectHeard): string[] {
  return [
    ...(token === "url" ? ["the token is in the URL"] : []),
    ...(token === "nowhere" ? ["no token from the login"] : []),
    ...(token === "authorization" && query !== "" ? ["the URL has a query"] : []),
    ...(protocols.includes(SUBPROTOCOL) || protocols.join("") === ""
      ? []
      : [`Sec-WebSocket-Protocol does not offer ${SUBPROTOCOL}`]),
  ];
}

/** Problems in the members of a hello; nonce and signature are separate duties. */
export function helloProblems(hello: JsonObject | null): string[] {
  const open = openOf(hello);
  const memory = hello?.["memory"];
  return [
    ...["softwareVersion", "terminalSn"].flatMap((name) => {
      const value = hello?.[name];
      if (typeof value !== "string" || value === "") return [`${name} must be a string`];
      return lengthOf(value) > 40 ? [`${name} is longer than 40 characters`] : [];
    }),
    ...(typeof memory === "string" && memory !== "" && memory.length <= 128
      ? []
      : ["memory must be a string of 1 to 128 characters"]),
    ...(open === null ? ["open must be an array"] : []),
    ...(open?.every((requestId) => TRANSACTION_NUMBER.test(requestId)) === false
      ? ["open must contain requestIds of ten digits only"]
      : []),
    ...((open?.length ?? 0) > OPEN_REQUESTS ? [`open lists more than ${OPEN_REQUESTS} requests`] : []),
  ];
}
