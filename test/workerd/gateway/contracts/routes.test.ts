/** Every route of the gateway is described, and published as it is. */
import { describe, it } from "vitest";
import { describeCall, describedCalls } from "../../../../src/gateway/http/middleware/describe.ts";
import { gatewayRoutes, openApi } from "../../../../src/gateway/http/openapi/openapi.ts";
import { call, OPERATOR_TOKEN } from "../../../support/gateway.ts";

/** Pages for people, beside the interface. */
const PAGES = ["GET /console/*", "GET /operator/console/*", "GET /docs/demo.json"];

describe("a route of the gateway", () => {
  it("is described, unless it is a page", ({ expect }) => {
    const routes = gatewayRoutes().map(({ method, path }) => `${method} ${path}`);
    expect([...describedCalls.keys(), ...PAGES].toSorted()).toEqual(routes.toSorted());
    expect(describedCalls.size).toBeGreaterThan(50);
  });

  it("has one description in the contract", ({ expect }) => {
    const [first = ""] = describedCalls.keys();
    const [method = "", path = ""] = first.split(" ");
    expect(() => describeCall({ routes: [{ method, path }] }, () => ({}) as never)).toThrow("described already");
  });
});

describe("the OpenAPI document", () => {
  it("has only paths that the gateway really answers", async ({ expect }) => {
    for (const [path, item] of Object.entries(openApi().paths)) {
      // No path has this method, so an existing path answers with the methods that it has.
      const { status, headers } = await call("PROPFIND", path.replaceAll(/\{\w+\}/gu, "none"), {
        token: OPERATOR_TOKEN,
      });
      expect([path, status]).toEqual([path, 405]);
      const methods = Object.keys(item).map((method) => method.toUpperCase());
      expect(headers.get("Allow")?.split(", ")).toEqual(expect.arrayContaining(methods));
    }
  });
});
