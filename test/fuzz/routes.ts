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
export const NUMBERS = [
  "?after=0",
  "?after=1",
  "?after=",
  "?after=-1",
  "?after=1e3",
  "?after=9999999999999999",
  "?after=%00",
];
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

/** What is not signed has a signature of the right form. */
const UNSIGNED = { signature: "0".repeat(64) };

function transfer(document: (side: Side) => object, weight: number, path = "/api/transfer"): Route {
  const withSignature = (side: Side): object => ({ ...document(side), ...UNSIGNED });
  return { method: "POST", path, token: access, document: withSignature, key: signingKey, firstAsIs: true, weight };
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

export const ROUTES: Route[] = [
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
    document: ({ till }) => ({ ...loginMessage(till.terminal), ...UNSIGNED }),
    key: ({ till }) => till.terminal.secret,
    firstAsIs: true,
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
    queries: [
      "?from=2026-11-20T10:15:00Z&to=2027-11-20T10:15:00Z",
      "?to=x",
      "?from=-1",
      "?statusCode=22",
      "?responseCode=51",
      ...PAGES,
    ],
    weight: 1,
  },
  { method: "GET", path: "/operator/overview", token: operator, queries: ["?x=1"], weight: 1 },
  { method: "GET", path: "/operator/metrics", token: operator, queries: ["?x=1"], weight: 1 },
  {
    method: "GET",
    path: "/operator/unresolved",
    token: operator,
    queries: [
      "?posId=POS-1",
      "?terminalId=T-1",
      "?before=2026-11-20T10:15:00Z",
      "?cursor=1-1000000000-POS-1",
      "?cursor=1-1-",
      ...PAGES,
    ],
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
  { method: "POST", path: "/operator/retell", token: operator, document: () => ({ id: "nobody" }), weight: 1 },
];
