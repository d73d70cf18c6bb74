/** Which paths the `details` of a 400 may name: what was sent, and what the published contract requires beside it. */
import { maskCardNumbers } from "../../src/card-data/card-numbers.ts";
import type { JsonSchema } from "../../src/contracts/json-schema.ts";
import { pathTo } from "../../src/signing/json-structure.ts";
import { CONTRACT } from "./routes.ts";

const { components, paths } = CONTRACT;

/** What is required only beside other members or parameters, which the contract says in words. */
const REQUIRED_IN_WORDS = new Set([
  "POST /api/transfer transData.paymentChannel",
  "GET /operator/transactions transId",
  "GET /operator/transactions posId",
  "GET /operator/transactions referenceId",
]);

/**
 * The paths that a 400 names although they were neither sent nor are required.
 *
 * @param route method and path with the names of its parameters, as in `POST /api/webhooks/:webhookId/replay`
 * @param text the body as it was sent; empty without one
 */
export function strayPaths(route: string, query: string, text: string, details: readonly { path: string }[]): string[] {
  const [method = "", path = ""] = route.split(" ");
  const operation = paths[path.replaceAll(/:(\w+)/gu, "{$1}")]?.[method.toLowerCase() as "get"];
  const schema = operation?.requestBody?.content["application/json"]?.schema;
  const named = new Set(["", ...new URLSearchParams(query).keys()].map(maskCardNumbers));
  for (const { name } of operation?.parameters ?? []) if (path.includes(`:${name}`)) named.add(name);
  const body = parsed(text);
  addSent(body, "", named);
  if (schema !== undefined) addRequired(schema, body, "", named);
  return details
    .map((problem) => problem.path)
    .filter((name) => !named.has(name) && !REQUIRED_IN_WORDS.has(`${route} ${name}`));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function addSent(value: unknown, path: string, to: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    to.add(pathTo(path, name));
    addSent(member, pathTo(path, name), to);
  }
}

/** What one of the forms of a message requires, in the objects that were sent. */
function addRequired(schema: JsonSchema, sent: unknown, path: string, to: Set<string>): void {
  if (typeof sent !== "object" || sent === null) return;
  if (schema.$ref !== undefined) {
    const target = components.schemas[schema.$ref.split("/").at(-1) ?? ""];
    if (target !== undefined) addRequired(target, sent, path, to);
  }
  for (const name of schema.required ?? []) to.add(pathTo(path, name));
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    addRequired(member, (sent as Record<string, unknown>)[name], pathTo(path, name), to);
  }
  for (const keyword of ["oneOf", "anyOf", "allOf"]) {
    for (const form of (schema[keyword] ?? []) as JsonSchema[]) addRequired(form, sent, path, to);
  }
}
