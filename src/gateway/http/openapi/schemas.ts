/** The schemas of answers, by the names that the document gives them: those of their exports, capitalised. */
import * as z from "zod";
import * as accounts from "../../../protocol/schemas/accounts.ts";
import { ERRORS, problem } from "../../../protocol/schemas/errors.ts";
import * as events from "../../../protocol/schemas/events.ts";
import * as totals from "../../../protocol/schemas/totals.ts";
import * as transfers from "../../../protocol/schemas/transfers.ts";
import * as webhooks from "../../../protocol/schemas/webhooks.ts";
import * as overview from "../../../protocol/schemas/operator-overview.ts";
import * as operator from "../../../protocol/schemas/operator.ts";
import * as statistics from "../../../protocol/schemas/operator-statistics.ts";
import * as journals from "../../../protocol/schemas/operator-transactions.ts";
import * as transactions from "../../../protocol/schemas/transactions.ts";
import { EXAMPLES } from "./examples.ts";
import { capital } from "./json-schema.ts";

/** The base of both answers is none itself. */
const { transferAnswer: _base, ...answers } = transfers;

const EXPORTED = {
  ...accounts,
  ...answers,
  ...transactions,
  ...webhooks,
  ...totals,
  ...events,
  ...overview,
  ...statistics,
  ...operator,
  ...journals,
  problem,
};

type Schemas<Exports> = { [Name in keyof Exports as Exports[Name] extends z.ZodType ? Name : never]: Exports[Name] };

export type ResponseName = Capitalize<keyof Schemas<typeof EXPORTED>>;

/** Only objects have names; fields are written out where they stand. */
export function responseSchemas(): Record<string, z.ZodType> {
  const named = Object.entries(EXPORTED).flatMap(([name, schema]): [string, z.ZodType][] =>
    schema instanceof z.ZodObject || schema instanceof z.ZodDiscriminatedUnion ? [[capital(name), schema]] : [],
  );
  return {
    ...Object.fromEntries(named),
    TransactionResponse: withExample(transfers.transactionResponse, EXAMPLES.sale.answer),
    InquiryResponse: withExample(transfers.inquiryResponse, EXAMPLES.inquiry.answer),
    ...ERRORS,
  };
}

function withExample(schema: z.ZodType, example: object): z.ZodType {
  return schema.meta({ ...schema.meta(), examples: [example] });
}
