/**
 * JSON Schemas (draft 2020-12) from the validating zod schemas. Adds what zod cannot convert: the project's own kinds
 * of fields, and the descriptions, which stay out of the Worker's bundle.
 */
import * as z from "zod";
import { acceptsEmpty } from "../validation/fields.ts";

/** The keywords come from zod and are not listed. */
export interface JsonSchema {
  [keyword: string]: unknown;
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  const?: unknown;
  anyOf?: JsonSchema[];
  pattern?: string;
  description?: string;
}

/**
 * The properties of a field that its schema lacks: description, examples, constraints that a later step checks; or a
 * narrower schema than the one that validates.
 */
export type Note = { description: string; [keyword: string]: unknown } | { $ref: string };

export interface Component {
  schema: z.ZodType;
  /** The descriptions of an object's fields. Those of an answer are in its schema. */
  members?: Record<string, Note | JsonSchema>;
  /** Keywords of the whole schema: description, rules between fields, an example. */
  keywords?: JsonSchema;
}

/** Names of components begin with a capital. */
export function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Returns the usual note. */
export function withExamples(description: string, ...examples: unknown[]) {
  return { description, examples };
}

/** What a part of a message is, where zod alone cannot say it. */
export function fieldSchema(schema: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...fields } = z.toJSONSchema(schema);
  return fields as JsonSchema;
}

/** A message that the service accepts. The type requires a description for every field. */
export function requestSchema<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  members: Record<keyof Shape & string, Note>,
  keywords: JsonSchema,
): Component {
  return { schema, members, keywords };
}

/**
 * The schemas of `components` by name, with references to each other.
 *
 * @param io "input": what clients may send, before defaults and transformations; "output": what the service sends
 */
export function buildSchemas(
  components: Record<string, Component | z.ZodType>,
  io: "input" | "output",
): Record<string, JsonSchema> {
  const names = z.registry<{ id: string }>();
  const byName = Object.entries(components).map(([name, one]): [string, Component] => [
    name,
    one instanceof z.ZodType ? { schema: one } : one,
  ]);
  for (const [id, { schema }] of byName) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, {
    io,
    uri: (name) => `#/components/schemas/${name}`,
    override: ({ zodSchema, jsonSchema }) => fix(zodSchema, jsonSchema as JsonSchema),
  });
  return Object.fromEntries(
    byName.map(([name, component]) => {
      const { $schema: _dialect, $id: _id, ...schema } = schemas[name] as JsonSchema;
      return [name, withWords(schema, component)];
    }),
  );
}

function withWords(schema: JsonSchema, { members = {}, keywords }: Component): JsonSchema {
  const properties = { ...schema.properties };
  for (const [name, note] of Object.entries(members))
    properties[name] = "$ref" in note ? { ...note } : { ...properties[name], ...note };
  return { ...schema, ...(schema.properties === undefined ? {} : { properties }), ...keywords };
}

function fix(zodSchema: z.core.$ZodType, schema: JsonSchema): void {
  // Both sides ignore unknown members: answers may get new ones, requests may have any.
  if (schema["additionalProperties"] === false) delete schema["additionalProperties"];
  removeUninformativeKeywords(schema);
  if (schema.type === "number" && Number.isSafeInteger(schema.const)) schema.type = "integer";
  flattenChoice(schema);
  if (acceptsEmpty(zodSchema)) allowEmpty(schema);
  if (schema.enum !== undefined) schema.type = listTypes(schema.enum);
  typeBranches(schema);
}

/** Several patterns are in `allOf`. Generators make `unknown` of a branch without a type. */
function typeBranches(schema: JsonSchema): void {
  const { type } = schema;
  const branches = schema["allOf"] as JsonSchema[] | undefined;
  if (type !== undefined && branches !== undefined) schema["allOf"] = branches.map((branch) => ({ ...branch, type }));
}

/** Returns the types in the order of their appearance. */
function listTypes(values: unknown[]): string | string[] {
  const types = values.map((value) => (value === null ? "null" : typeof value === "number" ? "integer" : typeof value));
  const [first = "null", ...further] = new Set(types);
  return further.length === 0 ? first : [first, ...further];
}

function removeUninformativeKeywords(schema: JsonSchema): void {
  if (schema["minimum"] === Number.MIN_SAFE_INTEGER) delete schema["minimum"];
  if (schema["maximum"] === Number.MAX_SAFE_INTEGER) delete schema["maximum"];
  delete schema["propertyNames"];
  delete schema["default"];
  const { additionalProperties } = schema;
  if (typeof additionalProperties === "object" && additionalProperties !== null) {
    if (Object.keys(additionalProperties).length === 0) delete schema["additionalProperties"];
  }
}

/**
 * Writes a choice between types as one schema with several types if no keyword of one applies to the other: people and
 * code generators understand this form better.
 */
function flattenChoice(schema: JsonSchema): void {
  const { anyOf } = schema;
  if (anyOf === undefined || !anyOf.every((branch) => typeof branch.type === "string")) return;
  const types = anyOf.map(({ type }) => type as string);
  if (new Set(types).size !== types.length || anyOf.some((branch) => branch.const !== undefined)) return;
  if (anyOf.some((branch) => branch.enum !== undefined) && !types.includes("null")) return;
  delete schema.anyOf;
  Object.assign(schema, ...anyOf.toReversed(), { type: types });
  if (schema.enum !== undefined) schema.enum = [...schema.enum, null];
}

function allowEmpty(schema: JsonSchema): void {
  if (schema.enum !== undefined || schema.type === "boolean") {
    const values = schema.enum ?? [true, false];
    schema.enum = [...values, null, ""];
    return;
  }
  const types = [schema.type].flat();
  const mayBeShort = schema["minLength"] === undefined || schema["minLength"] === 1;
  if (schema.$ref === undefined && types.includes("string") && mayBeShort) {
    schema.type = [...new Set([...types, "null"])].filter((type) => type !== undefined);
    delete schema["minLength"];
    Object.assign(schema, orEmpty(schema));
    const all = schema["allOf"] as JsonSchema[] | undefined;
    if (all !== undefined) schema["allOf"] = all.map(orEmpty);
    return;
  }
  const inner = { ...schema };
  for (const keyword of Object.keys(schema)) delete schema[keyword];
  schema.anyOf = [inner, { enum: [null, ""] }];
}

function orEmpty(schema: JsonSchema): JsonSchema {
  const { pattern } = schema;
  return pattern === undefined || new RegExp(pattern).test("") ? schema : { ...schema, pattern: `^$|${pattern}` };
}
