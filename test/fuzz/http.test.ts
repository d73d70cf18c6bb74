/**
 * Every endpoint, called with broken valid requests. Each gets an answer, in the error's shape if it
 * is an error, never a 500; what is refused leaves no row behind; and of two accounts side by side neither learns
 * anything of the other that it did not send itself.
 */
import * as fc from "fast-check";
import { beforeAll, beforeEach, describe, it, vi, type ExpectStatic } from "vitest";
import { app } from "../../src/http/app.ts";
import { BODY_BYTES } from "../../src/protocol/limits/messages.ts";
import { useFakeClock } from "../support/clock.ts";
import { setChannel } from "../support/scene.ts";
import { BASE_URL, bindMessage, loginMessage, OPERATOR_TOKEN, uniqueAddress } from "../support/gateway.ts";
import { mutated, type Mutation, mutations } from "./mutations.ts";
import { INPUTS, SEED, TIMEOUT } from "./parameters.ts";
import { afterTheGrace, ask, makeSides, makeVictims, rows, type Side } from "./world.ts";

useFakeClock();

/** Of all inputs, those for endpoints; the rest are frames. */
const OWN_INPUTS = INPUTS / 2;

/** A run sends up to so many inputs at the same time, each from both accounts. */
const AT_ONCE = 9;
const INPUTS_PER_RUN = (1 + AT_ONCE) / 2;

/** Rows are compared after so many runs of one endpoint. */
const CHUNK = 20;

interface Route {
  method: string;
  path: string;
  /** Which token is the right one. */
  token: (side: Side) => string | null;
  document?: (side: Side) => object;
  /** Whose key signs the document after it was changed. */
  key?: (side: Side) => string;
  /** Path parameters name things that may be spoiled, instead of the two accounts' own. */
  spoils?: true;
  /** Queries with the parameters that it knows; every other one is refused before anything else is looked at. */
  queries?: string[];
  /** How much of the runs it gets. */
  weight: number;
}

const OPTIONS = ["?option=image", "?option=IMAGE", "?option=", "?option=image&option=x"];
const CURRENCIES = ["?currency=myr", "?currency=", "?currency=MYRX", "?currency=%F0%9F%92%B3"];
const NUMBERS = ["?after=0", "?after=1", "?after=", "?after=-1", "?after=1e3", "?after=9999999999999999", "?after=%00"];
const PAGES = [
  ["?limit=1&cursor=a", "?limit=0", "?limit=101", "?limit=1e1", "?limit=", "?cursor=-1"],
  ["?cursor=9999999999999999", "?cursor=%00", `?cursor=${"x".repeat(101)}`],
].flat();

const DAYS = ["?day=2026-01-01", "?day=2026-02-30", "?day=", "?day=x", "?deviceId=T-1", "?deviceId=%00", "?deviceId="];
const TRANSACTIONS = [
  ...PAGES,
  ...DAYS,
  ["?statusCode=22", "?statusCode=23", "?transType=sale", "?transType=inquiry", "?referenceId=%F0%9F%92%B3"],
].flat();
const FILTERS = [
  ...PAGES,
  ["?terminalId=T", "?posId=%25", "?name=_", "?boundTo=x", "?merchantId=%00", "?connected=maybe", "?status=retired"],
  ["?offlineSince=yesterday", "?offlineSince=2026-01-01T00:00:00Z"],
].flat();

const access = (side: Side): string => side.tokens.access.token;
const spare = (side: Side): string => side.spare.access.token;
const refresh = (side: Side): string => side.spare.refresh.token;
const ofTerminal = (side: Side): string => side.terminalToken;
const operator = (): string => OPERATOR_TOKEN;
const nobody = (): null => null;
const signingKey = ({ till }: Side): string => till.account.signingKey;

function sale({ till }: Side): object {
  const details = { note: "two coffees", metadata: "table 7", printCount: 2, productIndex: "1" };
  return till.saleBody({ referenceLabel: "Order" }, details);
}

function cashOut({ till }: Side): object {
  const transData = { transAmt: "12.50", cashAmt: "50.00", paymentMethod: "bankCard" };
  return till.body("cashOut", { transData });
}

function wallet({ till }: Side): object {
  const transData = { transAmt: "1.11", paymentMethod: "qrCustScan", paymentChannel: "Boost" };
  return till.body("sale", { transData });
}

function voiding({ till, transId }: Side): object {
  return till.body("void", { transData: { transId, invNo: "000001", printCount: "1" } });
}

function inquiry({ till, referenceId }: Side): object {
  return till.body("inquiry", { transData: { referenceId } });
}

function getLast({ till }: Side): object {
  return till.body("getLast");
}

function cancel({ till }: Side): object {
  const { posId, deviceId, referenceId, datetime } = till.body("sale") as Record<string, unknown>;
  return { posId, deviceId, referenceId, datetime };
}

/** What is not signed has a signature of the right form. */
const UNSIGNED = { signature: "0".repeat(64) };

function transfer(document: (side: Side) => object, weight: number, path = "/api/transfer"): Route {
  const withSignature = (side: Side): object => ({ ...document(side), ...UNSIGNED });
  return { method: "POST", path, token: access, document: withSignature, key: signingKey, weight };
}

/** A call that is signed; there is no such webhook. */
function webhook(method: string, path: string, members: object, weight: number): Route {
  const document = (side: Side): object => {
    const { posId, datetime } = side.till.body("sale");
    const call = `${method} ${path.replace(":webhookId", "wh_1")}`;
    return { posId, datetime, nonce: crypto.randomUUID(), call, ...members, ...UNSIGNED };
  };
  return { method, path, token: access, document, key: signingKey, weight };
}

const newAccount = {
  posId: "fuzzed",
  password: "a password that is long",
  merchantId: "fuzzed",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Fuzzed",
};

const ROUTES: Route[] = [
  { method: "GET", path: "/healthz", token: nobody, weight: 1 },
  { method: "GET", path: "/docs/demo.json", token: nobody, weight: 1 },
  {
    method: "POST",
    path: "/auth/login",
    token: nobody,
    document: ({ till }) => ({ posId: till.account.posId, password: `${till.account.password} not` }),
    weight: 8,
  },
  { method: "POST", path: "/auth/refresh", token: refresh, weight: 2 },
  { method: "POST", path: "/auth/logout", token: spare, weight: 2 },
  { method: "GET", path: "/api/bind-terminal-key", token: access, queries: OPTIONS, weight: 3 },
  {
    method: "POST",
    path: "/api/prebind-terminals",
    token: access,
    document: ({ names }) => ({ uniqueIds: ["T-1", "T-2", ...names.slice(2, 3)] }),
    weight: 8,
  },
  { method: "GET", path: "/api/prebind-terminals", token: access, weight: 2 },
  { method: "GET", path: "/api/terminals", token: access, weight: 2 },
  { method: "GET", path: "/api/terminals/:terminalId", token: access, weight: 4 },
  { method: "DELETE", path: "/api/terminals/:terminalId", token: access, spoils: true, weight: 4 },
  { method: "GET", path: "/api/ewallet-channels", token: access, queries: CURRENCIES, weight: 4 },
  { method: "GET", path: "/api/transactions", token: access, queries: TRANSACTIONS, weight: 4 },
  { method: "GET", path: "/api/terminals/:terminalId/transactions/:requestId", token: access, weight: 4 },
  { method: "GET", path: "/api/totals", token: access, queries: DAYS, weight: 3 },
  { method: "GET", path: "/api/events", token: access, queries: NUMBERS, weight: 4 },
  { method: "GET", path: "/api/events/:id", token: access, weight: 3 },
  { method: "GET", path: "/api/webhooks", token: access, weight: 1 },
  { method: "GET", path: "/api/webhooks/:webhookId", token: access, weight: 2 },
  // An address that is refused: nothing here may be delivered anywhere.
  webhook("POST", "/api/webhooks", { url: "https://localhost/hook" }, 6),
  webhook("PATCH", "/api/webhooks/:webhookId", { enabled: true }, 3),
  webhook("DELETE", "/api/webhooks/:webhookId", {}, 2),
  webhook("POST", "/api/webhooks/:webhookId/secret", {}, 2),
  webhook("POST", "/api/webhooks/:webhookId/replay", { after: 0 }, 3),
  { method: "POST", path: "/api/webhooks/:webhookId/test", token: access, weight: 1 },
  transfer(sale, 24),
  transfer(cashOut, 6),
  transfer(wallet, 6),
  transfer(voiding, 8),
  transfer(inquiry, 8),
  transfer(getLast, 4),
  transfer(cancel, 10, "/api/transfer/cancel"),
  {
    method: "POST",
    path: "/terminal/login",
    token: nobody,
    document: ({ till }) => loginMessage(till.terminal),
    key: ({ till }) => till.terminal.secret,
    weight: 10,
  },
  {
    method: "POST",
    path: "/terminal/bind",
    token: ofTerminal,
    document: ({ till }) => bindMessage(till.terminal, "ABCD-EFGH"),
    key: ({ till }) => till.terminal.secret,
    weight: 8,
  },
  { method: "GET", path: "/terminal/connect", token: ofTerminal, weight: 4 },
  { method: "POST", path: "/operator/accounts", token: operator, document: () => newAccount, weight: 1 },
  { method: "GET", path: "/operator/accounts", token: operator, queries: PAGES, weight: 1 },
  { method: "GET", path: "/operator/accounts/:posId", token: operator, weight: 1 },
  {
    method: "PATCH",
    path: "/operator/accounts/:posId",
    token: operator,
    document: () => ({ status: "suspended", merchantId: "other", currency: "SGD", timezone: "UTC", name: "Other" }),
    spoils: true,
    weight: 3,
  },
  { method: "DELETE", path: "/operator/accounts/:posId", token: operator, spoils: true, weight: 1 },
  { method: "POST", path: "/operator/accounts/:posId/password", token: operator, spoils: true, weight: 1 },
  { method: "GET", path: "/operator/accounts/:posId/webhooks", token: operator, weight: 1 },
  {
    method: "PATCH",
    path: "/operator/accounts/:posId/webhooks/:webhookId",
    token: operator,
    document: () => ({ enabled: false }),
    weight: 1,
  },
  {
    method: "POST",
    path: "/operator/accounts/:posId/signing-key",
    token: operator,
    document: () => ({ revokePrevious: true }),
    spoils: true,
    weight: 2,
  },
  {
    method: "POST",
    path: "/operator/terminals",
    token: operator,
    document: () => ({ terminalId: "T-FUZZED", isVT: 0, merchantId: "fuzzed", name: "Fuzzed" }),
    weight: 3,
  },
  { method: "GET", path: "/operator/terminals", token: operator, queries: FILTERS, weight: 1 },
  {
    method: "PATCH",
    path: "/operator/terminals/:terminalId",
    token: operator,
    document: () => ({ merchantId: "other", name: "Other" }),
    spoils: true,
    weight: 1,
  },
  { method: "GET", path: "/operator/terminals/:terminalId", token: operator, weight: 1 },
  { method: "DELETE", path: "/operator/terminals/:terminalId", token: operator, spoils: true, weight: 1 },
  { method: "POST", path: "/operator/terminals/:terminalId/secret", token: operator, spoils: true, weight: 1 },
  { method: "DELETE", path: "/operator/terminals/:terminalId/binding", token: operator, spoils: true, weight: 1 },
  { method: "GET", path: "/operator/terminals/:terminalId/transactions", token: operator, queries: PAGES, weight: 2 },
  {
    method: "POST",
    path: "/operator/terminals/:terminalId/transactions/:requestId/resolve",
    token: operator,
    document: () => ({ statusCode: "11", reason: "not on the host" }),
    weight: 3,
  },
  {
    method: "GET",
    path: "/operator/transactions",
    token: operator,
    queries: [
      "?transId=1000000000",
      "?transId=x",
      "?posId=POS-1&referenceId=r",
      "?posId=x",
      "?referenceId=%F0%9F%92%B3",
    ],
    weight: 1,
  },
  {
    method: "GET",
    path: "/operator/accounts/:posId/transactions",
    token: operator,
    queries: ["?from=2026-11-20T10:15:00Z&to=2027-11-20T10:15:00Z", "?to=x", "?from=-1", "?statusCode=22", ...PAGES],
    weight: 1,
  },
  { method: "GET", path: "/operator/overview", token: operator, queries: ["?x=1"], weight: 1 },
  { method: "GET", path: "/operator/metrics", token: operator, queries: ["?x=1"], weight: 1 },
  {
    method: "GET",
    path: "/operator/unsettled",
    token: operator,
    queries: ["?posId=POS-1", "?before=2026-11-20T10:15:00Z", "?cursor=1-1000000000-POS-1", "?cursor=1-1-", ...PAGES],
    weight: 2,
  },
  {
    method: "GET",
    path: "/operator/statistics",
    token: operator,
    queries: [
      ...["hour", "day", "account", "responseCode", "week"].map((by) => `?by=${by}`),
      ...["hour", "day", "account"].map((by) => `?by=${by}&cursor=9999999&from=1970-01-01T00:00:00Z`),
      "?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&by=account",
      "?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&by=day&posId=POS-1",
      "?posId=POS-1",
      "?terminalId=T-1",
      ...PAGES,
    ],
    weight: 3,
  },
  { method: "GET", path: "/operator/shops", token: operator, queries: FILTERS, weight: 1 },
  { method: "GET", path: "/operator/shops/:merchantId", token: operator, weight: 1 },
  {
    method: "PUT",
    path: "/operator/shops/:merchantId",
    token: operator,
    document: () => ({ name: "Fuzzed", timezone: "Asia/Kuala_Lumpur" }),
    spoils: true,
    weight: 1,
  },
  { method: "DELETE", path: "/operator/shops/:merchantId", token: operator, spoils: true, weight: 1 },
  { method: "GET", path: "/operator/channels", token: operator, weight: 1 },
  {
    method: "PUT",
    path: "/operator/channels/:name",
    token: operator,
    document: () => ({ status: 1, currency: ["MYR"], logoUrl3: "https://logos.test/wallet.png" }),
    weight: 3,
  },
  { method: "DELETE", path: "/operator/channels/:name", token: operator, weight: 1 },
  { method: "GET", path: "/operator/audit", token: operator, queries: PAGES, weight: 1 },
  { method: "POST", path: "/operator/master-keys/reseal", token: operator, weight: 1 },
];

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

const QUERIES = [...NUMBERS, "?__proto__=1", "?%zz", "?a=%ff", ...OPTIONS, ...CURRENCIES, ...PAGES];

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
  changes: Mutation[];
}

function mostly<Value>(value: Value, others: fc.Arbitrary<Value>, weight = 8): fc.Arbitrary<Value> {
  return fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: others });
}

function inputs(known: readonly string[], segments: readonly string[], queries: string[]): fc.Arbitrary<Input> {
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

/** The request, and its text: what was sent may be answered. */
function requestOf(route: Route, side: Side, input: Input): { request: Request; sent: string } {
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
  return { request, sent: `${decodeURIComponentOrNot(path)} ${path} ${text} ${JSON.stringify(input)}` };
}

function decodeURIComponentOrNot(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

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
  expect(body["requestId"]).toBe(headers.get("X-Request-Id"));
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
}, 60_000);

beforeEach(afterTheGrace);

const weights = ROUTES.reduce((sum, { weight }) => sum + weight, 0);

/** Answers by status, to see that the inputs get far enough in. */
const seen = new Map<string, Map<number, number>>();

describe("every endpoint", { timeout: TIMEOUT }, () => {
  it("is in the list of fuzzed endpoints", ({ expect }) => {
    const known = new Set(ROUTES.map(({ method, path }) => `${method} ${path}`));
    // The pages' are files of the site, and tested with them.
    const there = app.routes.filter(({ method, path }) => method !== "ALL" && !path.endsWith("/console/*"));
    const paths = there.map(({ method, path }) => `${method} ${path}`);
    expect([...known].toSorted()).toEqual([...new Set(paths)].toSorted());
  });

  it.for(ROUTES.map((route, index) => [`${route.method} ${route.path} (${index})`, route, index] as const))(
    "%s answers whatever is sent, keeps nothing of what it refuses, tells nothing of another account",
    async ([name, route, index], { expect }) => {
      const [one, other] = sides;
      const terminalIds = [one.till.terminal.terminalId, other.till.terminal.terminalId];
      const known = [...one.names, ...other.names];
      const segments = route.spoils === true ? await makeVictims(route.path.includes(":posId")) : known;
      const counted = new Map<number, number>();
      seen.set(name, counted);
      let before = await rows(terminalIds);
      let runs = Math.ceil((OWN_INPUTS * route.weight) / weights / INPUTS_PER_RUN / 2);
      for (let chunk = 0; runs > 0; chunk++, runs -= CHUNK) {
        let successes = 0;
        const several = fc.array(inputs(known, segments, route.queries ?? []), {
          minLength: 1,
          maxLength: AT_ONCE,
          size: "max",
        });
        const property = fc.asyncProperty(several, async (batch) => {
          const asked = batch.flatMap((input) => sides.map((side) => requestOf(route, side, input)));
          const responses = await Promise.all(asked.map(({ request }) => ask(request)));
          for (const [number, response] of responses.entries()) {
            const { status } = response;
            if (status < 300) successes++;
            counted.set(status, (counted.get(status) ?? 0) + 1);
            const answer = await checkAnswer(expect, response, asked[number]?.request.method ?? "");
            if (route.path.startsWith("/operator/")) continue;
            const stranger = sides[1 - (number % 2)] as Side;
            const leaked = stranger.secrets.filter(
              (secret) => answer.includes(secret) && !asked[number]?.sent.includes(secret),
            );
            expect(leaked).toEqual([]);
          }
        });
        const seed = SEED + index * 1_000_003 + chunk;
        await fc.assert(property, { seed, numRuns: Math.min(CHUNK, runs) });
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

  it("was reached: signed transfers were accepted, and refused for their content", ({ expect }) => {
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
