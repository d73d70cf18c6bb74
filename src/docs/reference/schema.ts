/** JSON Schemas as tables: a row for every field, with its type, its limits, its words and an example. */
import { renderInline } from "../build/markdown.ts";
import { columnHead, escapeHtml } from "../build/html.ts";

/** Of JSON Schema (draft 2020-12) what contracts are made of; any other keyword is passed over. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** What a document's references mean. */
export type Resolve = <Target extends object>(value: Target | { $ref: string }) => Target;

/** Follows JSON pointers within `document`; what stands next to a reference wins over what it names. */
export function resolverOf(document: object): Resolve {
  return <Target extends object>(value: Target | { $ref: string }): Target => {
    let current: Record<string, unknown> = { ...(value as object) };
    while (typeof current["$ref"] === "string") {
      const { $ref, ...beside } = current;
      current = { ...pointed(document, $ref), ...beside };
    }
    return current as Target;
  };
}

function pointed(document: object, reference: unknown): object {
  let value: unknown = document;
  for (const part of String(reference).replace(/^#\//u, "").split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    value = (value as Record<string, unknown> | undefined)?.[name];
  }
  if (typeof value !== "object" || value === null) throw new Error(`The document has nothing at ${String(reference)}.`);
  return value;
}

/** The name of what a reference refers to. */
function refName(schema: { $ref?: string }): string | undefined {
  return schema.$ref?.split("/").at(-1);
}

/** Deeper than any message nests; a schema that holds itself ends here. */
const DEEPEST = 6;

interface Row {
  name: string;
  required: boolean;
  schema: Schema;
  depth: number;
}

/**
 * A schema's fields. Kinds of messages that exclude each other get a table each.
 *
 * @param words whether the schema's own description is shown; what stands around it may have said the same
 */
export function schemaHtml(schema: Schema, resolve: Resolve, words = true): string {
  const { description, ...silent } = merged(schema, resolve);
  const whole = words && description !== undefined ? { ...silent, description } : silent;
  const kinds = variants(whole, resolve);
  if (kinds.length > 1) {
    const parts = kinds.map((kind) => {
      const title = kind.title ?? refName(kind) ?? constantsOf(merged(kind, resolve), resolve);
      return `<details class="response"><summary><code>${escapeHtml(title)}</code></summary>${schemaHtml(kind, resolve)}</details>`;
    });
    return `${describe(whole)}<p>One of ${kinds.length}:</p>${parts.join("")}`;
  }
  const only = kinds[0] === undefined ? whole : merged(kinds[0], resolve);
  const rows = rowsOf(only, resolve, 0);
  if (rows.length === 0) return `<p>${typeWords(only, resolve)}. ${facts(only)}</p>`;
  return (
    `${describe(only)}<div class="table fields" role="group" aria-label="Fields" tabindex="0"><table>` +
    `<thead><tr>${["Field", "Type", "Meaning"].map(columnHead).join("")}</tr></thead><tbody>` +
    `${rows.map((row) => rowHtml(row, resolve)).join("")}</tbody></table></div>`
  );
}

function describe({ description }: Schema): string {
  return description === undefined ? "" : `<p>${renderInline(description)}</p>`;
}

function rowsOf(schema: Schema, resolve: Resolve, depth: number): Row[] {
  if (depth > DEEPEST) return [];
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const own = simple(merged(property, resolve), resolve);
    const row = { name, required: required.includes(name), schema: own, depth };
    return [
      row,
      ...rowsOf(own.items === undefined ? own : simple(merged(own.items, resolve), resolve), resolve, depth + 1),
    ];
  });
}

function rowHtml({ name, required, schema, depth }: Row, resolve: Resolve): string {
  const mandatory = required ? ' <span class="required">mandatory</span>' : "";
  const example = schema.examples?.[0];
  const words = [
    schema.description === undefined ? "" : renderInline(schema.description),
    example === undefined ? "" : `<span class="facts">Example: ${code(example)}</span>`,
  ];
  return (
    `<tr><td class="depth-${depth}"><code>${escapeHtml(name)}</code>${mandatory}</td>` +
    `<td>${typeWords(schema, resolve)}<br><span class="facts">${facts(schema)}</span></td>` +
    `<td>${words.filter((part) => part !== "").join("<br>")}</td></tr>`
  );
}

/** The whole of a schema: what it refers to, and every part that it is put together of. */
function merged(schema: Schema, resolve: Resolve): Schema {
  const { allOf = [], ...rest } = resolve<Schema>(schema);
  return allOf.reduce<Schema>((sum, part) => {
    const other = merged(part, resolve);
    return {
      ...other,
      ...sum,
      properties: { ...other.properties, ...sum.properties },
      required: [...(other.required ?? []), ...(sum.required ?? [])],
    };
  }, rest);
}

/** Kinds that exclude each other; next to fields of its own, alternatives are rules between these. */
function variants(schema: Schema, resolve: Resolve): Schema[] {
  if (schema.properties !== undefined) return [];
  return (schema.oneOf ?? schema.anyOf ?? []).filter((kind) => !saysNothing(merged(kind, resolve)));
}

/** Null, or a text that counts as missing: next to a kind that says something it needs no row of its own. */
function saysNothing(schema: Schema): boolean {
  const values = schema.enum ?? (schema.const === undefined ? null : [schema.const]);
  return schema.type === "null" || (values !== null && values.every((value) => value === null || value === ""));
}

/** A field of one kind, or of nothing: as that kind. */
function simple(schema: Schema, resolve: Resolve): Schema {
  const kinds = variants(schema, resolve);
  if (kinds.length !== 1 || kinds[0] === undefined) return schema;
  const { oneOf: _one, anyOf: _any, ...beside } = schema;
  return { ...merged(kinds[0], resolve), ...beside };
}

/** Where kinds have no names: what tells them apart. */
function constantsOf(schema: Schema, resolve: Resolve): string {
  const constants = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const { const: value } = merged(property, resolve);
    return value === undefined ? [] : [`${name} ${JSON.stringify(value)}`];
  });
  return constants.join(", ") || "object";
}

function typeWords(schema: Schema, resolve: Resolve): string {
  const kinds = variants(schema, resolve);
  if (kinds.length > 1)
    return [...new Set(kinds.map((kind) => typeWords(merged(kind, resolve), resolve)))].join(" or ");
  if (schema.const !== undefined) return `always ${code(schema.const)}`;
  if (schema.enum !== undefined)
    return schema.enum
      .filter((value) => value !== "")
      .map((value) => code(value))
      .join(", ");
  const types = [schema.type ?? (schema.properties === undefined ? "any" : "object")].flat();
  const words = types.map((type) => {
    if (type !== "array" || schema.items === undefined) return type;
    return `array of ${typeWords(simple(merged(schema.items, resolve), resolve), resolve)}`;
  });
  return words.join(" or ");
}

/** Lengths, ranges, patterns, as short as they can be read. */
function facts(schema: Schema): string {
  const { minLength, maxLength, minimum, maximum, minItems, maxItems, pattern, format } = schema;
  const parts = [
    range(minLength, maxLength, "characters"),
    range(minimum, maximum, ""),
    range(minItems, maxItems, "entries"),
    format === undefined ? "" : escapeHtml(format),
    pattern === undefined ? "" : patternWords(pattern),
    schema.default === undefined ? "" : `without it ${code(schema.default)}`,
  ];
  return parts.filter((part) => part !== "").join("; ");
}

/** Longer ones tell a reader less than the example next to them. */
const LONGEST_PATTERN = 24;

function patternWords(pattern: string): string {
  if (pattern.startsWith("^[^\\u0000-\\u0009")) return "no control characters but line feeds";
  if (pattern.startsWith("^[^\\u0000-")) return "no control characters";
  return pattern.length > LONGEST_PATTERN ? "" : code(pattern, false);
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && most === undefined) return "";
  const words =
    least === most
      ? `${most}`
      : most === undefined
        ? `at least ${least}`
        : `${least === undefined ? "at most " : `${least} to `}${most}`;
  return `${words} ${unit}`.trim();
}

function code(value: unknown, quoted = true): string {
  const text = quoted ? JSON.stringify(value) : String(value);
  return `<code>${escapeHtml(text)}</code>`;
}
