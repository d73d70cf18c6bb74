import { responseSchema } from "../../../contracts/json-schema.ts";
import { type Family, queryParameters } from "../../openapi/operation.ts";
import { INSTANT, PAGE_LIMIT } from "../operations.ts";
import { statisticsQuery } from "./requests.ts";
import * as responses from "./responses.ts";

export const statistics: Family = {
  tag: "Operator",
  caller: "operator",
  responses: {
    StatisticsRow: responseSchema(responses.statisticsRow),
    StatisticsPage: responseSchema(responses.statisticsPage),
    HourFigures: responseSchema(responses.hourFigures),
  },
  operations: {
    "GET /operator/statistics": {
      operationId: "getStatistics",
      summary: "Read statistics",
      description:
        "What completed transactions add up to, and how long the parts of each took. Hours are kept for 35 days, days for 400. " +
        "With `by=account` or `by=responseCode`, what is longer than two days is counted in whole days (UTC). With `terminalId` " +
        "they are computed from that terminal's journal, of transactions that were received in this time; `recording` is not " +
        "known there. Groups without a transaction are missing; a page may be empty and still have a `next`.",
      parameters: queryParameters(statisticsQuery, {
        from: {
          description: "Only since then, in whole hours; default: the current hour and the 24 before.",
          ...INSTANT,
        },
        to: { description: "Only before then, in whole hours; default: until now.", ...INSTANT },
        by: {
          description: "How transactions are grouped; default: `hour`. Times of a `responseCode` are not known.",
          examples: ["hour"],
        },
        posId: { description: "Only this account's.", examples: ["POS-1001"] },
        terminalId: { description: "Only this terminal's.", examples: ["T-1001"] },
        cursor: { description: "`next` of the previous page. Without it, the first page.", examples: ["POS-1001"] },
        limit: PAGE_LIMIT,
      }),
      answers: { 200: { description: "A page.", schema: "StatisticsPage" } },
      refusals: { 404: "There is no such terminal, or no operator is set." },
    },
  },
};
