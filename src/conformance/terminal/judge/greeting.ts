/** What is wrong with a terminal's first words; each function answers sentences, none where all is well. */
import { CLOCK_TOLERANCE } from "../../../protocol/limits/messages.ts";
import { OPEN_REQUESTS } from "../../../protocol/limits/connections.ts";
import type { JsonObject } from "../../../signing/json.ts";
import { kindProblems } from "../../../signing/message-kind.ts";
import { canonicalDigest, verifySignature } from "../../../signing/signature.ts";
import { SUBPROTOCOL } from "../../../protocol/frames.ts";
import { parseDatetime } from "../../../time/datetime.ts";
import { lengthOf, textOf } from "../heard.ts";
import type { ConnectHeard } from "../heard.ts";
import { openOf } from "../line.ts";

/** The login's members and signature; its time is another duty. */
export function loginProblems(body: JsonObject | null, secret: string, terminalId: string | null): string[] {
  if (body === null) return ["the body is no JSON object that the service takes"];
  return [
    ...(textOf(body, "terminalId") === "" ? ["terminalId is missing"] : []),
    ...(terminalId !== null && textOf(body, "terminalId") !== terminalId ? [`terminalId is not ${terminalId}`] : []),
    ...(parseDatetime(textOf(body, "datetime")) === null ? ["datetime is not YYYYMMDDTHHMMSS"] : []),
    ...kindProblems(body, "login").flatMap(({ path }) =>
      path === "terminalId" || path === "datetime" ? [] : [`${path} does not belong into a login`],
    ),
    ...(verifySignature(body, secret) ? [] : [wrongSignature(body)]),
  ];
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
