/** Every endpoint of the contract, with a valid request for each, of which the fuzzer sends broken forms. */
import type { JsonSchema } from "../../../src/gateway/http/openapi/json-schema.ts";
import { openApi } from "../../../src/gateway/http/openapi/openapi.ts";
import { bindMessage, loginMessage, OPERATOR_TOKEN } from "../../support/gateway.ts";
import type { Side } from "./world.ts";

const CONTRACT = openApi();

export interface Route {
  method: string;
  path: string;
  /** Which token is the right one. */
  token: (side: Side) => string | null;
  document?: (side: Side) => object;
  /** Whose key signs the document after it was changed. */
  key?: (side: Side) => string;
  /** Whether the contract requires a body; null: it has none. */
  needsBody: boolean | null;
  /** Path parameters name things that may be spoiled, instead of the two accounts' own. */
  spoils: boolean;
  /** Queries with the parameters that it knows; every other one is refused before anything else is looked at. */
  queries: string[];
  /** Sent unchanged first, signed and forged: few of the changed ones get that far, and some runs are short. */
  firstAsIs?: true;
  /** How much of the runs it gets. */
  weight: number;
}

/** What is sent as any parameter of a query, beside its example. */
const VALUES = ["", "x", "X", "0", "1", "-1", "1e3", "101", "9999999999999999", "%00", "%25", "_", "%F0%9F%92%B3"];

/** What only some parameters take. */
const QUERIES: Record<string, string[]> = {
  day: ["2026-01-01", "2026-02-30"],
  from: ["2026-11-20T10:15:00Z&to=2027-11-20T10:15:00Z", "0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&by=account"],
  by: ["hour", "day", "account&from=0001-01-01T00:00:00Z&cursor=9999999", "responseCode", "week"],
  posId: ["POS-1&referenceId=r"],
  transType: ["sale", "inquiry"],
  statusCode: ["22", "23"],
  option: ["image", "IMAGE", "image&option=x"],
  currency: ["myr", "MYRX"],
  before: ["2026-11-20T10:15:00Z", "yesterday"],
  offlineSince: ["2026-11-20T10:15:00Z", "yesterday"],
  connected: ["maybe"],
  bound: ["false"],
  cursor: [`1-1000000000-POS-1`, "1-1-", "x".repeat(101)],
};

export function queriesOf(...names: string[]): string[] {
  return names.flatMap((name) => [...VALUES, ...(QUERIES[name] ?? [])].map((value) => `?${name}=${value}`));
}

const TOKENS: Record<string, Route["token"]> = {
  accessToken: (side) => side.tokens.access.token,
  refreshToken: (side) => side.tokens.refresh.token,
  terminalToken: (side) => side.terminalToken,
  operatorToken: () => OPERATOR_TOKEN,
};

/** What this call would break of the accounts and terminals that its path names. */
const SPOILS =
  /^(?!GET)\w+ (?:\/operator\/(?:accounts|terminals|shops)|\/api\/terminals)\/:\w+(?:$|\/(?!transactions|webhooks))/u;

/** @param call method and path; what the contract says of it, unless `more` does */
function route(call: string, weight: number, more: Partial<Route> = {}): Route {
  const [method = "", path = ""] = call.split(" ");
  const operation = CONTRACT.paths[path.replaceAll(/:(\w+)/gu, "{$1}")]?.[method.toLowerCase() as "get"];
  const [scheme = ""] = Object.keys(operation?.security?.[0] ?? {});
  const reference = operation?.requestBody?.content["application/json"]?.schema?.$ref?.split("/").at(-1) ?? "";
  const { properties } = CONTRACT.components.schemas[reference] ?? {};
  const parameters = operation?.parameters ?? [];
  return {
    method,
    path,
    weight,
    needsBody: operation?.requestBody === undefined ? null : (operation.requestBody.required ?? false),
    token: TOKENS[scheme] ?? (() => null),
    ...(properties === undefined ? {} : { document: () => exampleOf(properties) }),
    spoils: SPOILS.test(call),
    queries: queriesOf(...parameters.filter((one) => one.in === "query").map(({ name }) => name)),
    ...more,
  };
}

function exampleOf(properties: Record<string, JsonSchema>): object {
  const members = Object.entries(properties).map(([name, { examples }]) => [
    name,
    (examples as unknown[] | undefined)?.[0],
  ]);
  return Object.fromEntries(members);
}

const signingKey = ({ pos }: Side): string => pos.account.signingKey;

/** What is not signed has a signature of the right form. */
const UNSIGNED = { signature: "0".repeat(64) };

function transfer(document: (side: Side) => object, weight: number, path = "/api/transfer"): Route {
  const withSignature = (side: Side): object => ({ ...document(side), ...UNSIGNED });
  return route(`POST ${path}`, weight, { document: withSignature, key: signingKey, firstAsIs: true });
}

/** A call that is signed; there is no such webhook. */
function webhook(method: string, path: string, members: object, weight: number): Route {
  const document = (side: Side): object => {
    const { posId, datetime } = side.pos.body("sale");
    const call = `${method} ${path.replace(":webhookId", "wh_1")}`;
    return { posId, datetime, nonce: crypto.randomUUID(), call, ...members, ...UNSIGNED };
  };
  return route(`${method} ${path}`, weight, { document, key: signingKey });
}

const DETAILS = { note: "two coffees", metadata: "table 7", printCount: 2, productIndex: "1" };
const CASH = { transAmt: "12.50", cashAmt: "50.00", paymentMethod: "bankCard" };
const WALLET = { transAmt: "1.11", paymentMethod: "qrCustScan", paymentChannel: "Boost" };

const BY_HAND: Route[] = [
  route("GET /docs/demo.json", 1),
  route("POST /auth/login", 8, {
    document: ({ pos }) => ({ posId: pos.account.posId, password: `${pos.account.password} not` }),
  }),
  route("POST /auth/logout", 2, { token: (side) => side.spare.access.token }),
  route("POST /api/prebind-terminals", 8, {
    document: ({ names }) => ({ uniqueIds: ["T-1", "T-2", ...names.slice(2, 3)] }),
  }),
  // Unbinds without a body, too.
  route("DELETE /api/terminals/:terminalId", 4),
  // An address that is refused: nothing here may be delivered anywhere.
  webhook("POST", "/api/webhooks", { url: "https://localhost/hook" }, 6),
  webhook("PATCH", "/api/webhooks/:webhookId", { enabled: true }, 3),
  webhook("DELETE", "/api/webhooks/:webhookId", {}, 2),
  webhook("POST", "/api/webhooks/:webhookId/secret", {}, 2),
  webhook("POST", "/api/webhooks/:webhookId/replay", { after: 0 }, 3),
  transfer(({ pos }) => pos.saleBody({ referenceLabel: "Order" }, DETAILS), 24),
  transfer(({ pos }) => pos.body("cashOut", { transData: CASH }), 6),
  transfer(({ pos }) => pos.body("sale", { transData: WALLET }), 6),
  transfer(({ pos, transId }) => pos.body("void", { transData: { transId, invNo: "000001", printCount: "1" } }), 8),
  transfer(({ pos, referenceId }) => pos.body("inquiry", { transData: { referenceId } }), 8),
  transfer(({ pos }) => pos.body("getLast"), 4),
  transfer(
    ({ pos }) => {
      const { posId, deviceId, referenceId, datetime } = pos.body("sale");
      return { posId, deviceId, referenceId, datetime };
    },
    10,
    "/api/transfer/cancel",
  ),
  route("POST /terminal/login", 10, {
    document: ({ pos }) => ({ ...loginMessage(pos.terminal), ...UNSIGNED }),
    key: ({ pos }) => pos.terminal.secret,
    firstAsIs: true,
  }),
  route("POST /terminal/bind", 8, {
    document: ({ pos }) => bindMessage(pos.terminal, "ABCD-EFGH"),
    key: ({ pos }) => pos.terminal.secret,
  }),
];

/** Those above, and every other one as the contract has it. */
export const ROUTES: Route[] = [
  ...BY_HAND,
  ...Object.entries(CONTRACT.paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/gu, ":$1")}`)
      .filter((call) => !BY_HAND.some((known) => `${known.method} ${known.path}` === call))
      .map((call) => route(call, call.includes("/api/") ? 3 : 1)),
  ),
];
