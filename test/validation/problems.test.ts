import { describe, it } from "vitest";
import { z } from "zod";
import { identifier } from "../../src/validation/fields.ts";
import { problemsOf } from "../../src/validation/problems.ts";

describe("the problems of a message", () => {
  it("name each wrong field once, in the message's order", ({ expect }) => {
    const schema = z.object({ posId: identifier(24), deviceId: identifier(100) });
    const parsed = schema.safeParse({ posId: [], deviceId: "" });
    expect(parsed.success ? [] : problemsOf(parsed.error).map(({ path }) => path)).toEqual(["posId", "deviceId"]);
  });
});
