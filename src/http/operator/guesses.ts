/**
 * Attempts to pass for an operator in the audit log: a row per address and hour, with how many there were at least. So a
 * flood from one address hides nobody else, and all together cannot fill the database.
 */
import { BoundedMap } from "../../bounds/bounded-map.ts";
import { logError } from "../../outcomes/log.ts";
import { countAttempts } from "../../storage/audit.ts";
import { HOUR, MINUTE, SECOND } from "../../time/units.ts";
import { within } from "../../bounds/within.ts";

/** How often this isolate writes what it has counted of an address. */
const WRITTEN_EVERY = MINUTE;
/** How many addresses get a row within an hour. */
const ADDRESSES_PER_HOUR = 200;

/** How long a refusal waits for its row. */
const NOTED_WITHIN = 5 * SECOND;

/** When this isolate last wrote an address's row, and the attempts since then. */
const counted = new BoundedMap<string, { writtenAt: number; attempts: number }>(1_000);

/** Counts an attempt, and writes the row if this is the address's first in a while. Never fails: the request is refused in any case. */
export async function noteGuess(db: D1Database, address: string, now: number): Promise<void> {
  const { writtenAt, attempts } = counted.get(address) ?? { writtenAt: -Infinity, attempts: 0 };
  const isWritten = now - writtenAt >= WRITTEN_EVERY;
  counted.set(address, isWritten ? { writtenAt: now, attempts: 0 } : { writtenAt, attempts: attempts + 1 });
  if (!isWritten) return;
  const action = "operator.refused";
  const hour = Math.floor(now / HOUR) * HOUR;
  const entry = { at: now, actor: "nobody", action, target: address, details: { attempts: 0 } } as const;
  try {
    const statements = countAttempts(db, entry, { since: hour, attempts: attempts + 1, atMost: ADDRESSES_PER_HOUR });
    await within(NOTED_WITHIN, db.batch(statements));
  } catch (error) {
    logError("a refused operator could not be audited", error);
  }
}
