/** What the operator's operations share. */
import { PAGE_ROWS } from "../../protocol/limits/messages.ts";
import { TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { inPath, queryParameters } from "../openapi/operation.ts";
import { numberedPageQuery, pageQuery } from "./pages.ts";

export const terminalId = inPath("terminalId", "The terminal.", "T-1001", { maxLength: TERMINAL_ID_LENGTH });

const limit = {
  description: `How many rows; ${PAGE_ROWS} where it is missing.`,
  schema: { type: "integer", minimum: 1, maximum: PAGE_ROWS },
  examples: [20],
};

export const pages = queryParameters(pageQuery, {
  cursor: { description: "`next` of the page before; missing for the first page.", examples: ["T-1001"] },
  limit,
});

export const numberedPages = queryParameters(numberedPageQuery, {
  cursor: { description: "`next` of the page before; missing for the newest.", examples: ["1000000042"] },
  limit,
});

export const NO_TERMINAL = "There is no such terminal, or no operator is set.";
export const RETIRED_OR_BUSY = "The terminal is retired, or has a transaction running.";
