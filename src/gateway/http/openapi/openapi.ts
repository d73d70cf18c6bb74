/** The document at `/openapi.json`: generated when the site is built, which adds the introduction. */
import type * as z from "zod";
import { type Component, buildSchemas } from "./json-schema.ts";
import { ACCESS_TOKEN_LIFE, TERMINAL_TOKEN_LIFE } from "../../../protocol/limits.ts";
import { duration } from "../../../protocol/time/duration.ts";
import { app } from "../app.ts";
import { checkFacts, type CheckFacts, describedCalls, describedMessages } from "../middleware/describe.ts";
import { ASSERTION_HEADER } from "../operator/access.ts";
import { deliveries } from "../pos/webhooks/deliveries.ts";
import type { Method, PathItem } from "./document.ts";
import { KIT } from "./kit.ts";
import { operation } from "./operation.ts";
import { HEADERS, DESCRIBED_REFUSALS } from "./refusals.ts";
import { responseSchemas } from "./schemas.ts";
import { TAGS } from "./tags.ts";
import { TRANSFER_SCHEMAS } from "./transfers.ts";

export type OpenApiDocument = ReturnType<typeof openApi>;

const bearer = (description: string, bearerFormat?: string) => ({
  type: "http",
  scheme: "bearer",
  ...(bearerFormat === undefined ? {} : { bearerFormat }),
  description,
});

export function openApi() {
  const requests: Record<string, Component> = Object.assign({}, ...describedMessages.map((words) => words(KIT)));
  return {
    openapi: "3.1.1",
    info: {
      title: "Payment terminal gateway",
      version: "1.0.0",
      summary: "One signed request from the POS, one signed response.",
      license: { name: "MIT", identifier: "MIT" },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [
      { url: "/", description: "The gateway that serves this document." },
      { url: "http://127.0.0.1:8787", description: "`npm start` on your machine." },
    ],
    tags: [...TAGS],
    paths: buildPaths(requests),
    webhooks: deliveries(),
    components: {
      schemas: {
        ...TRANSFER_SCHEMAS,
        ...buildSchemas(requests, "input"),
        ...buildSchemas(responseSchemas(), "output"),
      },
      responses: DESCRIBED_REFUSALS,
      headers: HEADERS,
      securitySchemes: {
        accessToken: bearer(
          `The access token of a session, valid for ${duration(ACCESS_TOKEN_LIFE)} or until 12 AM in the account's time zone.`,
          "JWT",
        ),
        refreshToken: bearer("The refresh token of a session, valid until 12 AM in the account's time zone.", "JWT"),
        terminalToken: bearer(
          `A terminal's token, valid for ${duration(TERMINAL_TOKEN_LIFE)}. For \`/terminal/connect\` also as the second entry of ` +
            "`Sec-WebSocket-Protocol`.",
          "JWT",
        ),
        operatorToken: bearer(
          "A token from `OPERATOR_TOKENS`. Its name appears in the audit log. Its role is `viewer`, which reads, `support`, which " +
            "also resolves transactions, unbinds terminals and creates passwords, or `admin`.",
        ),
        operatorAccess: {
          type: "apiKey",
          in: "header",
          name: ASSERTION_HEADER,
          description:
            "The assertion that Cloudflare Access adds to a request, where `ACCESS_TEAM` is set. The person's email address, or " +
            "a service token's client ID, appears in the audit log. Such a request must not come from a page of another site, and a " +
            "POST needs `Content-Type: application/json`, with or without a body.",
        },
      },
    },
  };
}

function buildPaths(requests: Record<string, Component>): Record<string, PathItem> {
  const nameOf = (schema: z.ZodType) => Object.keys(requests).find((name) => requests[name]?.schema === schema);
  const paths: Record<string, PathItem> = {};
  for (const { method, path, template, facts } of gatewayRoutes()) {
    const words = describedCalls.get(`${method} ${path}`);
    if (words === undefined) continue;
    (paths[template] ??= {})[method.toLowerCase() as Method] = operation(template, facts, words(KIT), nameOf);
  }
  return paths;
}

/** What the router has: `path` as it writes it, `template` as the document does, and what all checks demand together. */
export function gatewayRoutes(): { method: string; path: string; template: string; facts: CheckFacts }[] {
  const routes = app.routes.filter(({ method }) => method !== "ALL");
  return [...Map.groupBy(routes, ({ method, path }) => `${method} ${path}`)].map(([route, checks]) => {
    const [method = "", path = ""] = route.split(" ");
    const facts: CheckFacts = Object.assign({}, ...checks.map(({ handler }) => checkFacts(handler)));
    return { method, path, template: path.replaceAll(/:(\w+)/gu, "{$1}"), facts };
  });
}
