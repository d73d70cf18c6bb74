/** Every route of the gateway, and whose token it needs. */
import { formatDatetime } from "../../src/protocol/time/datetime.ts";
import { type Account, bindMessage, type EnrolledTerminal } from "./gateway.ts";

/** Who a route is for. `session`: an access or a refresh token. */
type Audience = "anybody" | "access" | "refresh" | "session" | "terminal" | "operator";

export interface Route {
  method: string;
  path: string;
  audience: Audience;
  /** A complete body, for routes that check its shape before the account. */
  body?: (account: Account, terminal: EnrolledTerminal) => object;
}

function route(method: string, path: string, audience: Audience, body?: Route["body"]): Route {
  return body === undefined ? { method, path, audience } : { method, path, audience, body };
}

/** A call that is signed like a transfer. Its signature is wrong, because the credentials are checked first. */
function signedRoute(method: string, path: string, members: object = {}): Route {
  return route(method, path, "access", ({ posId }) => ({
    posId,
    datetime: formatDatetime(Date.now()),
    nonce: crypto.randomUUID(),
    call: `${method} ${path.replace(":webhookId", WEBHOOK)}`,
    signature: "0".repeat(64),
    ...members,
  }));
}

/** Nobody has as many. */
export const WEBHOOK = "wh_9";

export const ROUTES: Route[] = [
  route("GET", "/healthz", "anybody"),
  route("GET", "/console/*", "anybody"),
  route("GET", "/operator/console/*", "anybody"),
  route("GET", "/docs/demo.json", "anybody"),
  route("POST", "/auth/login", "anybody"),
  route("POST", "/auth/refresh", "refresh"),
  route("POST", "/auth/logout", "session"),
  route("GET", "/api/bind-terminal-key", "access"),
  route("POST", "/api/prebind-terminals", "access"),
  route("GET", "/api/prebind-terminals", "access"),
  route("GET", "/api/terminals", "access"),
  route("GET", "/api/terminals/:terminalId", "access"),
  route("DELETE", "/api/terminals/:terminalId", "access"),
  route("GET", "/api/terminals/:terminalId/transactions/:requestId", "access"),
  route("GET", "/api/transactions", "access"),
  route("GET", "/api/totals", "access"),
  route("GET", "/api/ewallet-channels", "access"),
  route("GET", "/api/webhooks", "access"),
  route("GET", "/api/webhooks/:webhookId", "access"),
  signedRoute("POST", "/api/webhooks", { url: "https://books.example.com/" }),
  signedRoute("PATCH", "/api/webhooks/:webhookId", { enabled: true }),
  signedRoute("DELETE", "/api/webhooks/:webhookId"),
  signedRoute("POST", "/api/webhooks/:webhookId/secret"),
  signedRoute("POST", "/api/webhooks/:webhookId/replay", { after: 0 }),
  route("POST", "/api/webhooks/:webhookId/test", "access"),
  route("POST", "/api/transfer", "access", (account, terminal) => ({
    transType: "getLast",
    merchantId: account.merchantId,
    apiVersion: "v1",
    ...cancelBody(account, terminal),
  })),
  route("POST", "/api/transfer/cancel", "access", cancelBody),
  route("GET", "/api/events", "access"),
  route("GET", "/api/events/:id", "access"),
  route("POST", "/terminal/activate", "anybody"),
  route("POST", "/terminal/login", "anybody"),
  route("POST", "/terminal/bind", "terminal", (_account, terminal) => bindMessage(terminal, "00000000")),
  route("GET", "/terminal/connect", "terminal"),
  route("POST", "/operator/accounts", "operator"),
  route("GET", "/operator/accounts", "operator"),
  route("GET", "/operator/accounts/:posId", "operator"),
  route("PATCH", "/operator/accounts/:posId", "operator"),
  route("DELETE", "/operator/accounts/:posId", "operator"),
  route("POST", "/operator/accounts/:posId/password", "operator"),
  route("POST", "/operator/accounts/:posId/signing-key", "operator"),
  route("GET", "/operator/accounts/:posId/webhooks", "operator"),
  route("PATCH", "/operator/accounts/:posId/webhooks/:webhookId", "operator"),
  route("POST", "/operator/terminals", "operator"),
  route("GET", "/operator/terminals", "operator"),
  route("GET", "/operator/terminals/:terminalId", "operator"),
  route("PATCH", "/operator/terminals/:terminalId", "operator"),
  route("DELETE", "/operator/terminals/:terminalId", "operator"),
  route("POST", "/operator/terminals/:terminalId/secret", "operator"),
  route("POST", "/operator/terminals/:terminalId/activation-code", "operator"),
  route("DELETE", "/operator/terminals/:terminalId/binding", "operator"),
  route("GET", "/operator/terminals/:terminalId/transactions", "operator"),
  route("POST", "/operator/terminals/:terminalId/transactions/:requestId/resolve", "operator"),
  route("GET", "/operator/transactions", "operator"),
  route("GET", "/operator/accounts/:posId/transactions", "operator"),
  route("GET", "/operator/overview", "operator"),
  route("GET", "/operator/metrics", "operator"),
  route("GET", "/operator/statistics", "operator"),
  route("GET", "/operator/pending", "operator"),
  route("POST", "/operator/accounts/:posId/transactions/:requestId/close", "operator"),
  route("GET", "/operator/shops", "operator"),
  route("GET", "/operator/shops/:merchantId", "operator"),
  route("PUT", "/operator/shops/:merchantId", "operator"),
  route("DELETE", "/operator/shops/:merchantId", "operator"),
  route("GET", "/operator/channels", "operator"),
  route("PUT", "/operator/channels/:name", "operator"),
  route("DELETE", "/operator/channels/:name", "operator"),
  route("GET", "/operator/audit", "operator"),
  route("POST", "/operator/master-keys/reseal", "operator"),
  route("POST", "/operator/resync", "operator"),
  route("GET", "/operator/resync", "operator"),
  route("DELETE", "/operator/resync", "operator"),
];

function cancelBody(account: Account, terminal: EnrolledTerminal): object {
  return {
    posId: account.posId,
    deviceId: terminal.terminalId,
    referenceId: "R1",
    datetime: formatDatetime(Date.now()),
    signature: "0".repeat(64),
  };
}
