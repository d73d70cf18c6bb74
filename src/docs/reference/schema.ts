/** JSON Schemas (draft 2020-12) of the contracts as Markdown tables. */
import { markdownTable } from "../build/text.ts";

/** The keywords that readers are shown. */
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
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

export type ResolveReference = <Target extends object>(value: Target | { $ref: string }) => Target;

/** Follows JSON pointers within `document`; members next to a reference override those of its target. */
export function createResolver(document: object): ResolveReference {
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

/** One table of all fields, and a table for each kind of a schema that has several. */
export function schemaTables(given: Schema, resolve: ResolveReference): string {
  const schema = resolve<Schema>(given);
  const { title, properties, oneOf, items } = schema;
  if (oneOf !== undefined && properties === undefined) {
    const kinds = oneOf.map((kind) => schemaTables({ title: titleOf(kind), ...kind }, resolve));
    return kinds.join("\n\n");
  }
  const rows = fieldRows(items === undefined ? schema : resolve<Schema>(items), resolve, "");
  const caption = title === undefined ? "" : `**${title}**\n\n`;
  if (rows.length === 0)
    return `${caption}${[typeWords(schema, resolve), rangeWords(schema)].filter(Boolean).join(", ")}.`;
  return caption + markdownTable(["Field", "Required", "Type", "Meaning"], rows);
}

/** `SaleRequest` is the sale. */
function titleOf({ $ref = "" }: Schema): string {
  return $ref.replace(/^.*\//u, "");
}

/** Fields within fields have dots in their names, those of a list's entries `[]`. */
function fieldRows(schema: Schema, resolve: ResolveReference, before: string): string[][] {
  const { properties = {}, required = [] } = schema;
  return Object.entries(properties).flatMap(([name, property]) => {
    const field = nonEmpty(property, resolve);
    const { description = "", examples = [], items } = field;
    const example = examples.length === 0 ? "" : ` Example: ${code(examples[0])}`;
    const type = [typeWords(field, resolve), rangeWords(field)].filter(Boolean).join("; ");
    const row = [`\`${before}${name}\``, required.includes(name) ? "yes" : "", type, description + example];
    const [inner, dots] = items === undefined ? [field, "."] : [nonEmpty(items, resolve), "[]."];
    return [row, ...fieldRows(inner, resolve, `${before}${name}${dots}`)];
  });
}

/** The schema that says something, of a field that may also be null or empty. */
function nonEmpty(given: Schema, resolve: ResolveReference): Schema {
  const { anyOf, ...schema } = resolve<Schema>(given);
  const [first] = anyOf ?? [];
  return first === undefined ? schema : { ...nonEmpty(first, resolve), ...schema };
}

export function typeWords(schema: Schema, resolve: ResolveReference): string {
  if (schema.const !== undefined) return `always ${code(schema.const)}`;
  if (schema.enum !== undefined) return schema.enum.map(code).join(", ");
  const types = [schema.type ?? "object"].flat();
  const { items } = schema;
  const words = types.map((type) =>
    type === "array" && items !== undefined ? `array of ${typeWords(nonEmpty(items, resolve), resolve)}` : type,
  );
  return words.join(" or ");
}

/** A longer pattern helps a reader less than the example next to it. */
const LONGEST_PATTERN = 24;

export function rangeWords({ minLength, maxLength, minimum, maximum, minItems, maxItems, ...schema }: Schema): string {
  const { pattern = "", format } = schema;
  const parts = [
    range(minLength, maxLength, "characters"),
    range(minimum, maximum, ""),
    range(minItems, maxItems, "entries"),
    format ?? "",
    pattern.startsWith("^[^\\u0000") || pattern.length > LONGEST_PATTERN || pattern === "" ? "" : `\`${pattern}\``,
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  if (least === undefined && (most === undefined || most >= Number.MAX_SAFE_INTEGER)) return "";
  if (least === most) return `${most} ${unit}`.trim();
  if (most === undefined || most >= Number.MAX_SAFE_INTEGER) return `at least ${least} ${unit}`.trim();
  return `${least === undefined || least === 0 ? "at most" : `${least} to`} ${most} ${unit}`.trim();
}

function code(value: unknown): string {
  return `\`${JSON.stringify(value)}\``;
}
