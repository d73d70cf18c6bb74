/** What is sent to an endpoint: mostly its valid request with a few changes. */
import * as fc from "fast-check";
import { BODY_BYTES } from "../../src/protocol/limits/messages.ts";
import { BASE_URL, uniqueAddress } from "../support/gateway.ts";
import { mutated, type Mutation, mutations } from "./mutations.ts";
import { queriesOf, type Route } from "./routes.ts";
import type { Side } from "./world.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"];

const SEGMENTS = [
  ["x", "constructor", "__proto__", "%00", "%2e%2e", "%zz", "%F0%9F", "%ff", "a%2Fb", "%20", "-", "~", "0", "-1"],
  [
    "1000000000",
    "9999999999",
    "99999999999999999999",
    "wh_1",
    "x".repeat(101),
    "x".repeat(4_000),
    "💳",
    "'; --",
    "Boost",
  ],
].flat();

const QUERIES = ["?__proto__=1", "?%zz", "?a=%ff", ...queriesOf("after", "option", "currency", "limit", "cursor")];

const CONTENT_TYPES = [
  ["application/json", "application/json; charset=utf-8", "text/plain", "application/json; charset=utf-16", ""],
  ["multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "application/jsonp", "*/*"],
].flat();

const HEADERS: Record<string, string>[] = [
  {},
  {},
  {},
  { Prefer: "wait=0" },
  { Prefer: "respond-async, wait=99999999999999" },
  { Prefer: "wait=-1; wait=x, ,,;=" },
  { Origin: "https://evil.test" },
  { Origin: "null", "Access-Control-Request-Method": "POST" },
  { Upgrade: "websocket", Origin: "https://evil.test" },
  { Upgrade: "h2c" },
  { "Sec-WebSocket-Protocol": "pos-terminal.v1, x" },
  { Cookie: "x".repeat(8_000) },
  Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`X-Flood-${index}`, "x".repeat(50)])),
  { "X-Forwarded-For": "127.0.0.1", "X-Forwarded-Proto": "http", "X-Request-Id": "mine" },
  { "Content-Encoding": "gzip" },
  { "X-HTTP-Method-Override": "DELETE" },
];

/** Which credentials an input carries; most carry the right ones, or nothing else would ever be reached. */
const CREDENTIALS = ["right", "none", "other-use", "garbage", "basic", "long", "unsigned"] as const;

export interface Input {
  method: string | null;
  segments: string[];
  query: string;
  type: string;
  headers: Record<string, string>;
  credentials: (typeof CREDENTIALS)[number];
  /** Signed after it was changed. */
  signed: boolean;
  changes: Mutation[];
}

/** The valid request of an endpoint that has no path parameters. */
export const AS_IS: Input = {
  method: null,
  segments: [],
  query: "",
  type: "application/json",
  headers: {},
  credentials: "right",
  signed: true,
  changes: [],
};

/** The same with a signature of the right form that nobody has made. */
export const FORGED: Input = { ...AS_IS, signed: false };

function mostly<Value>(value: Value, others: fc.Arbitrary<Value>, weight = 8): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others });
}

export function inputs(known: readonly string[], segments: readonly string[], queries: string[]): fc.Arbitrary<Input> {
  const segment = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...segments.map(encodeURIComponent)) },
    { weight: 2, arbitrary: fc.constantFrom(...SEGMENTS) },
  );
  return fc.record({
    method: mostly<string | null>(null, fc.constantFrom(...METHODS), 12),
    segments: fc.array(segment, { minLength: 2, maxLength: 2 }),
    query: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom("", ...queries) },
      { weight: 1, arbitrary: fc.constantFrom(...QUERIES) },
    ),
    type: mostly("application/json", fc.constantFrom(...CONTENT_TYPES)),
    headers: fc.constantFrom(...HEADERS),
    credentials: mostly<Input["credentials"]>("right", fc.constantFrom(...CREDENTIALS)),
    signed: mostly<boolean>(true, fc.constant(false)),
    changes: mutations(known),
  });
}

function authorization(route: Route, side: Side, credentials: Input["credentials"]): string | null {
  const right = route.token(side);
  switch (credentials) {
    case "right":
      return right === null ? null : `Bearer ${right}`;
    case "none":
      return null;
    case "other-use":
      return `Bearer ${right === side.terminalToken ? side.spare.access.token : side.terminalToken}`;
    case "garbage":
      return "Bearer eyJ.e30.x";
    case "basic":
      return `Basic ${btoa("posId:password")}`;
    case "long":
      return `Bearer ${"x".repeat(8_000)}`;
    case "unsigned":
      return `bearer  ${(right ?? "a.b.c").split(".").slice(0, 2).join(".")}.`;
  }
}

export interface Asked {
  request: Request;
  /** Its body, where that is a text of allowed length. */
  text: string;
  /** All that was sent, in every form: it may come back in the answer. */
  sent: string;
}

export function requestOf(route: Route, side: Side, input: Input): Asked {
  const method = input.method ?? route.method;
  let segment = 0;
  const path = route.path.replaceAll(/:\w+/g, () => input.segments[segment++] ?? "x") + input.query;
  const headers = new Headers({ "CF-Connecting-IP": uniqueAddress(), ...input.headers });
  const credentials = authorization(route, side, input.credentials);
  if (credentials !== null) headers.set("Authorization", credentials);
  let body: Uint8Array | null = null;
  if (method !== "GET" && method !== "HEAD") {
    const key = input.signed ? (route.key?.(side) ?? null) : null;
    // What needs no body gets one sometimes, too.
    if (route.document !== undefined) body = mutated(route.document(side), input.changes, key);
    else if (input.changes.length === 1) body = mutated({ a: 1 }, input.changes, null);
    if (input.type !== "") headers.set("Content-Type", input.type);
  }
  const request = new Request(BASE_URL + path, { method, headers, ...(body === null ? {} : { body }) });
  const text = body === null || body.length > BODY_BYTES ? "" : new TextDecoder().decode(body);
  return { request, text, sent: `${decodeURIComponentOrNot(path)} ${path} ${text} ${JSON.stringify(input)}` };
}

function decodeURIComponentOrNot(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
