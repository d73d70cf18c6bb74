import { describe, it } from "vitest";
import {
  bytesByPackage,
  fileProblems,
  packageProblems,
  vulnerabilityProblems,
} from "../../../src/tools/development/ships.ts";

describe("what ships", () => {
  it("is counted by package, scoped and nested ones too", ({ expect }) => {
    const inputs = {
      "src/gateway/index.ts": { bytesInOutput: 10 },
      "src/gateway/http/app.ts": { bytesInOutput: 5 },
      "node_modules/zod/v4/core/api.js": { bytesInOutput: 3 },
      "node_modules/@hono/zod-validator/dist/index.js": { bytesInOutput: 2 },
      "node_modules/hono/node_modules/evil/index.js": { bytesInOutput: 1 },
      "node_modules/left/index.js": { bytesInOutput: 0 },
    };
    expect([...bytesByPackage({ outputs: { "index.js": { inputs } } })]).toEqual([
      ["src", 15],
      ["zod", 3],
      ["@hono/zod-validator", 2],
      ["evil", 1],
    ]);
  });

  it("contains the packages that are named, and no others", ({ expect }) => {
    expect(packageProblems(["src", "zod", "hono"], ["hono", "zod"])).toEqual([]);
    expect(packageProblems(["src", "zod", "evil"], ["hono", "zod"])).toEqual([
      "The bundle contains evil, which must not ship. Remove the import, or add it to the dependencies.",
      "The bundle does not contain hono. Remove it from the dependencies.",
    ]);
  });

  it("contains no file that only the build needs", ({ expect }) => {
    const shipped = [
      "src/gateway/index.ts",
      "src/gateway/http/pos/transfer/messages.ts",
      "src/gateway/http/pos/sessions/session-calls.ts",
    ];
    const buildTime = [
      "src/docs/contracts/asyncapi.ts",
      "src/gateway/http/openapi/openapi.ts",
      "src/protocol/schemas/transactions.ts",
      "src/protocol/schemas/events.ts",
      "src/gateway/http/pos/webhooks/examples.ts",
    ];
    expect(fileProblems([...shipped, ...buildTime])).toEqual(
      buildTime.map((path) => `The bundle contains ${path}. Import only types from it.`),
    );
  });

  it("fails if a package is vulnerable, or the registry does not answer", ({ expect }) => {
    expect(vulnerabilityProblems([], undefined)).toEqual([]);
    expect(vulnerabilityProblems(["hono"], "optional")).toEqual([
      "The shipped package hono has a known vulnerability. Run npm audit.",
    ]);
    expect(vulnerabilityProblems(null, undefined)).toEqual([expect.stringContaining("does not answer")]);
    expect(vulnerabilityProblems(null, "optional")).toEqual([]);
  });
});
