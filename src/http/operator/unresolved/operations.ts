import { responseSchema } from "../../../contracts/json-schema.ts";
import { type Family, queryParameters } from "../../openapi/operation.ts";
import { INSTANT, PAGE_LIMIT, SHORT_PAGES } from "../operations.ts";
import { unresolvedQuery } from "./requests.ts";
import * as responses from "./responses.ts";

export const unresolved: Family = {
  tag: "Operator",
  caller: "operator",
  responses: {
    UnresolvedTransaction: responseSchema(responses.unresolvedTransaction),
    UnresolvedPage: responseSchema(responses.unresolvedPage),
  },
  operations: {
    "GET /operator/unresolved": {
      operationId: "listUnresolved",
      summary: "List unresolved transactions",
      description:
        "A page of the transactions of all accounts whose outcome is unknown, oldest first. A transaction is here from when its " +
        "account has recorded it as `22` until it has recorded its end: normally within a second of both. It is completed by its " +
        `terminal, by an inquiry of its till, or by \`POST …/resolve\`. ${SHORT_PAGES}`,
      parameters: queryParameters(unresolvedQuery, {
        cursor: {
          description: "`next` of the previous page. Without it, the oldest transactions.",
          schema: { type: "string", pattern: "^[0-9]{1,15}-[0-9]{10,15}-[A-Za-z0-9._-]{1,24}$" },
          examples: ["1763633700000-1000000042-POS-1001"],
        },
        limit: PAGE_LIMIT,
        posId: { description: "Only transactions of this account.", examples: ["POS-1001"] },
        terminalId: { description: "Only transactions on this terminal.", examples: ["T-1001"] },
        before: { description: "Only transactions received before this time.", ...INSTANT },
      }),
      answers: { 200: { description: "A page.", schema: "UnresolvedPage" } },
    },
  },
};
