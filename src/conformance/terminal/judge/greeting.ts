/** What is wrong with a terminal's first words; each function answers sentences, none where all is well. */
import { CLOCK_TOLERANCE } from "../../../protocol/limits/messages.ts";
import { NONCE_LENGTH } from "../../../protocol/lengths.ts";
import { OPEN_REQUESTS } from "../../../protocol/limits/connections.ts";
import type { JsonObject } from "../../../signing/json.ts";
import { kindProblems } from "../../../signing/message-kind.ts";
import { canonicalDigest, verifySignature } from "../../../signing/signature.ts";
import { SUBPROTOCOL } from "../../../protocol/frames.ts";
import { parseDatetime } from "../../../time/datetime.ts";
import { seconds } from "../../step.ts";
import { lengthOf, textOf } from "../heard.ts";
import type { BindHeard, ConnectHeard, LoginHeard } from "../heard.ts";
import { openOf } from "../line.ts";

/** The login's members and signature; its time is another duty. */
export function loginProblems(body: JsonObject | null, secret: string, terminalId: string | null): string[] {
  if (body === null) return ["the body is no JSON object that the service takes"];
  return [
    ...(textOf(body, "terminalId") === "" ? ["terminalId is missing"] : []),
    ...(terminalId !== null && textOf(body, "terminalId") !== terminalId ? [`terminalId is not ${terminalId}`] : []),
    ...(parseDatetime(textOf(body, "datetime")) === null ? ["datetime is not YYYYMMDDTHHMMSS"] : []),
    ...nonceProblems(body),
    ...kindProblems(body, "login").flatMap(({ path }) =>
      path === "terminalId" || path === "datetime" ? [] : [`${path} does not belong into a login`],
    ),
    ...(verifySignature(body, secret) ? [] : [wrongSignature(body)]),
  ];
}

/** A bind's time, members and signature. */
export function bindProblems({ body, skew }: BindHeard, secret: string): string[] {
  if (body === null) return ["the body is no JSON object that the service takes"];
  return [
    ...(skew === null ? ["datetime is not YYYYMMDDTHHMMSS"] : []),
    ...(skew === null || isTolerable(skew) ? [] : [`datetime is ${seconds(Math.abs(skew))} off`]),
    ...nonceProblems(body),
    ...kindProblems(body, "bind").flatMap(({ path }) =>
      path === "key" || path === "datetime" ? [] : [`${path} does not belong into a bind`],
    ),
    ...(verifySignature(body, secret) ? [] : [wrongSignature(body)]),
  ];
}

function nonceProblems({ nonce }: JsonObject): string[] {
  if (nonce === undefined || nonce === null) return [];
  return typeof nonce === "string" && lengthOf(nonce) <= NONCE_LENGTH
    ? []
    : [`nonce is no text of at most ${NONCE_LENGTH} characters`];
}

/** How many of the signed logins repeat an earlier one: a signature is the same one in either case. */
export function repeatedLogins(logins: readonly LoginHeard[]): number {
  const signed = logins.filter(({ signatureHolds }) => signatureHolds);
  return signed.length - new Set(signed.map(({ body }) => textOf(body, "signature").toLowerCase())).size;
}

/** Tells form from key: whoever hashes the same bytes has the form right. */
export function wrongSignature(message: JsonObject): string {
  if (textOf(message, "signature") === "") return "there is no signature";
  const { length, sha256 } = canonicalDigest(message);
  return `the signature is wrong (the RFC 8785 form that was received has ${length} bytes and the SHA-256 ${sha256})`;
}

/** By how much a login's time is off, milliseconds; null where it is no time. */
export function skewOf(body: JsonObject | null, now: number): number | null {
  const datetime = parseDatetime(textOf(body, "datetime"));
  return datetime === null ? null : datetime - now;
}

export function isTolerable(skew: number | null): boolean {
  return skew !== null && Math.abs(skew) <= CLOCK_TOLERANCE;
}

export function connectProblems({ token, protocols, query }: ConnectHeard): string[] {
  return [
    ...(token === "url" ? ["the token stood in the URL"] : []),
    ...(token === "nowhere" ? ["no token that the login had given out"] : []),
    ...(token === "authorization" && query !== "" ? ["the URL has a query"] : []),
    ...(protocols.includes(SUBPROTOCOL) || protocols.join("") === ""
      ? []
      : [`Sec-WebSocket-Protocol does not offer ${SUBPROTOCOL}`]),
  ];
}

/** The members of a hello; nonce and signature are other duties. */
export function helloProblems(hello: JsonObject | null): string[] {
  const open = openOf(hello);
  const memory = hello?.["memory"];
  return [
    ...["softwareVersion", "terminalSn"].flatMap((name) => {
      const value = hello?.[name];
      if (typeof value !== "string" || value === "") return [`${name} is no text`];
      return lengthOf(value) > 40 ? [`${name} is longer than 40 characters`] : [];
    }),
    ...(typeof memory === "string" && memory !== "" && memory.length <= 128
      ? []
      : ["memory is no text of 1 to 128 characters"]),
    ...(open === null ? ["open is no list"] : []),
    ...(open?.every((requestId) => /^[1-9][0-9]{9}$/u.test(requestId)) === false
      ? ["open lists something that is no requestId of ten digits"]
      : []),
    ...((open?.length ?? 0) > OPEN_REQUESTS ? [`open lists more than ${OPEN_REQUESTS} requests`] : []),
  ];
}
