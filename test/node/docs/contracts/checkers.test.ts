/** Both contracts pass widely used checkers. */
import { Parser } from "@asyncapi/parser";
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

async function diagnose(document: unknown): Promise<string[]> {
  const { diagnostics } = await new Parser().parse(JSON.stringify(document));
  // It asks for version 3.1.0, of which generators make nothing.
  const found = diagnostics.filter(({ code }) => code !== "asyncapi-latest-version");
  return found.map(({ code, message, path }) => `${code}: ${message} ${path.join("/")}`);
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
  it("has nothing that the AsyncAPI parser finds", async ({ expect }) => {
    expect(await diagnose(CONTRACTS["asyncapi.json"])).toEqual([]);
  });

  it("is really checked by it: a missing message is found", async ({ expect }) => {
    const document = asyncApi();
    document.operations["sendWelcome"]?.messages.push({ $ref: "#/channels/terminal/messages/Farewell" });
    expect(await diagnose(document)).not.toEqual([]);
  });
});
