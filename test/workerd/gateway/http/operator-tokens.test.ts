import { describe, it } from "vitest";
import { findOperator, readOperators } from "../../../../src/gateway/http/operator/tokens.ts";

const [ANNA, BEN] = ["a".repeat(24), "b+c".repeat(8)];

function namesOf(text: string | undefined): string[] | string {
  const read = readOperators(text);
  return read.ok ? read.value.map(({ name }) => name) : read.error;
}

describe("OPERATOR_TOKENS", () => {
  it.for([undefined, "", "  "])("may be %j, which means that there are no operators", (text, { expect }) => {
    expect(namesOf(text)).toEqual([]);
  });

  it("names each operator and its role, without the spaces around them", ({ expect }) => {
    const read = readOperators(` anna : ${ANNA} ,ben: viewer :${BEN}`);
    if (!read.ok) throw new Error(read.error);
    expect([ANNA, BEN, ` ${ANNA}`, ""].map((token) => findOperator(read.value, token))).toEqual([
      expect.objectContaining({ name: "anna", role: "admin" }),
      expect.objectContaining({ name: "ben", role: "viewer" }),
      null,
      null,
    ]);
  });

  it.for([
    [`anna:${ANNA},`, /Entry 2 must be name:role:token, or name:token for an admin/u],
    [ANNA, /Entry 1 must be name:role:token, or name:token for an admin/u],
    [`:${ANNA}`, /Entry 1 must be name:role:token, or name:token for an admin/u],
    [` :${ANNA}`, /Entry 1 must be name:role:token, or name:token for an admin/u],
    [`anna:owner:${ANNA}`, /Entry 1 must be .* A role is one of viewer, support, admin/u],
    [`anna:${ANNA}:${BEN}`, /Entry 1 must be .* A role is one of/u],
    [`anna::${ANNA}`, /Entry 1 must be .* A role is one of/u],
    ["anna:viewer:", /Entry 1 must be/u],
    ["anna:", /Entry 1 must be name:role:token, or name:token for an admin/u],
    [`anna:${ANNA},ben:${"b".repeat(23)}`, /Token 2 must have at least 24 characters/u],
    [`anna:${ANNA},anna:${BEN}`, /Entries 1 and 2 have the same name/u],
    [`anna:${ANNA},Anna:${BEN}`, /Entries 1 and 2 have the same name/u],
    [`ana\u0308:${ANNA},an\u00e4:${BEN}`, /Entries 1 and 2 have the same name/u],
    [`anna:${ANNA},ben:${ANNA}`, /Entries 1 and 2 have the same token/u],
  ] as const)("is refused as %s, and the error does not show a token", ([text, error], { expect }) => {
    expect(namesOf(text)).toMatch(error);
    for (const token of [ANNA, BEN]) expect(namesOf(text)).not.toContain(token);
  });
});
