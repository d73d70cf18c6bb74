/**
 * Every endpoint, called with broken valid requests. Each gets an answer, in the error's shape if it
 * is an error, never a 500; what is refused leaves no row behind; and of two accounts side by side neither
 * learns anything of the other that it did not send itself.
 */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, it, vi, type ExpectStatic } from "vitest";
import { app } from "../../../src/gateway/http/app.ts";
import { useFakeClock } from "../../support/clock.ts";
import { BASE_URL, uniqueAddress } from "../../support/gateway.ts";
import { setChannel } from "../../support/scene.ts";
import { bodies, type Body, bytesOf, mostly } from "./inputs.ts";
import { queriesOf, type Route, ROUTES } from "./routes.ts";
import { afterTheGrace, ask, INPUTS, makeSides, makeVictims, rows, SEED, type Side } from "./world.ts";

useFakeClock();

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

interface Input {
  method: string | null;
  segments: string[];
  query: string;
  type: string;
  headers: Record<string, string>;
  credentials: (typeof CREDENTIALS)[number];
  /** Signed after it was changed. */
  signed: boolean;
  body: Body;
}

/** The valid request of an endpoint that has no path parameters. */
function asIs(route: Route, side: Side, signed: boolean): Input {
  const body = { document: route.document?.(side) ?? {}, raw: null };
  return {
    method: null,
    segments: [],
    query: "",
    type: "application/json",
    headers: {},
    credentials: "right",
    signed,
    body,
  };
}

function inputs(
  known: readonly string[],
  segments: readonly string[],
  { document, queries }: Route,
  side: Side,
): fc.Arbitrary<Input> {
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
    // Each has a reference and a nonce of its own.
    body: fc.constant(null).chain(() => bodies(document?.(side) ?? { a: 1 }, known)),
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

interface Asked {
  request: Request;
  /** All that was sent, in every form: it may come back in the answer. */
  sent: string;
}

function requestOf(route: Route, side: Side, input: Input): Asked {
  const method = input.method ?? route.method;
  let segment = 0;
  const path = route.path.replaceAll(/:\w+/g, () => input.segments[segment++] ?? "x") + input.query;
  const headers = new Headers({ "CF-Connecting-IP": uniqueAddress(), ...input.headers });
  const credentials = authorization(route, side, input.credentials);
  if (credentials !== null) headers.set("Authorization", credentials);
  // What needs no body gets one sometimes, too.
  const hasBody = method !== "GET" && method !== "HEAD" && (route.document !== undefined || !input.signed);
  const body = hasBody ? bytesOf(input.body, input.signed ? (route.key?.(side) ?? null) : null) : null;
  if (body !== null && input.type !== "") headers.set("Content-Type", input.type);
  const request = new Request(BASE_URL + path, { method, headers, ...(body === null ? {} : { body }) });
  const text = body === null ? "" : new TextDecoder().decode(body);
  return { request, sent: `${decodeURIComponentOrNot(path)} ${path} ${text} ${JSON.stringify(input)}` };
}

function decodeURIComponentOrNot(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Of all inputs, those for endpoints; the rest are frames. */
const OWN_INPUTS = INPUTS / 2;

/** A run sends up to so many inputs at the same time, each from both accounts. */
const AT_ONCE = 9;
const INPUTS_PER_RUN = (1 + AT_ONCE) / 2;

/** Rows are compared after so many runs of one endpoint. */
const CHUNK = 20;

const ERRORS: Record<number, string> = {
  400: "invalid_request",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  409: "conflict",
  429: "rate_limit_exceeded",
};

async function checkAnswer(expect: ExpectStatic, response: Response, method: string): Promise<string> {
  const { status, headers } = response;
  if (response.webSocket !== null) {
    response.webSocket.accept();
    response.webSocket.close();
    return "";
  }
  // An image is one of the answers.
  const text = new TextDecoder().decode(await response.arrayBuffer());
  expect(headers.get("Cache-Control")).toBe("no-store");
  expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
  expect(headers.get("Access-Control-Allow-Origin")).toBeNull();
  if (status === 200 || status === 201) return text;
  expect([status, ERRORS[status]]).toEqual([status, expect.any(String)]);
  if (method === "HEAD") return text;
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body).toMatchObject({ error: ERRORS[status], message: expect.any(String) as string });
  expect(Math.floor(Number(body["code"]) / 100)).toBe(status);
  expect(body["traceId"]).toBe(headers.get("X-Request-Id"));
  expect(Array.isArray(body["details"])).toBe(status === 400);
  return text;
}

/** Rows that one successful call makes at most, by table. */
function rowsPerCall(table: string): number {
  return table === "prebound_terminals" ? 10 : 1;
}

let sides: [Side, Side];

beforeAll(async () => {
  // Thousands of lines would only be kept in memory; what is logged is looked at elsewhere.
  vi.spyOn(console, "log").mockImplementation(() => {});
  console.info(`FUZZ_SEED=${SEED} FUZZ_INPUTS=${INPUTS}`);
  sides = await makeSides();
  await setChannel("Boost", 1);
});

beforeEach(afterTheGrace);

const weights = ROUTES.reduce((sum, { weight }) => sum + weight, 0);

/**
 * What a side has sent of the other side's secrets in calls that succeeded, such as the text of a label: it comes back with
 * later answers about the same reference.
 */
const stored = new Set<string>();

/** What only the other side knows, and this text has. Requests of the two sides take turns. */
function foreignNames(number: number, text = ""): string[] {
  const stranger = sides[1 - (number % 2)] as Side;
  return stranger.secrets.filter((secret) => text.includes(secret));
}

/** Answers by status, to see that the inputs get far enough in. */
const seen = new Map<string, Map<number, number>>();

describe("every endpoint", () => {
  it("is in the list of fuzzed endpoints", ({ expect }) => {
    const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
    // The pages' are files of the site, and tested with them.
    const there = app.routes.filter(({ method, path }) => method !== "ALL" && !path.endsWith("/console/*"));
    const paths = there.map(({ method, path }) => `${method} ${path}`);
    expect([...known].toSorted()).toEqual([...new Set(paths)].toSorted());
  });

  it.for(ROUTES.map((route, index) => [`${route.method} ${route.path} (${index})`, route, index] as const))(
    "%s answers any input, stores nothing of what it refuses, and reveals nothing of another account",
    async ([name, route, index], { expect }) => {
      const [one, other] = sides;
      const terminalIds = [one.pos.terminal.terminalId, other.pos.terminal.terminalId];
      const known = [...one.names, ...other.names];
      // An input may change the method, too.
      const spoils = ROUTES.some((entry) => entry.path === route.path && entry.spoils);
      const segments = spoils ? await makeVictims(route.path.includes(":posId")) : known;
      const counted = new Map<number, number>();
      seen.set(name, counted);
      let before = await rows(terminalIds);
      let runs = Math.ceil((OWN_INPUTS * route.weight) / weights / INPUTS_PER_RUN / 2);
      for (let chunk = 0; runs > 0; chunk++, runs -= CHUNK) {
        let successes = 0;
        const pair = fc.tuple(inputs(known, segments, route, one), inputs(known, segments, route, other));
        const several = fc.array(pair, {
          minLength: 1,
          maxLength: AT_ONCE,
          size: "max",
        });
        const property = fc.asyncProperty(several, async (batch) => {
          const asked = batch.flatMap((both) => sides.map((side, own) => requestOf(route, side, both[own] as Input)));
          const responses = await Promise.all(asked.map(({ request }) => ask(request)));
          for (const [number, { status }] of responses.entries()) {
            if (status < 300) for (const secret of foreignNames(number, asked[number]?.sent)) stored.add(secret);
          }
          for (const [number, response] of responses.entries()) {
            const { status } = response;
            const { request, sent } = asked[number] as Asked;
            if (status < 300) successes++;
            counted.set(status, (counted.get(status) ?? 0) + 1);
            const answer = await checkAnswer(expect, response, request.method);
            if (route.path.startsWith("/operator/")) continue;
            const own = new Set(foreignNames(number, sent));
            const leaked = foreignNames(number, answer).filter((secret) => !own.has(secret) && !stored.has(secret));
            expect(leaked).toEqual([]);
          }
        });
        const seed = SEED + index * 1_000_003 + chunk;
        const first = (signed: boolean): [[Input, Input][]] => [
          [[asIs(route, one, signed), asIs(route, other, signed)]],
        ];
        const examples = route.firstAsIs === true && chunk === 0 ? [first(true), first(false)] : [];
        await fc.assert(property, { seed, numRuns: Math.min(CHUNK, runs), examples });
        const after = await rows(terminalIds);
        // Nothing but refusals: not even a changed row. Else no more new rows than successful calls.
        if (successes === 0) expect(Object.fromEntries(after)).toEqual(Object.fromEntries(before));
        for (const [table, found] of after) {
          const grown = found.length - (before.get(table)?.length ?? 0);
          expect([table, grown <= successes * rowsPerCall(table)]).toEqual([table, true]);
        }
        before = after;
      }
    },
  );

  it.for(
    ROUTES.filter(({ needsBody }) => needsBody !== null).map(
      (route) => [`${route.method} ${route.path}`, route] as const,
    ),
  )("%s needs a body where the contract says so", async ([, route], { expect }) => {
    const [side] = sides;
    const { account, terminal } = side.pos;
    const names: Record<string, string> = { posId: account.posId, terminalId: terminal.terminalId, webhookId: "wh_1" };
    const segments = [...route.path.matchAll(/:(\w+)/gu)].map(([, name = ""]) => names[name] ?? "1000000000");
    const { request } = requestOf(route, side, { ...asIs(route, side, true), segments });
    const { status } = await ask(new Request(request.url, { method: route.method, headers: request.headers }));
    expect(status === 400).toBe(route.needsBody);
  });

  it("is reached by accepted calls, invalid ones and wrongly signed ones", ({ expect }) => {
    const statuses = (start: string): number[] =>
      [...seen].filter(([name]) => name.startsWith(start)).flatMap(([, counted]) => [...counted.keys()]);
    console.info(
      [...seen].map(([name, counted]) => `${name}: ${JSON.stringify(Object.fromEntries(counted))}`).join("\n"),
    );
    expect(statuses("POST /api/transfer ")).toEqual(expect.arrayContaining([200, 400]));
    expect(statuses("POST /api/transfer/cancel")).toEqual(expect.arrayContaining([200, 400]));
    expect(statuses("POST /terminal/login")).toEqual(expect.arrayContaining([200, 400, 401]));
  });
});
