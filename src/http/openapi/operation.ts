/**
 * A family of calls describes itself in a function `…Contract` of its file. Only the site's build calls it, so the
 * Worker's bundle has no descriptions. hono-openapi's `describeRoute` would keep them in the Worker: 26 KiB more,
 * compressed.
 */
import * as z from "zod";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../protocol/lengths.ts";
import { EVENT_EXAMPLES } from "../events/examples.ts";
import { TRANSACTION_NUMBER } from "../../protocol/transactions.ts";
import { type Component, type JsonSchema, schemasOf } from "../../contracts/json-schema.ts";
import type { OperatorRole } from "../../protocol/operator-roles.ts";
import {
  OTHER_TYPES,
  type Answer,
  type Example,
  type MediaType,
  type Method,
  type Operation,
  type Parameter,
  type Reference,
} from "./document.ts";
import { headers, HEADERS, REFUSAL_NAMES, type RefusalStatus } from "./refusals.ts";

export type Caller = "none" | "access" | "refresh" | "session" | "terminal" | "operator";

const SECURITY: Record<Caller, Record<string, string[]>[]> = {
  none: [],
  access: [{ accessToken: [] }],
  refresh: [{ refreshToken: [] }],
  session: [{ accessToken: [] }, { refreshToken: [] }],
  terminal: [{ terminalToken: [] }],
  operator: [{ operatorToken: [] }, { operatorAccess: [] }],
};

const USUAL: Record<Caller, RefusalStatus[]> = {
  none: [400, 405, 500],
  access: [400, 401, 403, 405, 429, 500],
  refresh: [400, 401, 403, 405, 429, 500],
  session: [400, 401, 403, 405, 429, 500],
  terminal: [400, 401, 405, 429, 500],
  operator: [400, 401, 403, 404, 405, 429, 500],
};

const USUAL_WORDS: Partial<Record<Caller, Refusals>> = {
  operator: {
    403: "Your role is not enough. Or only Cloudflare Access has signed this request in, and it may come from a page of another site.",
    404: "No operator is configured (`OPERATOR_TOKENS`, `ACCESS_TEAM`), so these paths do not exist.",
  },
};

/** Words, and the name of a schema. */
type Said = readonly [description: string, schema: string];

interface Shown {
  description: string;
  schema: string | JsonSchema;
  examples?: Record<string, Example>;
}

interface Described extends Shown {
  headers?: (keyof typeof HEADERS)[];
  /** By media type, which `Accept` selects. */
  otherTypes?: Record<string, MediaType>;
}

/** Of a status below 400; an `Answer` says everything itself. */
type GoodAnswer = Said | Described | Answer;

/** Of an error: its own words; true: the usual ones. */
type Refusals = Partial<Record<RefusalStatus, string | true | Answer>>;

interface OperationDetails {
  operationId: string;
  summary: string;
  description: string;
  /** Overrides the family's caller. */
  caller?: Caller;
  /** In addition to the path's parameters, which `IN_PATH` has. */
  parameters?: Parameter[];
  body?: Said | (Shown & { optional?: true });
  /** By status. Errors that the caller always may get are added. */
  answers: Partial<Record<101 | 200 | 201 | 202, GoodAnswer>> & Refusals;
  /** The meaning of every other status. */
  otherwise?: string;
}

export interface Family {
  tag: string;
  caller: Caller;
  requests?: Record<string, Component>;
  responses?: Record<string, z.ZodType>;
  operations: Record<`${Uppercase<Method>} /${string}`, OperationDetails>;
}

/** @param role the one that an operator needs */
export function operation(
  { tag, caller: usual }: Family,
  path: string,
  particulars: OperationDetails,
  role?: OperatorRole,
): Operation {
  const { operationId, summary, description, caller = usual, body, answers: own } = particulars;
  const parameters = [...pathParameters(path), ...(particulars.parameters ?? [])];
  const always = Object.fromEntries(USUAL[caller].map((status) => [status, true as const]));
  const answers = Object.entries<GoodAnswer | string | true>({ ...always, ...USUAL_WORDS[caller], ...own });
  return {
    operationId,
    summary,
    description: role === undefined ? description : `${description} Needs the role \`${role}\`.`,
    tags: [tag],
    security: SECURITY[caller],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: {
      ...Object.fromEntries(answers.map(([status, answer]) => [status, wholeAnswer(status, answer)])),
      ...(particulars.otherwise === undefined ? {} : { default: { description: particulars.otherwise } }),
    },
  };
}

function requestBody(body: Said | (Shown & { optional?: true })): NonNullable<Operation["requestBody"]> {
  const { description, optional = false, ...shown } = "description" in body ? body : named(body);
  return { description, required: !optional, content: json(shown) };
}

function named([description, schema]: Said): Shown & { optional?: true } {
  return { description, schema };
}

function json({ schema, examples }: Omit<Shown, "description">): Record<string, MediaType> {
  return { "application/json": { schema: schemaOf(schema), ...(examples === undefined ? {} : { examples }) } };
}

function schemaOf(schema: string | JsonSchema): JsonSchema {
  return typeof schema === "string" ? { $ref: `#/components/schemas/${schema}` } : schema;
}

function wholeAnswer(status: string, answer: GoodAnswer | string | true): Answer | Reference {
  if (typeof answer !== "object") {
    const $ref = `#/components/responses/${REFUSAL_NAMES[Number(status) as RefusalStatus]}`;
    return answer === true ? { $ref } : { $ref, description: answer };
  }
  const shown = "description" in answer ? answer : named(answer);
  if (!("schema" in shown)) return shown;
  const { description, headers: further = [], otherTypes }: Described = shown;
  return {
    description,
    headers: headers(...further),
    content: json(shown),
    ...(otherTypes === undefined ? {} : { [OTHER_TYPES]: otherTypes }),
  };
}

/**
 * A list that is also available as CSV.
 *
 * @param csv an example, with its header
 */
export function listAnswer(description: string, schema: string, csv: string): Answer {
  return {
    description: `${description} With \`Accept: text/csv\`, it is CSV.`,
    headers: {
      ...headers(),
      Link: { $ref: "#/components/headers/Link", description: "With CSV, if there is a next page." },
    },
    content: { "application/json": { schema: schemaOf(schema) } },
    [OTHER_TYPES]: { "text/csv": { schema: { type: "string" }, example: csv } },
  };
}

/** `schema` replaces the validator's schema if that only describes a string. */
interface QueryNote {
  description: string;
  schema?: JsonSchema;
  examples?: unknown[];
}

export function queryParameters<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  notes: Record<keyof Shape & string, QueryNote>,
): Parameter[] {
  const query = schemasOf({ Query: { schema } }, "input")["Query"];
  return Object.entries<QueryNote>(notes).map(([name, { description, schema: instead, ...rest }]) => ({
    name,
    in: "query" as const,
    description,
    required: query?.required?.includes(name) ?? false,
    schema: withoutNull({ ...(instead ?? query?.properties?.[name]), ...rest }),
  }));
}

/** Parameters are strings and never null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const types = [schema.type].flat().filter((type) => type !== "null");
  const values = schema.enum === undefined ? {} : { enum: schema.enum.filter((value) => value !== null) };
  return types.length === 1 ? { ...schema, ...values, type: types[0] as string } : schema;
}

export function inPath(name: string, description: string, example: string, schema: JsonSchema = {}): Parameter {
  return {
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string", minLength: 1, ...schema, examples: [example] },
  };
}

const IN_PATH: Record<string, Parameter> = Object.fromEntries(
  [
    inPath("posId", "The account.", "POS-1001", { maxLength: POS_ID_LENGTH }),
    inPath("terminalId", "The terminal's unique id.", "T-1001", { maxLength: TERMINAL_ID_LENGTH }),
    inPath("merchantId", "The merchant.", "M-1001", { maxLength: MERCHANT_ID_LENGTH }),
    inPath("requestId", "The transaction's number.", "1000000042", { pattern: TRANSACTION_NUMBER.source }),
    inPath("webhookId", "The webhook.", "wh_1", { pattern: "^wh_[1-9][0-9]*$" }),
    inPath("id", "The event's id.", EVENT_EXAMPLES["transaction.completed"].id),
  ].map((parameter) => [parameter.name, parameter]),
);

function pathParameters(path: string): Parameter[] {
  return [...path.matchAll(/\{(\w+)\}/gu)].flatMap(([, name = ""]) => IN_PATH[name] ?? []);
}
