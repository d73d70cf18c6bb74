/**
 * Middleware that validates one part of a request with zod, through @hono/zod-validator. Handlers read the outcome with
 * `c.req.valid("json" | "query" | "param")`. What does not fit is answered with the service's own 400, or with the
 * route's own refusal. Middleware runs in the order in which a route lists it: that is the order of the checks.
 */
import { zValidator } from "@hono/zod-validator";
import type { Context } from "hono";
import * as z from "zod";
import { maskCardNumbers } from "../../card-data/card-numbers.ts";
import type { Result } from "../../result.ts";
import type { JsonObject } from "../../signing/json.ts";
import { problemsOf } from "../../validation/problems.ts";
import type { AppEnvironment } from "../context.ts";
import { invalid, refuse, type Refusal } from "../errors.ts";
import { readJsonObject, readOptionalJsonObject } from "./json-body.ts";

type Issue = z.core.$ZodIssue;

/** What zod-validator says of the value that it judged. */
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

const problemsWith = (error: z.core.$ZodError): Refusal => invalid(problemsOf(error));

/** Validates the JSON body. */
export function body<Schema extends z.ZodType>(schema: Schema) {
  return strictBody(schema, (c) => readJsonObject(c));
}

/**
 * Validates a JSON body that is signed: its numbers are those that every language writes alike. `c.req.json()` returns the
 * message as it was sent afterwards, unknown members included: that is what the signature covers.
 */
export function signedBody<Schema extends z.ZodType>(schema: Schema) {
  return strictBody(schema, (c) => readJsonObject(c, "plain"));
}

/** Like `body`, for calls that need none: an empty body counts as `{}`. */
export function optionalBody<Schema extends z.ZodType>(schema: Schema) {
  return strictBody(schema, (c) => readOptionalJsonObject(c));
}

function strictBody<Schema extends z.ZodType>(
  schema: Schema,
  read: (c: Context<AppEnvironment>) => Promise<Result<JsonObject | null, Refusal>>,
) {
  const validate = validated("json", schema, problemsWith);
  const middleware: typeof validate = async (c, next) => {
    const message = await read(c);
    if (!message.ok) return refuse(c, message.error);
    // zod-validator takes the body from here, so the strict reader stays the only parser.
    c.req.json = <T>() => Promise.resolve((message.value ?? {}) as T);
    return validate(c, next);
  };
  return middleware;
}

/**
 * Validates the query. Parameters that `schema` does not list are refused, and so are repeated ones: a filter that is
 * ignored answers another question than the one that was asked. Every route of the interface has one of these, after
 * its authentication.
 */
export function query<Shape extends z.core.$ZodShape>(schema: z.ZodObject<Shape>) {
  const names = Object.keys(schema.shape);
  const known = names.length === 0 ? "This call takes none." : `Known: ${names.join(", ")}.`;
  const unknown = `There is no such query parameter here. ${known}`;
  return validated("query", schema.strict(), ({ issues }, data) => {
    const repeats = ({ path: [name] }: Issue): boolean =>
      Array.isArray((data as Record<PropertyKey, unknown>)[name ?? ""]);
    const clear = (issue: Issue): Issue[] => {
      if (issue.code === "unrecognized_keys") {
        return issue.keys.map((name) => ({ ...issue, path: [maskCardNumbers(name)], message: unknown }));
      }
      return [repeats(issue) ? { ...issue, message: "Send this query parameter once." } : issue];
    };
    return invalid(problemsOf({ issues: issues.flatMap(clear) }));
  });
}

/** For calls without query parameters. */
export const noQuery = query(z.object({}));

/**
 * Validates the parameters of the path.
 *
 * @param refusal the answer where one cannot be the name of anything: that of an unknown name. Without it, a 400.
 */
export function path<Schema extends z.ZodType>(schema: Schema, refusal?: Refusal) {
  return validated("param", schema, (error) => refusal ?? problemsWith(error));
}
