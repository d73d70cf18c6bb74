/** How the Worker reaches an account's object. */
import { describe, it } from "vitest";
import { accountStub } from "../../../../src/gateway/account/rpc.ts";

describe("an account's object", () => {
  it("is found by its posId, and created in the requested region", ({ expect }) => {
    const calls: unknown[][] = [];
    const getByName = (...given: unknown[]): object => {
      calls.push(given);
      return {};
    };
    const env = { ACCOUNT: { getByName } } as unknown as Env;
    accountStub(env, "pos-1");
    accountStub(env, "pos-1", "apac");
    expect(calls).toEqual([["pos-1"], ["pos-1", { locationHint: "apac" }]]);
  });
});
