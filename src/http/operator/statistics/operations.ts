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
        "What completed transactions add up to and, of the whole service, how long the parts of each took. Hours and days are " +
        "kept for 400 days. With `by=account` and without `posId`, only the last 62 days are known. With `by=responseCode` and " +
        "without `posId`, what is longer than two days is counted in whole days (UTC). Times of an account are not known. With " +
        "`terminalId` the figures are computed from that terminal's journal, of transactions that were received in this time; " +
        "`recording` is not known there. Groups without a transaction are missing; a page may be empty and still have a `next`.",
      parameters: queryParameters(statisticsQuery, {
        from: {
          description: "Only since then, in whole hours; default: the current hour and the 24 before.",
          ...INSTANT,
        },
        to: { description: "Only before then, in whole hours; default: until now.", ...INSTANT },
        by: {
          description:
            "How transactions are grouped; default: `hour`. Times of a `responseCode` or an account are not known.",
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
