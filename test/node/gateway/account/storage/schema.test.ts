/** The steps that objects have taken: an object that is asked to work with others refuses to (`migrate.ts`). */
import { describe, it } from "vitest";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

describe("the steps of an account's tables", () => {
  // If this fails, a step was renamed, moved or removed: objects that took it would not start. Add steps at the end.
  it("keep their places, names, and compatibility with older code", ({ expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    expect(sql.exec("SELECT id, additive FROM migrations ORDER BY position").toArray()).toEqual([
      { id: "0001_initial", additive: 0 },
    ]);
  });
});
