/** Finds the terminal of an activation code. Whether the code may be used, the terminal's object decides. */
import type { EpochMs } from "../../protocol/time/units.ts";
import type { Digests } from "./binding.ts";

interface NewActivationCode {
  terminalId: string;
  digest: string;
  kid: string;
  expiresAt: EpochMs;
}

/**
 * Adds a row that works once the terminal's object knows the code, and only while it is the terminal's newest. Two of 2^60
 * codes are never the same: the statement fails if they are.
 */
export async function insertActivationCode(db: D1Database, code: NewActivationCode): Promise<void> {
  await db
    .prepare("INSERT INTO activation_codes (digest, terminal_id, kid, expires_at) VALUES (?, ?, ?, ?)")
    .bind(code.digest, code.terminalId, code.kid, code.expiresAt)
    .run();
}

/** Returns null if no terminal has this code, or the code expired more than a day ago. */
export async function findTerminalByCode(db: D1Database, digests: Digests): Promise<string | null> {
  return db
    .prepare("SELECT terminal_id FROM activation_codes WHERE digest IN (SELECT value FROM json_each(?))")
    .bind(JSON.stringify(digests))
    .first<string>("terminal_id");
}
