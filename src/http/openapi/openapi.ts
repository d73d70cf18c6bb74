/** The OpenAPI 3.1 document of the gateway's HTTP interface. Generated when the site is built. */
import { type Component, responseSchema, schemasOf } from "../../contracts/json-schema.ts";
import { ACCESS_TOKEN_LIFE, TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import { bindKeys } from "../bind-keys/operations.ts";
import { channels } from "../channels/operations.ts";
import { events } from "../events/operations.ts";
import { health } from "../health/operations.ts";
import { ASSERTION_HEADER } from "../operator/access.ts";
import { operatorAccounts } from "../operator/accounts/operations.ts";
import { audit } from "../operator/audit/operations.ts";
import { operatorChannels } from "../operator/channels/operations.ts";
import { masterKeys } from "../operator/master-keys/operations.ts";
import { retell } from "../operator/retell/operations.ts";
import { operatorShops } from "../operator/shops/operations.ts";
import { overview } from "../operator/overview/operations.ts";
import { statistics } from "../operator/statistics/operations.ts";
import { unresolved } from "../operator/unresolved/operations.ts";
import { operatorTerminals } from "../operator/terminals/operations.ts";
import { operatorTransactions } from "../operator/transactions/operations.ts";
import { operatorWebhooks } from "../operator/webhooks/operations.ts";
import { prebinding } from "../prebinding/operations.ts";
import { sessions } from "../sessions/operations.ts";
import { terminal } from "../terminal/operations.ts";
import { terminals } from "../terminals/operations.ts";
import { deliveries } from "../webhooks/deliveries.ts";
import { webhooks } from "../webhooks/operations.ts";
import { totals } from "../totals/operations.ts";
import { transactions } from "../transactions/operations.ts";
import { TRANSFER_SCHEMAS, transfers } from "../../transfer/operations.ts";
import type { Method, OpenApiDocument, PathItem, SecurityScheme } from "./document.ts";
import { errorResponses } from "./errors.ts";
import { done } from "./fields.ts";
import { INTRODUCTION, TAGS } from "./introduction.ts";
import { type Family, operation } from "./operation.ts";
import { HEADERS, REFUSAL_NAMES, REFUSALS, type RefusalStatus } from "./refusals.ts";

export type { OpenApiDocument };

const ACCOUNT = [sessions, bindKeys, prebinding, terminals, channels, transactions, totals, webhooks];
const OPERATOR = [
  overview,
  statistics,
  unresolved,
  operatorAccounts,
  operatorWebhooks,
  operatorTerminals,
  operatorShops,
  operatorTransactions,
  operatorChannels,
  masterKeys,
  retell,
  audit,
];

/** Every family of calls, in the order in which the document lists their paths. */
export const FAMILIES: Family[] = [...ACCOUNT, transfers, events, terminal, ...OPERATOR, health];

/** Where the schemas come from, in the order in which the document lists them: the messages of transfers first. */
const SCHEMAS: Pick<Family, "requests" | "responses">[] = [
  transfers,
  sessions,
  bindKeys,
  { responses: { Done: responseSchema(done) } },
  prebinding,
  terminals,
  channels,
  events,
  webhooks,
  transactions,
  totals,
  health,
  terminal,
  overview,
  statistics,
  unresolved,
  operatorAccounts,
  operatorWebhooks,
  operatorTerminals,
  operatorShops,
  operatorChannels,
  operatorTransactions,
  audit,
  masterKeys,
  retell,
  { responses: errorResponses },
];

const bearer = (description: string, bearerFormat?: string): SecurityScheme => ({
  type: "http",
  scheme: "bearer",
  ...(bearerFormat === undefined ? {} : { bearerFormat }),
  description,
});

export function openApi(): OpenApiDocument {
  const requests = Object.assign({}, ...SCHEMAS.map((family) => family.requests)) as Record<string, Component>;
  const responses = Object.assign({}, ...SCHEMAS.map((family) => family.responses)) as Record<string, Component>;
  return {
    openapi: "3.1.1",
    info: {
      title: "Payment terminal gateway",
      version: "1.0.0",
      summary: "One signed request from the till, one signed answer.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [
      { url: "/", description: "The gateway that serves this document." },
      { url: "http://127.0.0.1:8787", description: "`npm start` on your machine." },
    ],
    tags: TAGS,
    paths: pathsOf(),
    webhooks: deliveries(),
    components: {
      schemas: { ...TRANSFER_SCHEMAS, ...schemasOf(requests, "input"), ...schemasOf(responses, "output") },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, refusal]) => [REFUSAL_NAMES[Number(status) as RefusalStatus], refusal]),
      ),
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
        operatorToken: bearer("A token from `OPERATOR_TOKENS`. Its name appears in the audit log."),
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

function pathsOf(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const family of FAMILIES) {
    for (const [route, particulars] of Object.entries(family.operations)) {
      const [method = "", path = ""] = route.split(" ");
      (paths[path] ??= {})[method.toLowerCase() as Method] = operation(family, particulars);
    }
  }
  return paths;
}
