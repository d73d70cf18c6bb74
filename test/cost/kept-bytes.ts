/** Bytes that one sale leaves in the objects while the journal is kept. */
import { ACCOUNT_MIGRATIONS } from "../../src/gateway/account/storage/schema.ts";
import { EVENT_BYTES, JOURNAL_BYTES } from "./sale.ts";

/** In the terminal's object: a row, its key once more in the index, and what SQLite needs to find them. */
export const JOURNAL_ROW_BYTES = JOURNAL_BYTES + 100;

/** What `recordedBytes` weighs, rounded up. */
export const RECORDED_BYTES = 1095;

/**
 * Bytes that an account's object keeps of one completed sale, as SQLite stores them: the claim of its reference, and its
 * event. A hundred thousand of them, weighed.
 */
export async function recordedBytes(): Promise<number> {
  const { memoryStorage } = await import("../support/memory-storage.ts");
  const sql = memoryStorage(ACCOUNT_MIGRATIONS);
  const size = (): number =>
    Number(sql.exec("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").one()["bytes"]);
  const empty = size();
  const rows = 100_000;
  // References as POS programs count them, of three terminals in turns.
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})`;
  sql.exec(`
    INSERT INTO claims (reference_id, device_id, admitted_at, request_id, revision, event, completed_at)
    ${numbers} SELECT printf('20261120-%08d', n), printf('term-%06d', n % 3), 1790000000000 + n, 1000000000 + n, 4, n,
      1790000015000 + n FROM numbers`);
  sql.exec(`
    INSERT INTO events (number, at, format, body, times)
    ${numbers} SELECT n, 1790000015000 + n, 1, printf('%.*c', ${EVENT_BYTES}, 'x'),
      '{"gateway":12,"delivery":120,"customer":15000}'
    FROM numbers`);
  return (size() - empty) / rows;
}
