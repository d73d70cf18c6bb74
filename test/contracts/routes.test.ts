/** Every route is published, and every published route exists. */
import { describe, it } from "vitest";
import { FAMILIES, openApi } from "../../src/http/openapi/openapi.ts";
import { app } from "../../src/http/app.ts";
import { call, OPERATOR_TOKEN } from "../support/gateway.ts";

/** Pages for people, beside the interface. */
const PAGES = ["GET /console/*", "GET /operator/console/*", "GET /docs/demo.json"];

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

function routesOfTheGateway(): string[] {
  const routes = app.routes
    .filter(({ method }) => method !== "ALL")
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/gu, "{$1}")}`);
  return [...new Set(routes)].filter((route) => !PAGES.includes(route)).toSorted();
}

function routesOfTheDocument(): string[] {
  return Object.entries(openApi().paths)
    .flatMap(([path, item]) => METHODS.filter((method) => item[method]).map((method) => `${method} ${path}`))
    .map((route) => route.replace(/^\w+/u, (method) => method.toUpperCase()))
    .toSorted();
}

describe("the families of calls", () => {
  it("describe every route of the gateway once, and no other", ({ expect }) => {
    const described = FAMILIES.flatMap(({ operations }) => Object.keys(operations));
    expect(described.toSorted()).toEqual(routesOfTheGateway());
  });
});

describe("the OpenAPI document", () => {
  it("has every route of the gateway, and no other", ({ expect }) => {
    expect(routesOfTheDocument()).toEqual(routesOfTheGateway());
    expect(routesOfTheDocument().length).toBeGreaterThan(30);
  });

  it("has only paths that the gateway really answers: none of them is unknown", async ({ expect }) => {
    for (const route of routesOfTheDocument()) {
      const [, path = ""] = route.split(" ");
      const real = path.replaceAll(/\{\w+\}/gu, "none");
      // No path has this method, so an existing path answers with the methods that it has.
      const { status, headers } = await call("PROPFIND", real, { token: OPERATOR_TOKEN });
      expect([path, status]).toEqual([path, 405]);
      expect(headers.get("Allow")?.split(", ")).toContain(route.split(" ")[0]);
    }
  });
});
