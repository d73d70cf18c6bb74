/** The OpenAPI 3.1 document of everything that the gateway answers over HTTP. Made when the site is built. */
import { ACCESS_TOKEN_LIFE, TERMINAL_TOKEN_LIFE } from "../limits.ts";
import { duration } from "../time/duration.ts";
import { accountAnswers, accountRequests } from "./components/account.ts";
import { errorAnswers } from "./components/errors.ts";
import { operatorAnswers, operatorRequests } from "./components/operator.ts";
import { terminalAnswers, terminalRequests } from "./components/terminal.ts";
import { transferAnswers, transferRequests } from "./components/transfer.ts";
import { schemasOf } from "./json-schema.ts";
import { ACCOUNT_PATHS } from "./openapi/account-paths.ts";
import type { OpenApiDocument, PathItem } from "./openapi/document.ts";
import { INTRODUCTION, TAGS } from "./openapi/introduction.ts";
import { operation, type Particulars } from "./openapi/operation.ts";
import { OPERATOR_PATHS } from "./openapi/operator-paths.ts";
import { HEADERS, REFUSAL_NAMES, REFUSALS, type RefusalStatus } from "./openapi/refusals.ts";
import { TERMINAL_PATHS } from "./openapi/terminal-paths.ts";
import { TRANSFER_PATHS, TRANSFER_SCHEMAS } from "./openapi/transfer-paths.ts";

export type { OpenApiDocument };

const SERVICE_PATHS: Particulars[] = [
  {
    method: "get",
    path: "/healthz",
    operationId: "getHealth",
    summary: "Is it up?",
    description: "Up means able to serve: the secrets are there. The database is not asked.",
    tag: "Service",
    caller: "none",
    answers: { 200: { description: "It is up.", schema: "Health" } },
  },
];

const bearer = (description: string, bearerFormat?: string) => ({
  type: "http",
  scheme: "bearer",
  ...(bearerFormat === undefined ? {} : { bearerFormat }),
  description,
});

export function openApi(): OpenApiDocument {
  const requests = { ...transferRequests, ...accountRequests, ...terminalRequests, ...operatorRequests };
  const answers = { ...transferAnswers, ...accountAnswers, ...terminalAnswers, ...operatorAnswers, ...errorAnswers };
  const all = [...ACCOUNT_PATHS, ...TRANSFER_PATHS, ...TERMINAL_PATHS, ...OPERATOR_PATHS, ...SERVICE_PATHS];
  return {
    openapi: "3.1.1",
    info: {
      title: "Payment terminal gateway",
      version: "1.0.0",
      summary: "A till, a terminal, and one signed answer.",
      description: INTRODUCTION,
      license: { name: "MIT", identifier: "MIT" },
    },
    jsonSchemaDialect: "https://json-schema.org/draft/2020-12/schema",
    servers: [
      { url: "/", description: "The gateway that this document was fetched from." },
      { url: "http://127.0.0.1:8787", description: "`npm start` on your own machine." },
    ],
    tags: TAGS,
    paths: pathsOf(all),
    components: {
      schemas: { ...TRANSFER_SCHEMAS, ...schemasOf(requests, "input"), ...schemasOf(answers, "output") },
      responses: Object.fromEntries(
        Object.entries(REFUSALS).map(([status, refusal]) => [REFUSAL_NAMES[Number(status) as RefusalStatus], refusal]),
      ),
      headers: HEADERS,
      securitySchemes: {
        accessToken: bearer(
          `The access token of a session: ${duration(ACCESS_TOKEN_LIFE)}, or until 12 AM in the account's time zone.`,
          "JWT",
        ),
        refreshToken: bearer("The refresh token of a session: until 12 AM in the account's time zone.", "JWT"),
        terminalToken: bearer(
          `A terminal's token: ${duration(TERMINAL_TOKEN_LIFE)}. For \`/terminal/connect\` also as the second entry of ` +
            "`Sec-WebSocket-Protocol`.",
          "JWT",
        ),
        operatorToken: bearer("A token of `OPERATOR_TOKENS`; its name goes into the audit log."),
      },
    },
  };
}

function pathsOf(all: Particulars[]): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const particulars of all) {
    const item = (paths[particulars.path] ??= {});
    item[particulars.method] = operation(particulars);
  }
  return paths;
}
