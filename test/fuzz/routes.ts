/** Every endpoint, with a valid request for each, of which the fuzzer sends broken forms. */
import { bindMessage, loginMessage, OPERATOR_TOKEN } from "../support/gateway.ts";
import type { Side } from "./world.ts";

export interface Route {
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
  /** Sent unchanged first, signed and forged: few of the changed ones get that far, and some runs are short. */
  firstAsIs?: true;
  /** How much of the runs it gets. */
  weight: number;
}

export const OPTIONS = ["?option=image", "?option=IMAGE", "?option=", "?option=image&option=x"];
export const CURRENCIES = ["?currency=myr", "?currency=", "?currency=MYRX", "?currency=%F0%9F%92%B3"];
export const NUMBERS = ["0", "1", "", "-1", "1e3", "9999999999999999", "%00"].map((number) => `?after=${number}`);
export const PAGES = [
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
  ["?offlineSince=yesterday", "?offlineSince=2026-01-01T00:00:00Z", "?shop=M-1", "?bound=false", "?bound=x"],
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

/** @param call method and path */
function route(
  call: string,
  token: Route["token"],
  weight: number,
  more: Omit<Route, "method" | "path" | "token" | "weight"> = {},
): Route {
  const [method = "", path = ""] = call.split(" ");
  return { method, path, token, weight, ...more };
}

/** What is not signed has a signature of the right form. */
const UNSIGNED = { signature: "0".repeat(64) };

function transfer(document: (side: Side) => object, weight: number, path = "/api/transfer"): Route {
  const withSignature = (side: Side): object => ({ ...document(side), ...UNSIGNED });
  return route(`POST ${path}`, access, weight, { document: withSignature, key: signingKey, firstAsIs: true });
}

/** A call that is signed; there is no such webhook. */
function webhook(method: string, path: string, members: object, weight: number): Route {
  const document = (side: Side): object => {
    const { posId, datetime } = side.till.body("sale");
    const call = `${method} ${path.replace(":webhookId", "wh_1")}`;
    return { posId, datetime, nonce: crypto.randomUUID(), call, ...members, ...UNSIGNED };
  };
  return route(`${method} ${path}`, access, weight, { document, key: signingKey });
}

const newAccount = {
  posId: "fuzzed",
  password: "a password that is long",
  merchantId: "fuzzed",
  currency: "MYR",
  timezone: "Asia/Kuala_Lumpur",
  name: "Fuzzed",
};

export const ROUTES: Route[] = [
  route("GET /healthz", nobody, 1),
  route("GET /docs/demo.json", nobody, 1),
  route("POST /auth/login", nobody, 8, {
    document: ({ till }) => ({ posId: till.account.posId, password: `${till.account.password} not` }),
  }),
  route("POST /auth/refresh", refresh, 2),
  route("POST /auth/logout", spare, 2),
  route("GET /api/bind-terminal-key", access, 3, { queries: OPTIONS }),
  route("POST /api/prebind-terminals", access, 8, {
    document: ({ names }) => ({ uniqueIds: ["T-1", "T-2", ...names.slice(2, 3)] }),
  }),
  route("GET /api/prebind-terminals", access, 2),
  route("GET /api/terminals", access, 2),
  route("GET /api/terminals/:terminalId", access, 4),
  route("DELETE /api/terminals/:terminalId", access, 4, { spoils: true }),
  route("GET /api/ewallet-channels", access, 4, { queries: CURRENCIES }),
  route("GET /api/transactions", access, 4, { queries: TRANSACTIONS }),
  route("GET /api/terminals/:terminalId/transactions/:requestId", access, 4),
  route("GET /api/totals", access, 3, { queries: DAYS }),
  route("GET /api/events", access, 4, { queries: NUMBERS }),
  route("GET /api/events/:id", access, 3),
  route("GET /api/webhooks", access, 1),
  route("GET /api/webhooks/:webhookId", access, 2),
  // An address that is refused: nothing here may be delivered anywhere.
  webhook("POST", "/api/webhooks", { url: "https://localhost/hook" }, 6),
  webhook("PATCH", "/api/webhooks/:webhookId", { enabled: true }, 3),
  webhook("DELETE", "/api/webhooks/:webhookId", {}, 2),
  webhook("POST", "/api/webhooks/:webhookId/secret", {}, 2),
  webhook("POST", "/api/webhooks/:webhookId/replay", { after: 0 }, 3),
  route("POST /api/webhooks/:webhookId/test", access, 1),
  transfer(sale, 24),
  transfer(cashOut, 6),
  transfer(wallet, 6),
  transfer(voiding, 8),
  transfer(inquiry, 8),
  transfer(getLast, 4),
  transfer(cancel, 10, "/api/transfer/cancel"),
  route("POST /terminal/login", nobody, 10, {
    document: ({ till }) => ({ ...loginMessage(till.terminal), ...UNSIGNED }),
    key: ({ till }) => till.terminal.secret,
    firstAsIs: true,
  }),
  route("POST /terminal/bind", ofTerminal, 8, {
    document: ({ till }) => bindMessage(till.terminal, "ABCD-EFGH"),
    key: ({ till }) => till.terminal.secret,
  }),
  route("GET /terminal/connect", ofTerminal, 4),
  route("POST /operator/accounts", operator, 1, { document: () => newAccount }),
  route("GET /operator/accounts", operator, 1, { queries: PAGES }),
  route("GET /operator/accounts/:posId", operator, 1),
  route("PATCH /operator/accounts/:posId", operator, 3, {
    document: () => ({ status: "suspended", merchantId: "other", currency: "SGD", timezone: "UTC", name: "Other" }),
    spoils: true,
  }),
  route("DELETE /operator/accounts/:posId", operator, 1, { spoils: true }),
  route("POST /operator/accounts/:posId/password", operator, 1, { spoils: true }),
  route("POST /operator/accounts/:posId/transactions/:requestId/close", operator, 1, {
    document: () => ({ reason: "The customer got the money back." }),
  }),
  route("GET /operator/accounts/:posId/webhooks", operator, 1),
  route("PATCH /operator/accounts/:posId/webhooks/:webhookId", operator, 1, { document: () => ({ enabled: false }) }),
  route("POST /operator/accounts/:posId/signing-key", operator, 2, {
    document: () => ({ revokePrevious: true }),
    spoils: true,
  }),
  route("POST /operator/terminals", operator, 3, {
    document: () => ({ terminalId: "T-FUZZED", isVT: 0, merchantId: "fuzzed", name: "Fuzzed" }),
  }),
  route("GET /operator/terminals", operator, 1, { queries: FILTERS }),
  route("PATCH /operator/terminals/:terminalId", operator, 1, {
    document: () => ({ merchantId: "other", name: "Other" }),
    spoils: true,
  }),
  route("GET /operator/terminals/:terminalId", operator, 1),
  route("DELETE /operator/terminals/:terminalId", operator, 1, { spoils: true }),
  route("POST /operator/terminals/:terminalId/secret", operator, 1, { spoils: true }),
  route("DELETE /operator/terminals/:terminalId/binding", operator, 1, { spoils: true }),
  route("GET /operator/terminals/:terminalId/transactions", operator, 2, { queries: PAGES }),
  route("POST /operator/terminals/:terminalId/transactions/:requestId/resolve", operator, 3, {
    document: () => ({ statusCode: "11", reason: "not on the host" }),
  }),
  route("GET /operator/transactions", operator, 1, {
    queries: [
      "?transId=1000000000",
      "?transId=x",
      "?posId=POS-1&referenceId=r",
      "?posId=x",
      "?referenceId=%F0%9F%92%B3",
    ],
  }),
  route("GET /operator/accounts/:posId/transactions", operator, 1, {
    queries: [
      "?from=2026-11-20T10:15:00Z&to=2027-11-20T10:15:00Z",
      "?to=x",
      "?from=-1",
      "?statusCode=22",
      "?responseCode=51",
      ...PAGES,
    ],
  }),
  route("GET /operator/overview", operator, 1, { queries: ["?x=1"] }),
  route("GET /operator/metrics", operator, 1, { queries: ["?x=1"] }),
  route("GET /operator/unresolved", operator, 2, {
    queries: [
      "?posId=POS-1",
      "?terminalId=T-1",
      "?before=2026-11-20T10:15:00Z",
      "?cursor=1-1000000000-POS-1",
      "?cursor=1-1-",
      ...PAGES,
    ],
  }),
  route("GET /operator/statistics", operator, 3, {
    queries: [
      ...["hour", "day", "account", "responseCode", "week"].map((by) => `?by=${by}`),
      ...["hour", "day", "account"].map((by) => `?by=${by}&cursor=9999999&from=1970-01-01T00:00:00Z`),
      "?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&by=account",
      "?from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&by=day&posId=POS-1",
      "?posId=POS-1",
      "?terminalId=T-1",
      ...PAGES,
    ],
  }),
  route("GET /operator/shops", operator, 1, { queries: FILTERS }),
  route("GET /operator/shops/:merchantId", operator, 1),
  route("PUT /operator/shops/:merchantId", operator, 1, {
    document: () => ({ name: "Fuzzed", timezone: "Asia/Kuala_Lumpur" }),
    spoils: true,
  }),
  route("DELETE /operator/shops/:merchantId", operator, 1, { spoils: true }),
  route("GET /operator/channels", operator, 1),
  route("PUT /operator/channels/:name", operator, 3, {
    document: () => ({ status: 1, currency: ["MYR"], logoUrl3: "https://logos.test/wallet.png" }),
  }),
  route("DELETE /operator/channels/:name", operator, 1),
  route("GET /operator/audit", operator, 1, { queries: PAGES }),
  route("POST /operator/master-keys/reseal", operator, 1),
  route("POST /operator/retell", operator, 1, { document: () => ({ id: "nobody" }) }),
];
