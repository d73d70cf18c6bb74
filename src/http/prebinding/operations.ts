import { responseSchema, requestSchema } from "../../contracts/json-schema.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import type { Family } from "../openapi/operation.ts";
import { prebindRequest } from "./requests.ts";
import { prebindList } from "./responses.ts";

export const prebinding: Family = {
  tag: "Terminals",
  caller: "access",
  requests: {
    PrebindRequest: requestSchema(
      prebindRequest,
      {
        uniqueIds: {
          description:
            `Terminal ids. Only the first ${PREBIND_ENTRIES} entries count, duplicates once; [] clears the list. A terminal ` +
            `need not be enrolled yet. Entries are strings of 1 to ${TERMINAL_ID_LENGTH} characters; others are ignored.`,
          examples: [["T-1001", "T-1002"]],
        },
      },
      { description: "The new list.", examples: [{ uniqueIds: ["T-1001", "T-1002"] }] },
    ),
  },
  responses: {
    PrebindList: responseSchema(prebindList, { examples: [{ data: ["T-1001", "T-1002"] }] }),
  },
  operations: {
    "POST /api/prebind-terminals": {
      operationId: "replacePrebindList",
      summary: "Replace the prebind list",
      description:
        "Terminals on this list are bound to the account without a key, as soon as they are enrolled or connect. " +
        "A terminal must be unbound, assigned to the account's merchant by the operator, and not on the list of " +
        `another such account. Only the first ${PREBIND_ENTRIES} entries count. Each call replaces the list; \`[]\` clears it.`,
      body: { description: "The new list.", schema: "PrebindRequest" },
      answers: {
        200: { description: "The list is replaced. `message` has the result for each entry.", schema: "Done" },
      },
    },
    "GET /api/prebind-terminals": {
      operationId: "getPrebindList",
      summary: "Read the prebind list",
      description: "Returns the terminal ids on the prebind list.",
      answers: { 200: { description: "The list.", schema: "PrebindList" } },
    },
  },
};
