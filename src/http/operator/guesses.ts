/**
 * Attempts to pass for an operator in the audit log: enough rows to notice them, too few to fill the database.
 */
import { BoundedMap } from "../../bounded-map.ts";
import { logError } from "../../log.ts";
import { auditIf } from "../../storage/audit.ts";
import { HOUR, MINUTE, SECOND } from "../../time/units.ts";
import { within } from "../../within.ts";

/** Limits for one address and for all together: an attacker with many addresses must not bury the other rows. */
const PER_ADDRESS = MINUTE;
const PER_HOUR = 20;

/** How long a refusal waits for its row. */
const NOTED_WITHIN = 5 * SECOND;

/** When this isolate last noted an address: further tries do not touch D1. */
const noted = new BoundedMap<string, number>(1_000);

/**
 * Writes a row unless this address has one within the last minute, or there are 20 within the last hour. Never fails:
 * the request is refused in any case.
 */
export async function noteGuess(db: D1Database, address: string, now: number): Promise<void> {
  if (now - (noted.get(address) ?? -Infinity) < PER_ADDRESS) return;
  noted.set(address, now);
  const action = "operator.refused";
  const condition = `NOT EXISTS (SELECT 1 FROM audit_log WHERE at > ? AND action = ? AND target = ?)
    AND (SELECT COUNT(*) FROM audit_log WHERE at > ? AND action = ?) < ?`;
  const values = [now - PER_ADDRESS, action, address, now - HOUR, action, PER_HOUR];
  try {
    const row = auditIf(db, { at: now, actor: "nobody", action, target: address, details: {} }, condition, values);
    await within(NOTED_WITHIN, row.run());
  } catch (error) {
    logError("a refused operator could not be audited", error);
  }
}
