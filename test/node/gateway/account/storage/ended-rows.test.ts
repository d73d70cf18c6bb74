/** Rows that end with time are found by an index: a signed login must not read those of every other login. */
import { describe, it } from "vitest";
import { ConflictingResults } from "../../../../../src/gateway/account/storage/claims.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import { UsedOnce } from "../../../../../src/gateway/account/storage/sessions.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

const DELETIONS: Record<string, (sql: SqlStorage) => void> = {
  used_logins: (sql) => new UsedOnce(sql, "used_logins", "signature").use("a", 2, 1),
  used_nonces: (sql) => new UsedOnce(sql, "used_nonces", "nonce").use("a", 2, 1),
  conflicting_results: (sql) => new ConflictingResults(sql).removeClosedBefore(1, 1),
};

describe("what has ended", () => {
  it.for(Object.entries(DELETIONS))("is deleted from %s without reading all rows", ([, run], { expect }) => {
    const sql = memoryStorage(ACCOUNT_MIGRATIONS);
    const plans: string[] = [];
    const exec = (query: string, ...values: unknown[]) => {
      const isDeletion = query.includes("DELETE");
      if (isDeletion)
        plans.push(
          ...sql
            .exec<{ detail: string }>(`EXPLAIN QUERY PLAN ${query}`, ...values)
            .toArray()
            .map(({ detail }) => detail),
        );
      return sql.exec(query, ...values);
    };
    run({ exec } as SqlStorage);
    expect(plans).toEqual(expect.arrayContaining([expect.stringMatching(/^SEARCH .* INDEX \w+_by_end/u)]));
    expect(plans).not.toEqual(expect.arrayContaining([expect.stringMatching(/^SCAN /u)]));
  });
});
