/** The service's HTTP side: what holds for every request, then one file of routes per family. */
import type { Hono } from "hono";
import type { Health } from "./answers/fields.ts";
import { requireConfiguration } from "./configuration.ts";
import { type AppEnvironment, factory } from "./context.ts";
import { refuse } from "./errors.ts";
import { logError } from "./log.ts";
import { requireOperator } from "./operator.ts";
import { logRequest } from "./request-log.ts";
import { auth } from "./routes/auth.ts";
import { bindKeys } from "./routes/bind-keys.ts";
import { consolePage } from "./routes/console.ts";
import { ewalletChannels } from "./routes/ewallet-channels.ts";
import { accounts } from "./routes/operator/accounts.ts";
import { auditLog } from "./routes/operator/audit.ts";
import { channels } from "./routes/operator/channels.ts";
import { masterKeys } from "./routes/operator/master-keys.ts";
import { terminals as operatorTerminals } from "./routes/operator/terminals.ts";
import { prebindTerminals } from "./routes/prebind-terminals.ts";
import { terminal } from "./routes/terminal.ts";
import { transactions } from "./routes/operator/transactions.ts";
import { terminals } from "./routes/terminals.ts";
import { transfers } from "./routes/transfer.ts";
import { allowConfiguredOrigins, commonHeaders, requireHttps } from "./transport.ts";

function createApp(): Hono<AppEnvironment> {
  const app = factory.createApp();

  app.use(logRequest, commonHeaders, requireHttps, allowConfiguredOrigins, requireConfiguration);
  app.use("/operator/*", requireOperator);

  // Up means able to serve: the secrets are there. D1 is not asked, as anybody may call this at any rate.
  app.get("/healthz", (c) => c.json({ status: "ok" } satisfies Health));

  app.route("/", auth);
  app.route("/", bindKeys);
  app.route("/", prebindTerminals);
  app.route("/", terminals);
  app.route("/", ewalletChannels);
  app.route("/", transfers);
  app.route("/", terminal);
  app.route("/", consolePage);

  app.route("/", accounts);
  app.route("/", operatorTerminals);
  app.route("/", channels);
  app.route("/", transactions);
  app.route("/", auditLog);
  app.route("/", masterKeys);

  refuseOtherMethods(app);
  app.notFound((c) => refuse(c, { kind: "not_found", message: "There is nothing at this path." }));
  app.onError((error, c) => {
    logError("request failed", error, { requestId: c.get("requestId") });
    return refuse(c, { kind: "internal_server_error" });
  });
  return app;
}

/** Answers 405 on every path that has routes, for the methods that it has none for. */
function refuseOtherMethods(app: Hono<AppEnvironment>): void {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  for (const [path, ofPath] of Map.groupBy(routes, (route) => route.path)) {
    const allow = [...new Set(ofPath.map(({ method }) => method))];
    app.all(path, (c) => refuse(c, { kind: "method_not_allowed", allow }));
  }
}

export const app = createApp();
