import { describe, it } from "vitest";
import { z } from "zod";
import { identifier, textField } from "../../../../../src/gateway/http/validation/fields.ts";
import { validationProblems } from "../../../../../src/gateway/http/validation/problems.ts";

function words(length: number): string {
  return `Send 1 to ${length} letters, digits, '.', '_' or '-'.`;
}

describe("the problems of a message", () => {
  it("name each wrong field once, in order, with its basic mistake", ({ expect }) => {
    const schema = z.object({ posId: identifier(24), of: z.object({ deviceId: identifier(100), note: textField(3) }) });
    const { error } = schema.safeParse({ posId: [], of: { deviceId: "", note: "two\nlines" } });
    expect(validationProblems(error ?? { issues: [] })).toEqual([
      { path: "posId", message: words(24) },
      { path: "of.deviceId", message: `This field is required. ${words(100)}` },
      { path: "of.note", message: "Send a string of 1 to 3 characters." },
    ]);
  });

  it("are the first twenty", ({ expect }) => {
    const { error } = z.array(z.string()).safeParse(Array(30).fill(7));
    const paths = validationProblems(error ?? { issues: [] }).map(({ path }) => path);
    expect(paths).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  });
});
