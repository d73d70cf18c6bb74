/**
 * JSON Schemas (draft 2020-12) from the zod schemas that validate: what zod's own conversion cannot know is the
 * project's own kinds of fields, and the words about members, which are kept out of the Worker's bundle.
 */
import * as z from "zod";
import { takesNothing } from "../validation/fields.ts";

/** A JSON Schema, or a reference to one. Keywords are not listed: zod writes them, checkers judge them. */
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

/** What is said of a member beside what its schema judges: words, examples, and constraints that a later step judges; or a schema instead of what is only tolerated. */
export type Note = { description: string; [keyword: string]: unknown } | { $ref: string };

/** A schema that has a name of its own in a contract. */
export interface Component {
  schema: z.ZodType;
  /** Of the members of an object; those of an answer stand with their schema. */
  members?: Record<string, Note | JsonSchema>;
  /** Keywords of the whole: its description, rules between members, an example. */
  keywords?: JsonSchema;
}

/** A message that the service takes. Its members' words are complete by their type. */
export function taken<Shape extends z.core.$ZodShape>(
  schema: z.ZodObject<Shape>,
  members: Record<keyof Shape & string, Note>,
  keywords: JsonSchema,
): Component {
  return { schema, members, keywords };
}

/** A message that the service makes, whose words stand with its schema; `members` adds what does not. */
export function made(
  schema: z.ZodType,
  keywords: JsonSchema = {},
  members: Record<string, JsonSchema> = {},
): Component {
  return { schema, keywords, members };
}

/**
 * The schemas of `components` by their names, referring to each other where one holds another.
 *
 * @param io "input": what may be sent, before defaults and transformations; "output": what is answered.
 */
export function schemasOf(components: Record<string, Component>, io: "input" | "output"): Record<string, JsonSchema> {
  const names = z.registry<{ id: string }>();
  const byName = Object.entries(components);
  for (const [id, { schema }] of byName) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, {
    io,
    uri: (name) => `#/components/schemas/${name}`,
    override: ({ zodSchema, jsonSchema }) => mend(zodSchema, jsonSchema as JsonSchema),
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

function mend(zodSchema: z.core.$ZodType, schema: JsonSchema): void {
  // Answers may get further members with time, and requests may have any: both are ignored.
  if (schema["additionalProperties"] === false) delete schema["additionalProperties"];
  withoutWhatSaysNothing(schema);
  if (schema.type === "number" && Number.isSafeInteger(schema.const)) schema.type = "integer";
  flattenChoice(schema);
  if (takesNothing(zodSchema)) orNothing(schema);
  if (schema.enum !== undefined) schema.type = typesOf(schema.enum);
}

/** The types of a choice of values: one by its name, several as a list, in the order in which they come. */
function typesOf(values: unknown[]): string | string[] {
  const types = values.map((value) => (value === null ? "null" : typeof value === "number" ? "integer" : typeof value));
  const [first = "null", ...further] = new Set(types);
  return further.length === 0 ? first : [first, ...further];
}

/** Limits of JavaScript's integers, names of members that are texts as all names are, defaults of what was not said. */
function withoutWhatSaysNothing(schema: JsonSchema): void {
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
 * Writes a choice between types as one schema with several types, where no keyword of one applies to the other: that is
 * how people read it, and how code generators understand it.
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

/** Lets null and the empty text pass, too. */
function orNothing(schema: JsonSchema): void {
  if (schema.enum !== undefined || schema.type === "boolean") {
    const values = schema.enum ?? [true, false];
    schema.enum = [...values, null, ""];
    return;
  }
  const types = [schema.type].flat();
  const mayBeShort = schema["minLength"] === undefined || schema["minLength"] === 1;
  if (schema.$ref === undefined && types.includes("string") && mayBeShort) {
    schema.type = [...types, "null"].filter((type) => type !== undefined);
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

/** A schema whose pattern the empty text fits. */
function orEmpty(schema: JsonSchema): JsonSchema {
  const { pattern } = schema;
  return pattern === undefined || new RegExp(pattern).test("") ? schema : { ...schema, pattern: `^$|${pattern}` };
}
