/** An operation of the document, of what a route demands and what its words say. */
import type * as z from "zod";
import { MERCHANT_ID_LENGTH, POS_ID_LENGTH, TERMINAL_ID_LENGTH } from "../../../protocol/lengths.ts";
import { EVENT_EXAMPLES } from "../../../protocol/schemas/event-examples.ts";
import { TRANSACTION_NUMBER } from "../../../protocol/transactions.ts";
import { type JsonSchema, buildSchemas } from "./json-schema.ts";
import type { Caller, CheckFacts } from "../middleware/describe.ts";
import {
  OTHER_TYPES,
  type OpenApiResponse,
  type Example,
  type MediaType,
  type OpenApiOperation,
  type Parameter,
  type Reference,
} from "./document.ts";
import type { ResponseName } from "./schemas.ts";
import { headers, type HEADERS, REFUSAL_NAMES, type RefusalStatus } from "./refusals.ts";
import type { TagName } from "./tags.ts";

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
type Said = readonly [description: string, schema: ResponseName];

interface Shown {
  description: string;
  schema: string | JsonSchema;
  examples?: Record<string, Example>;
}

interface Described extends Shown {
  headers?: (keyof typeof HEADERS)[];
  /** The other answers by media type, which `Accept` selects. */
  otherTypes?: Record<string, MediaType>;
}

/** The answer of a status below 400; an `Answer` is complete by itself. */
type GoodAnswer = Said | Described | OpenApiResponse;

/** The answers of errors: their own words, or true for the usual ones. */
type Refusals = Partial<Record<RefusalStatus, string | true | OpenApiResponse>>;

/** `schema` replaces the check's schema if that only describes a text. */
interface QueryNote {
  description: string;
  schema?: JsonSchema;
  examples?: unknown[];
}

/** The properties of a call that its route and its checks lack. */
export interface CallWords {
  tag: TagName;
  operationId: string;
  summary: string;
  description: string;
  /** It has a note for each parameter that the route's check of the query accepts. */
  query?: Record<string, QueryNote>;
  headers?: Parameter[];
  /** Without a schema, it is that of the route's check. A handler that reads the body itself has none. */
  body?: string | (Omit<Shown, "schema"> & Partial<Pick<Shown, "schema">>);
  /** The answers by status. Errors that the caller always may get are added. */
  answers: Partial<Record<101 | 200 | 201 | 202, GoodAnswer>> & Refusals;
  /** The meaning of every other status. */
  otherwise?: string;
}

/**
 * @param path with the names of its parameters in braces
 * @param facts what all checks of the route demand
 * @param nameOf the name of a message's schema
 */
export function operation(
  path: string,
  facts: CheckFacts,
  words: CallWords,
  nameOf: (schema: z.ZodType) => string | undefined,
): OpenApiOperation {
  const { operationId, summary, description, tag, answers: own } = words;
  const { role, caller = "none" } = facts;
  const parameters = [...pathParameters(path, facts), ...queryParameters(facts, words), ...(words.headers ?? [])];
  const always = Object.fromEntries(USUAL[caller].map((status) => [status, true as const]));
  const answers = Object.entries<GoodAnswer | string | true>({ ...always, ...USUAL_WORDS[caller], ...own });
  return {
    operationId,
    summary,
    description: role === undefined ? description : `${description} Needs the role \`${role}\`.`,
    tags: [tag],
    security: SECURITY[caller],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(words.body === undefined ? {} : { requestBody: requestBody(words.body, facts, nameOf) }),
    responses: {
      ...Object.fromEntries(answers.map(([status, answer]) => [status, wholeAnswer(status, answer)])),
      ...(words.otherwise === undefined ? {} : { default: { description: words.otherwise } }),
    },
  };
}

function requestBody(
  body: NonNullable<CallWords["body"]>,
  { body: checked }: CheckFacts,
  nameOf: (schema: z.ZodType) => string | undefined,
): NonNullable<OpenApiOperation["requestBody"]> {
  const { description, ...rest } = typeof body === "string" ? { description: body } : body;
  const schema = rest.schema ?? (checked === undefined ? undefined : nameOf(checked.schema));
  if (schema === undefined) throw new Error(`${description}: describe the message of this body, or name its schema.`);
  const mayBeMissing = checked?.optional === true && checked.schema.safeParse({}).success;
  return { description, required: !mayBeMissing, content: json({ ...rest, schema }) };
}

function named([description, schema]: Said): Shown {
  return { description, schema };
}

function json({ schema, examples }: Omit<Shown, "description">): Record<string, MediaType> {
  return { "application/json": { schema: toSchema(schema), ...(examples === undefined ? {} : { examples }) } };
}

function toSchema(schema: string | JsonSchema): JsonSchema {
  return typeof schema === "string" ? { $ref: `#/components/schemas/${schema}` } : schema;
}

function wholeAnswer(status: string, answer: GoodAnswer | string | true): OpenApiResponse | Reference {
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
export function listAnswer(description: string, schema: ResponseName, csv: string): OpenApiResponse {
  return {
    description: `${description} With \`Accept: text/csv\`, it is CSV.`,
    headers: {
      ...headers(),
      Link: { $ref: "#/components/headers/Link", description: "With CSV, if there is a next page." },
    },
    content: { "application/json": { schema: toSchema(schema) } },
    [OTHER_TYPES]: { "text/csv": { schema: { type: "string" }, example: csv } },
  };
}

function queryParameters({ query: schema }: CheckFacts, { operationId, query: notes = {} }: CallWords): Parameter[] {
  const names = Object.keys(schema?.shape ?? {});
  const problem =
    names.find((name) => notes[name] === undefined) ?? Object.keys(notes).find((name) => !names.includes(name));
  if (problem !== undefined)
    throw new Error(`${operationId}: describe exactly the parameters that its check accepts: ${problem}`);
  const query = schema === undefined ? {} : buildSchemas({ Query: schema }, "input")["Query"];
  return Object.entries(notes).map(([name, { description, schema: instead, ...rest }]) => ({
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

function inPath(name: string, description: string, example: string, schema: JsonSchema = {}): Parameter {
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
    inPath("name", "The channel's name, percent-encoded.", "Touch 'n Go"),
  ].map((parameter) => [parameter.name, parameter]),
);

/** A name that the route's check describes exactly has its schema. */
function pathParameters(path: string, { path: check }: CheckFacts): Parameter[] {
  const checked = check === undefined ? {} : (buildSchemas({ Path: check }, "input")["Path"]?.properties ?? {});
  return [...path.matchAll(/\{(\w+)\}/gu)].flatMap(([, name = ""]) => {
    const parameter = IN_PATH[name];
    if (parameter === undefined) throw new Error(`${path}: describe {${name}} among the parameters in paths.`);
    const own = name === "name" ? checked[name] : {};
    return { ...parameter, schema: { ...parameter.schema, ...own } };
  });
}
