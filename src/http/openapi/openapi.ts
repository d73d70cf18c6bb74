/** Generated when the site is built, which adds the introduction. */
import type * as z from "zod";
import { type Component, schemasOf } from "../../contracts/json-schema.ts";
import { ACCESS_TOKEN_LIFE, TERMINAL_TOKEN_LIFE } from "../../protocol/limits/keys.ts";
import { duration } from "../../time/duration.ts";
import { app } from "../app.ts";
import type { OperatorRole } from "../../protocol/operator-roles.ts";
import { roleOf } from "../operator/authentication.ts";
import { channelsContract } from "../channels/calls.ts";
import { eventsContract } from "../events/calls.ts";
import { healthContract } from "../health/calls.ts";
import { ASSERTION_HEADER } from "../operator/access.ts";
import { operatorAccountsContract } from "../operator/accounts/contract.ts";
import { auditContract } from "../operator/audit/calls.ts";
import { operatorChannelsContract, operatorShopsContract } from "../operator/directory/calls.ts";
import { maintenanceContract } from "../operator/maintenance/calls.ts";
import { overviewContract } from "../operator/overview/calls.ts";
import { statisticsContract } from "../operator/statistics/calls.ts";
import { unresolvedContract } from "../operator/unresolved/calls.ts";
import { operatorTerminalsContract } from "../operator/terminals/calls.ts";
import { operatorTransactionsContract } from "../operator/transactions/calls.ts";
import { bindingContract } from "../binding/calls.ts";
import { sessionsContract } from "../sessions/calls.ts";
import { terminalContract } from "../terminal/calls.ts";
import { terminalsContract } from "../terminals/calls.ts";
import { deliveries } from "../webhooks/contract.ts";
import { webhooksContract } from "../webhooks/calls.ts";
import { transactionsContract } from "../transactions/calls.ts";
import { TRANSFER_SCHEMAS, transfersContract } from "../transfer/contract.ts";
import type { Method, PathItem } from "./document.ts";
import { ERRORS, problem } from "../../protocol/schemas/errors.ts";
import { done } from "../../protocol/schemas/accounts.ts";
import { type Family, operation } from "./operation.ts";
import { HEADERS, REFUSALS } from "./refusals.ts";

export type OpenApiDocument = ReturnType<typeof openApi>;

/** In the order in which the document lists their paths. */
export const FAMILIES: Family[] = [
  sessionsContract,
  bindingContract,
  terminalsContract,
  channelsContract,
  transactionsContract,
  webhooksContract,
  transfersContract,
  eventsContract,
  terminalContract,
  overviewContract,
  statisticsContract,
  unresolvedContract,
  operatorAccountsContract,
  operatorTerminalsContract,
  operatorShopsContract,
  operatorTransactionsContract,
  operatorChannelsContract,
  maintenanceContract,
  auditContract,
  healthContract,
].map((contract) => contract());

const TAGS = [
  { name: "Session", description: "Log in, refresh tokens, log out." },
  { name: "Transfers", description: "Sales, voids, inquiries and cancels." },
  { name: "Events", description: "What happens to the account's transactions, in one order." },
  { name: "Terminals", description: "The terminals of an account." },
  {
    name: "Transactions",
    description: "The account's transactions with their outcomes, and the totals of its days.",
  },
  { name: "Wallets", description: "The e-wallet channels." },
  { name: "Webhooks", description: "Delivers events to an address of your choice." },
  { name: "Terminal", description: "The calls of a terminal. Its WebSocket protocol is in `/asyncapi.json`." },
  {
    name: "Operator accounts",
    description:
      "For the people who run the service: accounts, their keys and webhooks. Every change is in the audit log.",
  },
  {
    name: "Operator terminals",
    description: "For the people who run the service: terminals and shops. Every change is in the audit log.",
  },
  {
    name: "Operator",
    description:
      "For the people who run the service: payments, wallets, master keys and the audit log. Every change is in the audit log.",
  },
  { name: "Service", description: "Health of the service." },
];

const bearer = (description: string, bearerFormat?: string) => ({
  type: "http",
  scheme: "bearer",
  ...(bearerFormat === undefined ? {} : { bearerFormat }),
  description,
});

export function openApi() {
  const requests = Object.assign({}, ...FAMILIES.map((family) => family.requests)) as Record<string, Component>;
  const responses: Record<string, z.ZodType> = Object.assign(
    { Done: done },
    ...FAMILIES.map((family) => family.responses),
    { Problem: problem, ...ERRORS },
  );
  return {
    openapi: "3.1.1",
    info: {
      title: "Payment terminal gateway",
      version: "1.0.0",
      summary: "One signed request from the till, one signed response.",
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
      responses: REFUSALS,
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

function pathsOf(): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  const roles = rolesOf();
  for (const family of FAMILIES) {
    for (const [route, particulars] of Object.entries(family.operations)) {
      const [method = "", path = ""] = route.split(" ");
      (paths[path] ??= {})[method.toLowerCase() as Method] = operation(family, path, particulars, roles.get(route));
    }
  }
  return paths;
}

/** From the check of each route, so that the document cannot differ from it. */
export function rolesOf(): Map<string, OperatorRole> {
  const roles = new Map<string, OperatorRole>();
  for (const { method, path, handler } of app.routes) {
    const role = roleOf(handler);
    if (role !== undefined) roles.set(`${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}`, role);
  }
  return roles;
}
