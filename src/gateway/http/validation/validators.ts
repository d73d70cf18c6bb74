/**
 * Validates one part of a request with zod. Middleware runs in the order in which a route lists it: that is the order
 * of the checks.
 */
import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import * as z from "zod";
import type { Result } from "../../../protocol/result.ts";
import type { JsonObject } from "../../../protocol/signing/json.ts";
import { validationProblems } from "./problems.ts";
import type { AppEnvironment } from "../middleware/context.ts";
import { markCheck } from "../middleware/describe.ts";
import { invalid, refuse, type Refusal } from "../middleware/errors.ts";
import { readJsonObject, readOptionalJsonObject } from "./json-body.ts";

type Issue = z.core.$ZodIssue;

type Verdict = { data: unknown } & ({ success: true } | { success: false; error: z.core.$ZodError });

function validated<Schema extends z.ZodType, Target extends "json" | "query" | "param">(
  target: Target,
  schema: Schema,
  refusalOf: (error: z.core.$ZodError, data: unknown) => Refusal,
) {
  const answer = (verdict: Verdict, c: Context<AppEnvironment>): Response | undefined =>
    verdict.success ? undefined : refuse(c, refusalOf(verdict.error, verdict.data));
  return zValidator<Schema, Target, AppEnvironment, string, typeof answer>(target, schema, answer);
}

const problemsWith = (error: z.core.$ZodError): Refusal => invalid(validationProblems(error));

export function body<Schema extends z.ZodType>(schema: Schema) {
  return strictBody(schema, (c) => readJsonObject(c));
}

/**
 * The numbers must be plain: every language writes them alike. `c.req.json()` returns the message as sent, with unknown
 * members: the signature covers all of it.
 */
export function signedBody<Schema extends z.ZodType>(schema: Schema) {
  return strictBody(schema, (c) => readJsonObject(c, "plain"));
}

/** Like `body`, for calls that need none: an empty body counts as `{}`. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return strictBody(schema, (c) => readOptionalJsonObject(c), true);
}

/** Like `optionalBody`, for calls that may be signed: the numbers of a signed one must be plain. */
export function signableBody<Schema extends z.ZodType>(schema: Schema, isSigned: (body: JsonObject) => boolean) {
  return strictBody(schema, (c) => readOptionalJsonObject(c, isSigned), true);
}

function strictBody<Schema extends z.ZodType>(
  schema: Schema,
  read: (c: Context<AppEnvironment>) => Promise<Result<JsonObject | null, Refusal>>,
  optional = false,
) {
  const validate = validated("json", schema, problemsWith);
  const middleware: typeof validate = async (c, next) => {
    const message = await read(c);
    if (!message.ok) return refuse(c, message.error);
    // zod-validator takes the body from here, so the strict reader stays the only parser.
    c.req.json = <T>() => Promise.resolve((message.value ?? {}) as T);
    return validate(c, next);
  };
  return markCheck(middleware, { body: { schema, optional } });
}

/**
 * Refuses unknown and repeated parameters: an ignored filter would answer a different question. Every route of the
 * interface uses this after its authentication.
 */
export function query<Shape extends z.core.$ZodShape>(schema: z.ZodObject<Shape>) {
  const names = Object.keys(schema.shape);
  const known = names.length === 0 ? "This call has no query parameters." : `Use: ${names.join(", ")}.`;
  return validateQuery(schema.strict(), `Unknown query parameter. ${known}`);
}

/** @param unknown the message about a parameter that the schema does not accept */
function validateQuery<Shape extends z.core.$ZodShape>(schema: z.ZodObject<Shape>, unknown: string) {
  const validate = validated("query", schema, ({ issues }, data) => {
    const repeats = ({ path: [name] }: Issue): boolean =>
      Array.isArray((data as Record<PropertyKey, unknown>)[name ?? ""]);
    const clear = (issue: Issue): Issue[] => {
      if (issue.code === "unrecognized_keys") {
        // Without the names: they are a stranger's, as many and as long as a URL may be.
        return [{ ...issue, path: [], message: unknown }];
      }
      return [repeats(issue) ? { ...issue, message: "This query parameter is repeated. Send it once." } : issue];
    };
    return invalid(validationProblems({ issues: issues.flatMap(clear) }));
  });
  return markCheck(validate, { query: schema });
}

/**
 * Ignores unknown parameters, such as a cache buster (`?_=123`): for the interface's own reads, whose clients were
 * written before this gateway. A repeated one is refused.
 */
export function lenientQuery<Shape extends z.core.$ZodShape>(schema: z.ZodObject<Shape>) {
  return validateQuery(schema, "");
}

export const noQuery = query(z.object({}));

/** @param refusal the answer to a parameter that cannot be a name: the one for an unknown name. Without it, a 400. */
export function path<Schema extends z.ZodType>(schema: Schema, refusal?: Refusal) {
  return markCheck(
    validated("param", schema, (error) => refusal ?? problemsWith(error)),
    { path: schema },
  );
}
