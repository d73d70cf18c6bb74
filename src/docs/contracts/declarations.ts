/**
 * The types of `src/protocol/schemas` as TypeScript declarations, for the package payment-terminal-client, which does
 * not have zod. Its build puts them in the place of the schemas (`src/tools/development/build.mjs`).
 */
import * as z from "zod";
import * as accounts from "../../protocol/schemas/accounts.ts";
import * as errors from "../../protocol/schemas/errors.ts";
import * as events from "../../protocol/schemas/events.ts";
import * as frames from "../../protocol/schemas/frames.ts";
import * as totals from "../../protocol/schemas/totals.ts";
import * as transfers from "../../protocol/schemas/transfers.ts";
import * as webhooks from "../../protocol/schemas/webhooks.ts";
import type { JsonSchema } from "../../gateway/http/openapi/json-schema.ts";

const MODULES: Record<string, object> = { accounts, errors, events, frames, totals, transfers, webhooks };

/**
 * Returns declarations by file. Each schema is declared as if it were a value of its type: `Infer` returns it
 * unchanged.
 */
export function declarationFiles(): Record<string, string> {
  const names = z.registry<{ id: string }>();
  for (const [module, exported] of Object.entries(MODULES)) {
    for (const [name, schema] of Object.entries(exported)) {
      if (schema instanceof z.ZodType) names.add(schema, { id: `import("./${module}.js").${name}` });
    }
  }
  const { schemas } = z.toJSONSchema(names, { uri: (id) => id });
  const files: Record<string, string> = { "infer.d.ts": "export type Infer<Schema> = Schema;\n" };
  for (const [id, schema] of Object.entries(schemas)) {
    const [, module = "", name = ""] = /^import\("\.\/(\w+)\.js"\)\.(\w+)$/u.exec(id) ?? [];
    const declaration = `export declare const ${name}: ${writeType(schema as JsonSchema)};\n`;
    files[`${module}.d.ts`] = (files[`${module}.d.ts`] ?? "") + declaration;
  }
  return files;
}

function writeType(schema: JsonSchema): string {
  const choices = schema.anyOf ?? (schema["oneOf"] as JsonSchema[] | undefined);
  if (schema.$ref !== undefined) return `typeof ${schema.$ref}`;
  if (choices !== undefined) return choices.map(writeType).join(" | ");
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  switch (schema.type) {
    case "integer":
      return "number";
    case "array":
      return `(${writeType(schema["items"] as JsonSchema)})[]`;
    case "object":
      return objectType(schema);
    default:
      return schema.type === undefined ? "unknown" : String(schema.type);
  }
}

function objectType({ properties = {}, required = [] }: JsonSchema): string {
  const members = Object.entries(properties).map(([name, member]) => {
    const words = member.description === undefined ? "" : `/** ${member.description} */\n`;
    const type = writeType(member);
    return `${words}${name}${required.includes(name) ? `: ${type}` : `?: ${type} | undefined`};\n`;
  });
  return `{\n${members.join("")}}`;
}
