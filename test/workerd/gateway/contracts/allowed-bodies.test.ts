/** What the contract allows as a body, the gateway accepts: bodies drawn from the published schemas. */
import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { beforeAll, describe, it } from "vitest";
import type { JsonSchema } from "../../../../src/gateway/http/openapi/json-schema.ts";
import { openApi } from "../../../../src/gateway/http/openapi/openapi.ts";
import { call, operator, uniqueId } from "../../../support/gateway.ts";
import { type Members, Pos } from "../../../support/pos.ts";
import { setChannel } from "../../../support/scene.ts";

const { components } = openApi();
const ajv = new Ajv2020({ strict: false }).addSchema({ $id: "contract:", components });

/** Printable characters of one to four bytes: the words of the contract exclude others. */
const CHARACTER = fc.constantFrom(..."aZ09.-ä中😀");

function text({ pattern, maxLength = 100, allOf = [] }: JsonSchema): fc.Arbitrary<string> {
  const [first] = [pattern, ...(allOf as JsonSchema[]).map((one) => one.pattern)].filter((one) => one !== undefined);
  if (first === undefined) return fc.string({ unit: CHARACTER, minLength: 1, maxLength: maxLength as number });
  return fc.stringMatching(new RegExp(first, "u"));
}

/** Values of a schema's form; not every one is valid. */
function formed(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { $ref, properties, oneOf, anyOf = oneOf, type = "string", items } = schema;
  if ($ref !== undefined) return formed(components.schemas[$ref.split("/").at(-1) ?? ""] ?? {});
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => [name, formed(member)]);
    return fc.record(Object.fromEntries(members) as Record<string, fc.Arbitrary<unknown>>, {
      requiredKeys: schema.required ?? [],
    });
  }
  if (anyOf !== undefined) return fc.oneof(...(anyOf as JsonSchema[]).map(formed));
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (items !== undefined) return fc.array(formed(items as JsonSchema), { maxLength: 12 });
  const kinds = [type]
    .flat()
    .map((kind) => (kind === "integer" ? fc.integer({ min: 0, max: 9_999_999_999 }) : text(schema)));
  return fc.oneof(...kinds);
}

/** Bodies that a schema of the contract allows. */
function allowed(name: string): fc.Arbitrary<Members> {
  const isValid = ajv.compile({ $ref: `contract:#/components/schemas/${name}` });
  return (formed({ $ref: name }) as fc.Arbitrary<Members>).filter((body) => isValid(body));
}

let pos: Pos;

beforeAll(async () => {
  pos = await Pos.create();
  await setChannel("Boost", 1);
});

/** What must be this account's own, or of this moment. */
function owned(drawn: Members): Members {
  const { posId, merchantId, deviceId, datetime, apiVersion } = pos.body("sale");
  const own = { posId, merchantId, deviceId, datetime, apiVersion, referenceId: pos.reference() };
  const members = Object.fromEntries(Object.entries(own).filter(([name]) => name in drawn));
  const { signature: _, ...body }: Members = { ...drawn, ...members };
  const data = body["transData"] as Members | undefined;
  return data?.["paymentChannel"] === undefined ? body : { ...body, transData: { ...data, paymentChannel: "Boost" } };
}

/** An inquiry names one transaction: only the words say so. */
function isTwice({ transData }: Members): boolean {
  return (
    Object.keys((transData ?? {}) as Members).filter((name) => name === "transId" || name === "referenceId").length > 1
  );
}

describe("a body that the contract allows", () => {
  it.for(["Sale", "CashOut", "Void", "Inquiry", "GetLast"])("is accepted as a %sRequest", async (name, { expect }) => {
    await fc.assert(
      fc.asyncProperty(allowed(`${name}Request`), async (drawn) => {
        const { body } = await pos.transfer(owned(drawn));
        // Nothing is found under a number that nobody has, and an inquiry names one transaction, as the words say.
        expect(body.code === undefined || body.code === 40_004 || isTwice(drawn), JSON.stringify(body)).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it.for([
    ["CancelRequest", "/api/transfer/cancel"],
    ["PrebindRequest", "/api/prebind-terminals"],
  ] as const)("is accepted as a %s", async ([name, path], { expect }) => {
    await fc.assert(
      fc.asyncProperty(allowed(name), async (drawn) => {
        const signed = name === "CancelRequest" ? pos.sign(owned(drawn)) : owned(drawn);
        expect((await call("POST", path, { token: pos.token, body: signed })).status).toBe(200);
      }),
      { numRuns: 20 },
    );
  });

  it("is accepted as a NewTerminal", async ({ expect }) => {
    await fc.assert(
      fc.asyncProperty(allowed("NewTerminal"), async (drawn) => {
        const terminal = { ...drawn, terminalId: uniqueId("t") };
        expect((await operator("POST", "/operator/terminals", terminal)).status).toBe(201);
      }),
      { numRuns: 20 },
    );
  });
});
