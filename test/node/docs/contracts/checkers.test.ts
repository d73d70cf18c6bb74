/** Both contracts pass widely used checkers. */
import schemas from "@asyncapi/specs";
import { Ajv, type AnySchema } from "ajv";
import addFormats from "ajv-formats";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { describe, it } from "vitest";
import { asyncApi } from "../../../../src/docs/contracts/asyncapi.ts";
import { CONTRACTS } from "../../../../src/docs/contracts.ts";
import { openApi } from "../../../../src/gateway/http/openapi/openapi.ts";

/** What Redocly's recommended rules find. */
async function lint(document: unknown): Promise<string[]> {
  const config = await createConfig({ extends: ["recommended"] });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  return problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer ?? ""}`);
}

const ajv = new Ajv({ strict: false, allErrors: true, meta: false, validateSchema: false });
addFormats(ajv);
const validate = ajv.compile(schemas.schemas["3.0.0"] as AnySchema);

/** What AsyncAPI's own schema finds (https://github.com/asyncapi/spec-json-schemas), and references that lead nowhere. */
function diagnose(document: object): string[] {
  void validate(document);
  const found = (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]*)"/gu)].map(([, path = ""]) => path);
  const isMissing = (path: string): boolean =>
    path.split("/").reduce<unknown>((part, name) => Object(part)[name.replaceAll("~1", "/")], document) === undefined;
  return [...found, ...references.filter(isMissing).map((path) => `#/${path} is missing`)];
}

describe("the OpenAPI document", () => {
  it.for([
    ["whole", CONTRACTS["openapi.json"]],
    ["for a POS", CONTRACTS["openapi-pos.json"]],
    ["for a terminal", CONTRACTS["openapi-terminal.json"]],
  ] as const)("has nothing in %s that Redocly's recommended rules find", async ([, document], { expect }) => {
    expect(await lint(document)).toEqual([]);
  });

  it("is really checked by them, which find a mismatched example", async ({ expect }) => {
    const document = openApi();
    const examples = document.components.schemas["SaleRequest"]?.["examples"] as { posId: unknown }[] | undefined;
    examples?.push({ posId: 5 });
    expect(await lint(document)).not.toEqual([]);
  });
});

describe("the AsyncAPI document", () => {
  it("keeps AsyncAPI's schema, and its references lead somewhere", ({ expect }) => {
    expect(diagnose(CONTRACTS["asyncapi.json"])).toEqual([]);
  });

  it("is found wrong with a missing message or a wrong action", ({ expect }) => {
    const document = asyncApi();
    document.operations["sendWelcome"]?.messages.push({ $ref: "#/channels/terminal/messages/Farewell" });
    expect(diagnose(document)).toEqual(["#/channels/terminal/messages/Farewell is missing"]);
    const wrong = { ...asyncApi(), operations: { sendWelcome: { action: "shout" } } };
    expect(diagnose(wrong)).toContainEqual(expect.stringContaining("/operations/sendWelcome/action"));
  });
});
