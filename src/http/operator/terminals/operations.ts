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
          description: "The terminal's unique id, `deviceId` in transfers; never given twice.",
          examples: ["T-1001"],
        },
        isVT: { description: "1: a virtual terminal. 0: any other terminal.", examples: [0] },
        merchantId: {
          description:
            "Assigns the terminal to a merchant: then only an account of that merchant can bind it, by a key or by its " +
            "prebind list.",
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
        description: "What changes about a terminal: at least one member.",
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
      description: "Makes a terminal and its secret, which is shown in this answer and never again.",
      body: { description: "The new terminal.", schema: "NewTerminal" },
      answers: { 201: { description: "The terminal, with its secret.", schema: "EnrolledTerminalWithSecret" } },
      refusals: { 409: "The terminalId is taken, or was once." },
    },
    "GET /operator/terminals": {
      operationId: "listEnrolledTerminals",
      summary: "List terminals",
      description:
        `A page of terminals, by their ids, retired ones included. ${SHORT_PAGES} ` +
        "A terminal whose connection broke without a word counts as connected for the filters until that is noticed, and " +
        "is shown as it is.",
      parameters: queryParameters(terminalQuery, {
        ...PAGE_NOTES,
        terminalId: { description: "Only terminalIds that begin like this.", examples: ["T-1"] },
        posId: {
          description: "Only those that are bound to an account whose posId begins like this.",
          examples: ["SHOP-"],
        },
        name: NAME_NOTE,
        boundTo: { description: "Only those that are bound to this account.", examples: ["POS-1001"] },
        merchantId: { description: "Only those that are assigned to this merchant.", examples: ["M-1001"] },
        connected: {
          description: "true: only those that are connected. false: only those that are not.",
          schema: { type: "string", enum: ["true", "false"] },
          examples: ["false"],
        },
        status: { description: "Only those of this status.", examples: ["enrolled"] },
        offlineSince: { description: "Only those whose last connection ended before then.", ...INSTANT },
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
        "Changes what is named. A binding stays as it is; a new merchant counts for the next one, and an account of that " +
        "merchant that has the terminal on its prebind list gets it at once.",
      parameters: [terminalId],
      body: { description: "What changes.", schema: "TerminalChanges" },
      answers: { 200: { description: "The terminal as it is now.", schema: "EnrolledTerminal" } },
      refusals: { 404: NO_TERMINAL, 409: "The terminal is retired." },
    },
    "DELETE /operator/terminals/{terminalId}": {
      operationId: "retireTerminal",
      summary: "Retire a terminal",
      description: "Unbinds it, forgets its secret and closes its socket, permanently. Its journal stays.",
      parameters: [terminalId],
      answers: { 200: { description: "The terminal is retired.", schema: "Done" } },
      refusals: { 404: NO_TERMINAL, 409: RETIRED_OR_BUSY },
    },
    "POST /operator/terminals/{terminalId}/secret": {
      operationId: "replaceTerminalSecret",
      summary: "Give a terminal a new secret",
      description:
        "The new secret is shown in this answer and never again. The one before is dead at once, and the socket is closed.",
      parameters: [terminalId],
      answers: { 200: { description: "The new secret.", schema: "TerminalSecret" } },
      refusals: { 404: NO_TERMINAL, 409: "The terminal is retired." },
    },
    "DELETE /operator/terminals/{terminalId}/binding": {
      operationId: "removeTerminalBinding",
      summary: "Unbind a terminal",
      description: "Takes the terminal from its account, and from that account's prebind list.",
      parameters: [terminalId],
      answers: { 200: { description: "The terminal is unbound.", schema: "Done" } },
      refusals: { 404: "There is no such terminal, or it is not bound, or no operator is set.", 409: RETIRED_OR_BUSY },
    },
  },
};
