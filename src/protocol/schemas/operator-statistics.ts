import * as z from "zod";
import { BUCKETS, type TimeName } from "../statistics.ts";
import type { TransactionType } from "../transfer-types.ts";
import { RESULT_LENGTHS } from "../lengths.ts";
import { countField, currency, stringField, object, posId, patternField, timeField, boundedField } from "./fields.ts";
import { pageSchema } from "./operator.ts";

const histogram = z.object({
  count: countField("All of them.", 125),
  within: object(
    "How many took at most so many milliseconds.",
    Object.fromEntries(BUCKETS.map((bound) => [`${bound}`, countField(`At most ${bound} ms.`, 118)])) as Record<
      `${(typeof BUCKETS)[number]}`,
      ReturnType<typeof countField>
    >,
  ),
});

const part = (description: string) => histogram.nullable().meta({ description: `${description} null: no value.` });

const times = {
  gateway: part("The gateway's own share: from the request's arrival until it is stored and sent, without the queue."),
  delivery: part("From sending until the terminal had accepted it."),
  customer: part("From then until the terminal's first result: the customer, and the terminal's host."),
} satisfies Record<TimeName, z.ZodType>;

const transactions = object("Completed transactions by status.", {
  "00": countField("Money moved.", 118),
  "11": countField("No money moved.", 7),
});

const approvalRate = z
  .number()
  .min(0)
  .max(1)
  .nullable()
  .meta({
    description:
      "The share of `00` in the transactions that are `00`, or `11` by the terminal's own result; null if there are none.",
    examples: [0.97],
  });

export const responseCodeCount = z.object({
  responseCode: boundedField(RESULT_LENGTHS.responseCode, "The terminal's own code, or one of the gateway's.", "51"),
  statusCode: z.enum(["00", "11"]).meta({ description: "The status of these transactions." }),
  count: countField("The number of transactions.", 3),
});

/** JavaScript adds up numbers of 15 digits and two decimals exactly. */
const NET = /^-?(?:0|[1-9][0-9]{0,13})\.[0-9]{2}$/;

const turnover = z.array(z.object({ currency, transAmt: patternField(NET, "May be negative.", "1204.50") })).meta({
  description:
    "By currency, the `transAmt` of sales and cashOuts that are `00`, minus that of voids, each when it completed.",
});

const members = {
  transactions,
  turnover,
  transTypes: object("The same by type.", {
    sale: countField("Sales.", 120),
    cashOut: countField("Cash outs.", 2),
    void: countField("Voids.", 3),
  } satisfies Record<TransactionType, z.ZodType>),
  responseCodes: z.array(responseCodeCount).meta({
    description: "The same by `responseCode`, the most frequent first. Rare ones are counted together as `(other)`.",
  }),
  approvalRate,
  ...times,
};

export const figures = z.object(members).meta({
  description: "What transactions add up to. Each counts once, in the hour (UTC) in which it completed.",
});

export const hourFigures = object("What the transactions of an hour add up to.", {
  hour: timeField("The beginning of the hour.", "UTC"),
  transactions,
  turnover,
  approvalRate,
  ...times,
});

const ONLY = (by: string) => `Only with \`by=${by}\`, else null.`;

export const statisticsRow = object("Figures of an hour, a day, an account or a `responseCode`.", {
  timezone: stringField(
    "The IANA time zone of hour and day: the account's; of several accounts, `UTC`.",
    "Asia/Kuala_Lumpur",
  ),
  hour: timeField(`The beginning of the hour. ${ONLY("hour")}`).nullable(),
  day: patternField(/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/, `The day. ${ONLY("day")}`, "2026-11-20").nullable(),
  posId: posId.nullable().meta({ description: `The account. ${ONLY("account")}` }),
  responseCode: boundedField(RESULT_LENGTHS.responseCode, ONLY("responseCode"), "51").nullable(),
  ...members,
});

export const statisticsPage = pageSchema(
  statisticsRow,
  "Hours and days newest first; accounts by their posIds; response codes most frequent first.",
);

export type StatisticsPage = z.infer<typeof statisticsPage>;
export type Histogram = z.infer<typeof histogram>;
export type Figures = z.infer<typeof figures>;
/** Null if no transaction has such a time. */
export type Times = Pick<Figures, TimeName>;
export type ResponseCodeCount = z.infer<typeof responseCodeCount>;
export type HourFigures = z.infer<typeof hourFigures>;
export type StatisticsRow = z.infer<typeof statisticsRow>;
