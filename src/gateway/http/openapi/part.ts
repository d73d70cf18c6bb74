import type { PathItem } from "./document.ts";
import type { OpenApiDocument } from "./openapi.ts";

const SIDES = {
  pos: (tag: string) => !tag.startsWith("Operator") && tag !== "Terminal" && tag !== "Service",
  terminal: (tag: string) => tag === "Terminal",
};

export type Side = keyof typeof SIDES;

export function partFor(side: Side, document: OpenApiDocument) {
  const isOf = SIDES[side];
  const paths = ofTags(document.paths, isOf);
  const webhooks = ofTags(document.webhooks, isOf);
  const { schemas, responses, headers, securitySchemes } = document.components;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const schemes = new Set(operations.flatMap(({ security }) => security.flatMap((one) => Object.keys(one))));
  const used = references({ paths, webhooks }, document.components);
  const only = <Part>(kind: string, parts: Record<string, Part>): Record<string, Part> =>
    Object.fromEntries(Object.entries(parts).filter(([name]) => used.has(`${kind}/${name}`)));
  return {
    ...document,
    tags: document.tags.filter(({ name }) => isOf(name)),
    paths,
    webhooks,
    components: {
      schemas: only("schemas", schemas),
      responses: only("responses", responses),
      headers: only("headers", headers),
      securitySchemes: Object.fromEntries(Object.entries(securitySchemes).filter(([name]) => schemes.has(name))),
    },
  };
}

function ofTags(items: Record<string, PathItem>, isOf: (tag: string) => boolean): Record<string, PathItem> {
  const own = Object.entries(items).map(([path, item]): [string, PathItem] => [
    path,
    Object.fromEntries(Object.entries(item).filter(([, { tags }]) => tags.every(isOf))),
  ]);
  return Object.fromEntries(own.filter(([, item]) => Object.keys(item).length > 0));
}

/** Collects all references, even the indirect ones, such as `schemas/SaleRequest`. */
function references(
  value: unknown,
  components: OpenApiDocument["components"],
  found = new Set<string>(),
): ReadonlySet<string> {
  for (const [, kind = "", name = ""] of JSON.stringify(value).matchAll(/"#\/components\/(\w+)\/([^"/]+)"/gu)) {
    if (found.has(`${kind}/${name}`)) continue;
    found.add(`${kind}/${name}`);
    references(components[kind as "schemas"][name], components, found);
  }
  return found;
}
