import { made, taken } from "../../contracts/json-schema.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { PREBIND_ENTRIES } from "../../protocol/limits/messages.ts";
import type { Family } from "../openapi/operation.ts";
import { prebindRequest } from "./requests.ts";
import { prebindList } from "./responses.ts";

export const prebinding: Family = {
  tag: "Terminals",
  caller: "access",
  requests: {
    PrebindRequest: taken(
      prebindRequest,
      {
        uniqueIds: {
          description:
            `Terminal ids. The first ${PREBIND_ENTRIES} count, the rest is not even looked at; duplicates count once; [] ` +
            `clears the list. A terminal need not be enrolled yet. Texts of 1 to ${TERMINAL_ID_LENGTH} characters; an entry ` +
            "that is none is left out.",
          examples: [["T-1001", "T-1002"]],
        },
      },
      { description: "The new list.", examples: [{ uniqueIds: ["T-1001", "T-1002"] }] },
    ),
  },
  responses: {
    PrebindList: made(prebindList, { examples: [{ data: ["T-1001", "T-1002"] }] }),
  },
  operations: {
    "POST /api/prebind-terminals": {
      operationId: "replacePrebindList",
      summary: "Replace the prebind list",
      description:
        "The account waits for these terminals: one that the operator has assigned to the account's merchant, that is bound to " +
        "nobody and on no other such account's list is bound to it without a key, at once or when it is enrolled or first " +
        `connects. The first ${PREBIND_ENTRIES} entries count; each call replaces the list; \`[]\` clears it.`,
      body: { description: "The new list.", schema: "PrebindRequest" },
      answers: {
        200: { description: "The list is replaced; `message` says what became of each entry.", schema: "Done" },
      },
    },
    "GET /api/prebind-terminals": {
      operationId: "getPrebindList",
      summary: "Read the prebind list",
      description: "The terminal ids that the account waits for.",
      answers: { 200: { description: "The list.", schema: "PrebindList" } },
    },
  },
};
