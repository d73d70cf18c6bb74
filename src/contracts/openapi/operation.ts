/** One operation of the document, from what is particular to it. */
import * as z from "zod";
import type { JsonSchema } from "../json-schema.ts";
import { schemasOf } from "../json-schema.ts";
import type { Answer, Example, Method, Operation, Parameter, Reference } from "./document.ts";
import { headers, HEADERS, REFUSAL_NAMES, type RefusalStatus } from "./refusals.ts";

/** Who may call: `none` needs no token. */
export type Caller = "none" | "access" | "refresh" | "session" | "terminal" | "operator";

const SECURITY: Record<Caller, Record<string, string[]>[]> = {
  none: [],
  access: [{ accessToken: [] }],
  refresh: [{ refreshToken: [] }],
  session: [{ accessToken: [] }, { refreshToken: [] }],
  terminal: [{ terminalToken: [] }],
  operator: [{ operatorToken: [] }],
};

/** What can go wrong for every caller of a kind. */
const USUAL: Record<Caller, RefusalStatus[]> = {
  none: [400, 405, 500],
  access: [400, 401, 403, 405, 429, 500],
  refresh: [400, 401, 403, 405, 429, 500],
  session: [400, 401, 403, 405, 429, 500],
  terminal: [400, 401, 405, 429, 500],
  operator: [400, 401, 404, 405, 429, 500],
};

/** A good answer: of a schema's name, or whole. */
export type GoodAnswer =
  | {
      description: string;
      schema: string | JsonSchema;
      examples?: Record<string, Example>;
      headers?: (keyof typeof HEADERS)[];
    }
  | Answer;

export interface Particulars {
  method: Method;
  path: string;
  operationId: string;
  summary: string;
  description: string;
  tag: string;
  caller: Caller;
  parameters?: Parameter[];
  body?: {
    description: string;
    schema: string | JsonSchema;
    /** It may be missing. */
    optional?: true;
    examples?: Record<string, Example>;
  };
  answers: Record<number, GoodAnswer>;
  /** What any other status means. */
  otherwise?: string;
  /** Refusals beside those of its kind of caller; or the same with words, or examples, of their own. */
  refusals?: Partial<Record<RefusalStatus, string | true | Answer>>;
}

export function operation(particulars: Particulars): Operation {
  const { operationId, summary, description, tag, caller, parameters, body, answers, refusals = {} } = particulars;
  const statuses = [...new Set([...USUAL[caller], ...Object.keys(refusals).map(Number)])] as RefusalStatus[];
  return {
    operationId,
    summary,
    description,
    tags: [tag],
    security: SECURITY[caller],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.description,
            required: body.optional !== true,
            content: { "application/json": { schema: schemaOf(body.schema), ...exampled(body.examples) } },
          },
        }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, wholeAnswer(answer)])),
      ...Object.fromEntries(
        statuses.toSorted((one, other) => one - other).map((status) => [status, refused(status, refusals[status])]),
      ),
      ...(particulars.otherwise === undefined ? {} : { default: { description: particulars.otherwise } }),
    },
  };
}

function schemaOf(schema: string | JsonSchema): JsonSchema {
  return typeof schema === "string" ? { $ref: `#/components/schemas/${schema}` } : schema;
}

function exampled(examples: Record<string, Example> | undefined): { examples?: Record<string, Example> } {
  return examples === undefined ? {} : { examples };
}

function wholeAnswer(answer: GoodAnswer): Answer {
  if (!("schema" in answer)) return answer;
  return {
    description: answer.description,
    headers: headers(...(answer.headers ?? [])),
    content: { "application/json": { schema: schemaOf(answer.schema), ...exampled(answer.examples) } },
  };
}

function refused(status: RefusalStatus, words: string | true | Answer | undefined): Reference | Answer {
  if (typeof words === "object") return words;
  return {
    $ref: `#/components/responses/${REFUSAL_NAMES[status]}`,
    ...(typeof words === "string" ? { description: words } : {}),
  };
}

/** `schema`: what to send, where the schema that judges it only knows text. */
interface QueryNote {
  description: string;
  schema?: JsonSchema;
  examples?: unknown[];
}

/** The parameters of a query, from the schema that judges it. */
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

/** A parameter is text: it is never null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const types = [schema.type].flat().filter((type) => type !== "null");
  return types.length === 1 ? { ...schema, type: types[0] as string } : schema;
}

/** A parameter of the path. */
export function inPath(name: string, description: string, example: string, schema: JsonSchema = {}): Parameter {
  return {
    name,
    in: "path",
    required: true,
    description,
    schema: { type: "string", minLength: 1, ...schema, examples: [example] },
  };
}
