import { describe, it } from "vitest";
import { bytesByPackage, fileProblems, packageProblems } from "../../src/development/ships.ts";

describe("what ships", () => {
  it("is counted by package, scoped and nested ones too", ({ expect }) => {
    const inputs = {
      "src/index.ts": { bytesInOutput: 10 },
      "src/http/app.ts": { bytesInOutput: 5 },
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

  it("holds the packages that are named, and no others", ({ expect }) => {
    expect(packageProblems(["src", "zod", "hono"], ["hono", "zod"])).toEqual([]);
    expect(packageProblems(["src", "zod", "evil"], ["hono", "zod"])).toEqual([
      "The bundle holds evil, which is not meant to ship.",
      "The bundle does not hold hono: drop it.",
    ]);
  });

  it("holds no file that is for the build alone", ({ expect }) => {
    expect(fileProblems(["src/index.ts", "src/transfer/messages.ts", "src/http/messages/account.ts"])).toEqual([]);
    expect(fileProblems(["src/contracts/openapi.ts", "src/transfer/answers.ts"])).toEqual([
      "The bundle holds src/contracts/openapi.ts: let the Worker take only types from it.",
      "The bundle holds src/transfer/answers.ts: let the Worker take only types from it.",
    ]);
  });
});
