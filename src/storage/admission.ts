/**
 * The one D1 round trip on a transfer's way: account, session and terminal are read, and the reference is claimed for
 * the device (I1: a reference belongs to one device, so that the cashier who tries the terminal next door is stopped).
 */
import type { Channel } from "../protocol/accounts.ts";
import type { AccountStanding, SealedKeys } from "./accounts.ts";

export interface AdmissionQuestion {
  posId: string;
  sessionId: string;
  deviceId: string;
  /** The reference that has to be this device's, or null where the message means none. */
  referenceId: string | null;
  /** The reference is claimed for the device; otherwise it is only read who holds it. */
  claims: boolean;
  /** Whether the channels are needed for a verdict on `paymentChannel`. */
  channels: boolean;
}

/** What a verdict on `paymentChannel` needs of a channel. */
export type AdmittedChannel = Pick<Channel, "name" | "status" | "currency">;

/** An account as a transfer's session sees it, with its sealed signing keys. */
export type AdmittedAccount = Omit<AccountStanding, "name" | "createdAt"> & SealedKeys;

export interface Admission {
  account: AdmittedAccount | null;
  /** There is such a terminal, or was: what a retired one has done stays within reach of its account (I4). */
  terminalKnown: boolean;
  /** D1's copy of the binding names this account. The terminal's object has the last word; this one is for refusals. */
  terminalOwn: boolean;
  /** `held`: the message has claimed it. `elsewhere`: the reference belongs to another device. `none`: neither. */
  claim: "held" | "elsewhere" | "none";
  channels: AdmittedChannel[];
}

type AccountRow = AdmittedAccount & { terminalStatus: string | null; boundPosId: string | null };

const READ = `
  SELECT a.pos_id AS posId, a.merchant_id AS merchantId, a.currency, a.timezone, a.status,
    s.session_id AS sessionId, s.revoked_at AS sessionRevokedAt,
    a.signing_key AS signingKey, a.previous_signing_key AS previousSigningKey,
    a.previous_signing_key_until AS previousSigningKeyUntil, t.status AS terminalStatus, t.bound_pos_id AS boundPosId
  FROM accounts a
  LEFT JOIN sessions s ON s.session_id = ?2 AND s.pos_id = a.pos_id
  LEFT JOIN terminals t ON t.terminal_id = ?3
  WHERE a.pos_id = ?1`;

/**
 * Claims only for whoever will pass the checks on account, session and terminal. A row comes back when the reference is
 * this device's; every message that stands on the claim is counted. A retired terminal counts: an inquiry there may
 * still write down that a reference never arrived, and that has to hold everywhere (I2).
 */
const CLAIM = `
  INSERT INTO reference_claims (pos_id, reference_id, device_id, messages, claimed_at)
  SELECT a.pos_id, ?4, t.terminal_id, 1, ?5
  FROM accounts a
  JOIN sessions s ON s.session_id = ?2 AND s.pos_id = a.pos_id AND s.revoked_at IS NULL
  JOIN terminals t ON t.terminal_id = ?3
  WHERE a.pos_id = ?1 AND a.status = 'active'
  ON CONFLICT (pos_id, reference_id) DO UPDATE SET messages = messages + 1 WHERE device_id = excluded.device_id
  RETURNING device_id`;

const HOLDER = "SELECT device_id FROM reference_claims WHERE pos_id = ? AND reference_id = ?";

export async function admit(database: D1Database, question: AdmissionQuestion, now: number): Promise<Admission> {
  const { posId, sessionId, deviceId, referenceId, claims } = question;
  const statements = [database.prepare(READ).bind(posId, sessionId, deviceId)];
  if (referenceId !== null) {
    statements.push(
      claims
        ? database.prepare(CLAIM).bind(posId, sessionId, deviceId, referenceId, now)
        : database.prepare(HOLDER).bind(posId, referenceId),
    );
  }
  if (question.channels) statements.push(database.prepare("SELECT name, status, currency FROM channels ORDER BY name"));
  const results = await database.batch<Record<string, unknown>>(statements);
  const row = (results[0]?.results[0] ?? null) as AccountRow | null;
  const holder = referenceId === null ? null : (results[1]?.results[0]?.["device_id"] ?? null);
  const channels = question.channels ? (results.at(-1)?.results ?? []) : [];
  const { terminalStatus = null, boundPosId = null, ...account } = row ?? {};
  const mayClaim = row !== null && row.status === "active" && row.sessionId !== null && row.sessionRevokedAt === null;
  const terminalKnown = terminalStatus !== null;
  const claimOf = (): Admission["claim"] => {
    if (referenceId === null || !mayClaim || !terminalKnown) return "none";
    if (claims) return holder === null ? "elsewhere" : "held";
    return holder === null || holder === deviceId ? "none" : "elsewhere";
  };
  return {
    account: row === null ? null : (account as Admission["account"]),
    terminalKnown,
    terminalOwn: boundPosId === posId,
    claim: claimOf(),
    channels: channels.map((channel) => ({
      name: String(channel["name"]),
      status: channel["status"] === 1 ? 1 : 0,
      currency: JSON.parse(String(channel["currency"])) as string[],
    })),
  };
}

/** The device that a reference belongs to; asked only to say so in a refusal. */
export async function holderOf(database: D1Database, posId: string, referenceId: string): Promise<string | null> {
  return database.prepare(HOLDER).bind(posId, referenceId).first<string>("device_id");
}

/**
 * A message that was refused takes back its own claim, and no other: the row goes with the last message that stood on
 * it. Called at most once for a message, and never repeated when it fails: a claim too many refuses, one too few pays
 * twice (I1).
 */
export async function takeBackClaim(
  database: D1Database,
  posId: string,
  referenceId: string,
  deviceId: string,
): Promise<void> {
  const where = "pos_id = ? AND reference_id = ? AND device_id = ?";
  const bindings = [posId, referenceId, deviceId];
  await database.batch([
    database.prepare(`UPDATE reference_claims SET messages = messages - 1 WHERE ${where}`).bind(...bindings),
    database.prepare(`DELETE FROM reference_claims WHERE ${where} AND messages <= 0`).bind(...bindings),
  ]);
}
