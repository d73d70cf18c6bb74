import { responseSchema, requestSchema } from "../../../contracts/json-schema.ts";
import { type Family, queryParameters } from "../../openapi/operation.ts";
import {
  INSTANT,
  NAME_NOTE,
  NO_TERMINAL,
  PAGE_NOTES,
  RETIRED_OR_BUSY,
  SHORT_PAGES,
  terminalId,
  changesSomething,
  removableName,
} from "../operations.ts";
import { newTerminal, terminalChanges, terminalQuery } from "./requests.ts";
import * as responses from "./responses.ts";

export const operatorTerminals: Family = {
  tag: "Operator terminals",
  caller: "operator",
  requests: {
    NewTerminal: requestSchema(
      newTerminal,
      {
        terminalId: {
          description: "The terminal's unique id, `deviceId` in transfers. Never reused.",
          examples: ["T-1001"],
        },
        isVT: { description: "1: a virtual terminal. 0: any other terminal.", examples: [0] },
        merchantId: {
          description:
            "Assigns the terminal to a merchant: only that merchant's accounts can bind it, with a key or by their prebind " +
            "list.",
          examples: ["M-1001"],
        },
        name: { description: "The operator's own name for it.", examples: ["Counter 3"] },
      },
      { description: "A new terminal.", examples: [{ terminalId: "T-1001", isVT: 0, merchantId: "M-1001" }] },
    ),
    TerminalChanges: requestSchema(
      terminalChanges,
      {
        merchantId: { description: "The merchant that it is assigned to from now on.", examples: ["M-1001"] },
        name: removableName("Counter 3"),
      },
      {
        description: "The changes of a terminal, at least one member.",
        examples: [{ name: "Counter 3" }],
        ...changesSomething(Object.keys(terminalChanges.shape)),
      },
    ),
  },
  responses: {
    EnrolledTerminal: responseSchema(responses.terminal),
    EnrolledTerminalWithSecret: responseSchema(responses.terminalWithSecret),
    EnrolledTerminalPage: responseSchema(responses.terminalPage),
    EnrolledTerminalDetails: responseSchema(responses.terminalDetails),
    TerminalSecret: responseSchema(responses.terminalSecret),
  },
  operations: {
    "POST /operator/terminals": {
      operationId: "enrolTerminal",
      summary: "Enrol a terminal",
      description: "Creates a terminal and its secret. Only this response has the secret.",
      body: { description: "The new terminal.", schema: "NewTerminal" },
      answers: { 201: { description: "The terminal, with its secret.", schema: "EnrolledTerminalWithSecret" } },
      refusals: { 409: "The terminalId is in use, or was used before, in any case." },
    },
    "GET /operator/terminals": {
      operationId: "listEnrolledTerminals",
      summary: "List terminals",
      description:
        `A page of terminals, ordered by id, including retired ones. ${SHORT_PAGES} ` +
        "`connected` in the response is the current state. For the filters, a terminal whose connection broke counts as " +
        "connected until the gateway notices.",
      parameters: queryParameters(terminalQuery, {
        ...PAGE_NOTES,
        terminalId: { description: "Only terminals whose terminalId starts with this.", examples: ["T-1"] },
        posId: {
          description: "Only terminals that are bound to an account whose posId starts with this.",
          examples: ["SHOP-"],
        },
        name: NAME_NOTE,
        boundTo: { description: "Only those that are bound to this account.", examples: ["POS-1001"] },
        merchantId: { description: "Only those that are assigned to this merchant.", examples: ["M-1001"] },
        shop: {
          description:
            "Only those of this merchant's shop: assigned to the merchant or, without an assignment, bound to one of its accounts.",
          examples: ["M-1001"],
        },
        bound: {
          description: "true: only terminals that are bound to an account. false: only the others.",
          schema: { type: "string", enum: ["true", "false"] },
          examples: ["false"],
        },
        connected: {
          description: "true: only connected terminals. false: only the others.",
          schema: { type: "string", enum: ["true", "false"] },
          examples: ["false"],
        },
        status: { description: "Only those with this status.", examples: ["enrolled"] },
        offlineSince: { description: "Only offline terminals that were last heard before this time.", ...INSTANT },
      }),
      answers: { 200: { description: "A page.", schema: "EnrolledTerminalPage" } },
    },
    "GET /operator/terminals/{terminalId}": {
      operationId: "getEnrolledTerminal",
      summary: "Read a terminal",
      description: "One terminal, with its connection and versions. Its secret is never shown.",
      parameters: [terminalId],
      answers: { 200: { description: "The terminal.", schema: "EnrolledTerminalDetails" } },
      refusals: { 404: NO_TERMINAL },
    },
    "PATCH /operator/terminals/{terminalId}": {
      operationId: "changeTerminal",
      summary: "Change a terminal",
      description:
        "Changes the members in the body. An existing binding stays. A new merchant applies to the next binding: an account of " +
        "that merchant with the terminal on its prebind list gets it at once.",
      parameters: [terminalId],
      body: { description: "The changes.", schema: "TerminalChanges" },
      answers: { 200: { description: "The terminal as it is now.", schema: "EnrolledTerminal" } },
      refusals: { 404: NO_TERMINAL, 409: "The terminal is retired." },
    },
    "DELETE /operator/terminals/{terminalId}": {
      operationId: "retireTerminal",
      summary: "Retire a terminal",
      description: "Unbinds the terminal, deletes its secret and closes its socket, permanently. Its journal stays.",
      parameters: [terminalId],
      answers: { 200: { description: "The terminal is retired.", schema: "Done" } },
      refusals: { 404: NO_TERMINAL, 409: RETIRED_OR_BUSY },
    },
    "POST /operator/terminals/{terminalId}/secret": {
      operationId: "replaceTerminalSecret",
      summary: "Replace a terminal's secret",
      description: "Only this response has the new secret. The previous one ends at once, and the socket is closed.",
      parameters: [terminalId],
      answers: { 200: { description: "The new secret.", schema: "TerminalSecret" } },
      refusals: { 404: NO_TERMINAL, 409: "The terminal is retired." },
    },
    "DELETE /operator/terminals/{terminalId}/binding": {
      operationId: "removeTerminalBinding",
      summary: "Unbind a terminal",
      description: "Removes the terminal from its account and from that account's prebind list.",
      parameters: [terminalId],
      answers: { 200: { description: "The terminal is unbound.", schema: "Done" } },
      refusals: { 404: "There is no such terminal, or it is not bound, or no operator is set.", 409: RETIRED_OR_BUSY },
    },
  },
};
