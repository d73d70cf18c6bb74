/** Migrations of D1 run before the code that needs them, and stay when that code is rolled back. */
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "vitest";

const FOLDER = join(import.meta.dirname, "../../../migrations");

/** The statements of a migration, without comments. A trigger's body counts as part of its statement. */
function statementsOf(text: string): string[] {
  const plain = text.replaceAll(/--[^\n]*/gu, " ").replaceAll(/\s+/gu, " ");
  return (plain.match(/\s*CREATE TRIGGER .*?\bEND;|[^;]+;/giu) ?? []).map((statement) => statement.trim());
}

/** Why older code may fail after a statement; null if it is not affected. */
function problemOf(statement: string): string | null {
  if (/^CREATE (?:TABLE|INDEX|TRIGGER|VIEW) /iu.test(statement)) return null;
  // Fills a table that the same migration creates, or a new column.
  if (/^(?:INSERT|UPDATE) /iu.test(statement)) return null;
  const [, column] = /^ALTER TABLE \w+ ADD COLUMN (.+);$/iu.exec(statement) ?? [];
  if (column === undefined) return "only CREATE, ADD COLUMN, INSERT and UPDATE are additive";
  if (/NOT NULL/iu.test(column) && !/DEFAULT/iu.test(column)) return "older code inserts rows without this column";
  return null;
}

describe("a migration of D1", () => {
  const names = readdirSync(FOLDER).toSorted();

  it("has a number that follows the one before", ({ expect }) => {
    const numbers = names.map((name) => Number(/^(\d{4})_\w+\.sql$/u.exec(name)?.[1]));
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  // Before the first one there is no code to keep working.
  it.for(names.slice(1))("is additive, so that the previous code keeps working: %s", (name, { expect }) => {
    const statements = statementsOf(readFileSync(join(FOLDER, name), "utf8"));
    expect(statements.length).toBeGreaterThan(0);
    const problems = statements.flatMap((statement) => {
      const problem = problemOf(statement);
      return problem === null ? [] : [`${statement}: ${problem}`];
    });
    expect(problems).toEqual([]);
  });

  it.for([
    "DROP TABLE accounts;",
    "ALTER TABLE accounts DROP COLUMN name;",
    "ALTER TABLE accounts RENAME TO shops;",
    "ALTER TABLE accounts ADD COLUMN colour TEXT NOT NULL;",
    "DROP INDEX accounts_by_merchant;",
    "CREATE UNIQUE INDEX one_name ON accounts (name);",
    "DELETE FROM accounts;",
  ])("is detected as incompatible: %s", (statement, { expect }) => {
    expect(statementsOf(statement).map(problemOf)).toEqual([expect.any(String)]);
  });
});
