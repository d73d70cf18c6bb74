/**
 * A call is declared once: its route has method, path and checks, and `describeCall` after it has the words. The checks
 * say what they demand (`markCheck`). The site's build makes `/openapi.json` of both, from the routes that the gateway
 * really has. The Worker never calls the functions with words, so they cost it nothing but their bytes.
 *
 * Why not a package: `hono-openapi` 1.3.3 and `@hono/zod-openapi` 1.6.3 put their whole generators and all schemas of
 * answers into the Worker and make all words when it loads; the latter also reads bodies itself, before the gateway's
 * strict reader.
 */
import type * as z from "zod";
import type { OperatorRole } from "../../../protocol/operator-roles.ts";
import type { Component } from "../openapi/json-schema.ts";
import type { Kit } from "../openapi/kit.ts";
import type { CallWords } from "../openapi/operation.ts";

/** The kind of token that a caller needs. `session`: an access token or a refresh token. */
export type Caller = "none" | "access" | "refresh" | "session" | "terminal" | "operator";

/** The demands of a route's check on a request. */
export interface CheckFacts {
  caller?: Caller;
  role?: OperatorRole;
  query?: z.ZodObject;
  path?: z.ZodType;
  body?: { schema: z.ZodType; optional: boolean };
}

const facts = new WeakMap<object, CheckFacts>();

/** Records what a check demands, and returns the check. */
export function markCheck<Check extends object>(check: Check, demanded: CheckFacts): Check {
  facts.set(check, demanded);
  return check;
}

/** @param handler of a route; one that is no check demands nothing */
export function checkFacts(handler: object): CheckFacts {
  return facts.get(handler) ?? {};
}

/** The words get what only the build has: signed examples, and the form of usual answers. */
export type WordsFrom<Described> = (kit: Kit) => Described;

/** The calls by method and path, as the router has them. */
export const describedCalls = new Map<string, WordsFrom<CallWords>>();

/** Functions that return the messages which callers send, by the names of their schemas. */
export const describedMessages: WordsFrom<Record<string, Component>>[] = [];

/** Describes the call that was added to `app` last. Throws if it is described already. */
export function describeCall(app: { routes: { method: string; path: string }[] }, words: WordsFrom<CallWords>): void {
  const { method, path } = app.routes.at(-1) ?? { method: "", path: "" };
  const call = `${method} ${path}`;
  if (describedCalls.has(call)) throw new Error(`${call} is described already. Describe each call after its route.`);
  describedCalls.set(call, words);
}

export function describeMessages(words: WordsFrom<Record<string, Component>>): void {
  describedMessages.push(words);
}
