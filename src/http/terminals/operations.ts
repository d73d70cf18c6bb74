import { responseSchema } from "../../contracts/json-schema.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { type Family, inPath } from "../openapi/operation.ts";
import * as responses from "./responses.ts";

const terminalIdInPath = inPath("terminalId", "The terminal's unique id.", "T-1001", { maxLength: TERMINAL_ID_LENGTH });

export const terminals: Family = {
  tag: "Terminals",
  caller: "access",
  responses: {
    Terminal: responseSchema(responses.terminal),
    TerminalList: responseSchema(responses.terminalList, {
      examples: [
        {
          data: [
            { terminalId: "T-1001", connected: true, isVT: 0 },
            { terminalId: "VT-1", connected: false, isVT: 1 },
          ],
        },
      ],
    }),
    TerminalDetails: responseSchema(responses.terminalDetails),
  },
  operations: {
    "GET /api/terminals": {
      operationId: "listTerminals",
      summary: "List the account's terminals",
      description: "Returns the terminals bound to the account and whether each is connected now.",
      answers: { 200: { description: "The terminals.", schema: "TerminalList" } },
    },
    "GET /api/terminals/{terminalId}": {
      operationId: "getTerminal",
      summary: "Read one terminal",
      description: "Returns one terminal of the account with its connection and versions.",
      parameters: [terminalIdInPath],
      answers: { 200: { description: "The terminal.", schema: "TerminalDetails" } },
      refusals: { 404: "The account has no such terminal." },
    },
    "DELETE /api/terminals/{terminalId}": {
      operationId: "unbindTerminal",
      summary: "Unbind a terminal",
      description:
        "Removes the terminal from the account and from its prebind list. Returns 400 while the terminal has a transaction " +
        "in progress. A pending transaction does not prevent it, and stays with the account.",
      parameters: [terminalIdInPath],
      answers: { 200: { description: "The terminal is unbound.", schema: "Done" } },
      refusals: {
        400: "The terminal has a transaction in progress. Try again when it has ended.",
        404: "The account has no such terminal.",
      },
    },
  },
};
