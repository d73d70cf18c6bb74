import type { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { logError } from "../lib/log.ts";
import { transferCalls } from "./pos/transfer/transfer-calls.ts";
import { channelCalls } from "./pos/channels/channel-calls.ts";
import { type AppEnvironment, factory } from "./middleware/context.ts";
import { refusalOfFailure, refuse } from "./middleware/errors.ts";
import { eventCalls } from "./pos/events/event-calls.ts";
import { healthCall } from "./site/health.ts";
import { accountCalls } from "./operator/accounts/account-calls.ts";
import { auditCalls } from "./operator/audit/audit-calls.ts";
import { requireOperator } from "./operator/authentication.ts";
import { directoryCalls } from "./operator/directory/directory-calls.ts";
import { consolePage, operatorPage } from "./site/consoles.ts";
import { maintenanceCalls } from "./operator/maintenance/maintenance-calls.ts";
import { metricsCalls } from "./operator/metrics/metrics-calls.ts";
import { overviewCalls } from "./operator/overview/overview-calls.ts";
import { statisticsCalls } from "./operator/statistics/statistics-calls.ts";
import { pendingCalls } from "./operator/pending/pending-calls.ts";
import { operatorTerminalCalls } from "./operator/terminals/operator-terminal-calls.ts";
import { operatorTransactionCalls } from "./operator/transactions/operator-transaction-calls.ts";
import { bindingCalls } from "./pos/binding/binding-calls.ts";
import { sessionCalls } from "./pos/sessions/session-calls.ts";
import { demoFile, nothingHere } from "./site/routes.ts";
import { terminalSecretCalls } from "./operator/terminals/terminal-secret-calls.ts";
import { activationCall } from "./terminal/activation-call.ts";
import { terminalCalls } from "./terminal/terminal-calls.ts";
import { posTerminalCalls } from "./pos/terminals/pos-terminal-calls.ts";
import { posTransactionCalls } from "./pos/transactions/pos-transaction-calls.ts";
import { limitReads, limitTime } from "./middleware/time-limit.ts";
import { webhookCalls } from "./pos/webhooks/webhook-calls.ts";
import {
  allowConfiguredOrigins,
  commonHeaders,
  logRequest,
  requireConfiguration,
  requireHttps,
} from "./middleware/transport.ts";

/** Changes that only D1 makes, and logins. `limitReads` limits all reads. */
const CHANGE_D1 = [
  "/auth/login",
  "/terminal/login",
  "/operator/channels/:name",
  "/operator/shops/:merchantId",
  "/operator/master-keys/reseal",
];

function createApp(): Hono<AppEnvironment> {
  // Hono's default router compiles all routes at the first request: a tenth of the time of a cold sale (`npm run
  // bench`). This one finds a route a microsecond later.
  const app = factory.createApp({ router: new TrieRouter() });

  app.use(logRequest, commonHeaders, requireHttps, allowConfiguredOrigins, requireConfiguration);
  for (const path of ["/api/*", "/operator/*"]) app.use(path, limitReads);
  for (const path of CHANGE_D1) app.use(path, limitTime);
  app.route("/", operatorPage);
  app.use("/operator/*", requireOperator);

  const account = [
    sessionCalls,
    bindingCalls,
    posTerminalCalls,
    channelCalls,
    posTransactionCalls,
    transferCalls,
    eventCalls,
    webhookCalls,
  ];
  const operator = [
    accountCalls,
    operatorTerminalCalls,
    terminalSecretCalls,
    directoryCalls,
    operatorTransactionCalls,
    overviewCalls,
    metricsCalls,
    statisticsCalls,
    pendingCalls,
    auditCalls,
    maintenanceCalls,
  ];
  for (const family of [healthCall, ...account, activationCall, terminalCalls, consolePage, demoFile])
    app.route("/", family);
  for (const family of operator) app.route("/", family);

  refuseOtherMethods(app);
  app.notFound(nothingHere);
  app.onError((error, c) => {
    const refusal = refusalOfFailure(c, error);
    if (refusal.kind === "internal_server_error") logError("request_failed", error, { traceId: c.get("traceId") });
    return refuse(c, refusal);
  });
  return app;
}

/** Reads the routes that `app` has: call it after all others are added. */
function refuseOtherMethods(app: Hono<AppEnvironment>): void {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const allow = [...new Set(ofPath.map(({ method }) => method))];
    app.all(path, (c) => refuse(c, { kind: "method_not_allowed", allow }));
  }
}

export const app = createApp();
