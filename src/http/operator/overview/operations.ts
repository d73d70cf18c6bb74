import { responseSchema } from "../../../contracts/json-schema.ts";
import type { Family } from "../../openapi/operation.ts";
import { headers } from "../../openapi/refusals.ts";
import { figures } from "../statistics/responses.ts";
import * as responses from "./responses.ts";

const NO_OBJECT = "Reads only the database and wakes no object, so a page may call it every few seconds.";

export const overview: Family = {
  tag: "Operator",
  caller: "operator",
  responses: { Overview: responseSchema(responses.overview), Figures: responseSchema(figures) },
  operations: {
    "GET /operator/overview": {
      operationId: "getOverview",
      summary: "Read the overview",
      description:
        "What is broken now, how business is, and how fast it is. An account's first transactions after a quiet time are counted " +
        "at once, those of a busy account within ten minutes, and those of any other within two hours. What is `22` and the " +
        `webhooks that need attention are shown at once. ${NO_OBJECT}`,
      answers: { 200: { description: "The overview.", schema: "Overview" } },
    },
    "GET /operator/metrics": {
      operationId: "getMetrics",
      summary: "Read metrics",
      description: `The same as [OpenMetrics](https://prometheus.io/docs/specs/om/open_metrics_spec/) text, for a monitoring system. If the database does not answer, \`pos_gateway_d1_up\` is 0 and there is no other metric. ${NO_OBJECT}`,
      answers: {
        200: {
          description: "The metrics.",
          headers: headers(),
          content: {
            "application/openmetrics-text": {
              schema: { type: "string" },
              examples: {
                metrics: {
                  summary: "Some of the metrics",
                  value:
                    "# TYPE pos_gateway_terminals_offline gauge\n# HELP pos_gateway_terminals_offline Terminals that were " +
                    "connected before and are not now.\npos_gateway_terminals_offline 13\n# EOF\n",
                },
              },
            },
          },
        },
      },
    },
  },
};
