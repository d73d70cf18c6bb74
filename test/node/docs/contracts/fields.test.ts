/** Every field of both contracts has a description, a length or form, and an example. */
import { describe, it } from "vitest";
import { asyncApi } from "../../../../src/docs/contracts/asyncapi.ts";
import type { JsonSchema } from "../../../../src/gateway/http/openapi/json-schema.ts";
import { openApi } from "../../../../src/gateway/http/openapi/openapi.ts";

interface Field {
  /** The schema's name and the member's path in it: `SaleData.transAmt`. */
  at: string;
  schema: JsonSchema;
}

/** The members of a schema at any depth; what it refers to has a name of its own, and is looked at there. */
function fieldsOf(at: string, schema: JsonSchema): Field[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const field = { at: `${at}.${name}`, schema: member };
    return "$ref" in member ? [] : [field, ...fieldsOf(field.at, member)];
  });
  const inner = [schema["items"], ...(schema.anyOf ?? [])] as (JsonSchema | undefined)[];
  return [...members, ...inner.flatMap((part) => (part === undefined ? [] : fieldsOf(at, part)))];
}

const fields = [openApi(), asyncApi()].flatMap(({ components }) =>
  Object.entries(components.schemas).flatMap(([name, schema]) => fieldsOf(name, schema)),
);

function typesOf({ type }: JsonSchema): string[] {
  return [type].flat().filter((one) => one !== undefined);
}

/** An enumeration needs no length. */
function isChoice(schema: JsonSchema): boolean {
  return schema.enum !== undefined || schema.const !== undefined;
}

/** Sentences, tokens, what is only repeated, and names that others give: they have no longest length. */
const WITHOUT_LENGTH =
  /\.(?:token|message|title|detail|timezone|path|stage|actor|resolvedBy|target|kid|current)$|^Hello\.nonce$/u;

function namesOf(missing: (schema: JsonSchema) => boolean): string[] {
  return fields.filter(({ schema }) => missing(schema)).map(({ at }) => at);
}

describe("every field of the contracts", () => {
  it("is found, at any depth", ({ expect }) => {
    const names = fields.map(({ at }) => at);
    expect(names).toEqual(expect.arrayContaining(["Request.transData.note", "TokenPair.access.token"]));
    expect(names.length).toBeGreaterThan(250);
  });

  it("has a description", ({ expect }) => {
    const itself = /\.(?:type|data)$/u;
    expect(namesOf(({ description }) => description === undefined).filter((at) => !itself.test(at))).toEqual([]);
  });

  it("has a length or a form if it is text", ({ expect }) => {
    const unbound = namesOf(
      (schema) =>
        typesOf(schema).includes("string") &&
        !isChoice(schema) &&
        ["maxLength", "pattern", "format", "allOf"].every((keyword) => schema[keyword] === undefined),
    );
    expect(unbound.filter((at) => !WITHOUT_LENGTH.test(at))).toEqual([]);
  });

  it("has an example if it is a text or a number", ({ expect }) => {
    const bare = namesOf(
      (schema) =>
        typesOf(schema).some((type) => ["string", "integer"].includes(type)) &&
        !isChoice(schema) &&
        schema["examples"] === undefined,
    );
    expect(bare).toEqual([]);
  });
});
