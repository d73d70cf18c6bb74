/** The terminal's secret: sealed in SQL, decrypted in memory, never anywhere else (I6). */
import { readMasterKeys, type MasterKeys } from "../secrets/master-keys.ts";
import { seal, sealedUnder, unseal } from "../secrets/sealing.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { verifySignature, signatureOf } from "../../protocol/signing/signature.ts";
import type { SignatureVerdict, LoginVerdict } from "./rpc.ts";
import { log } from "../lib/log.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import { parseDatetime } from "../../protocol/time/datetime.ts";
import type { UsedLogins } from "./storage/stored-reports.ts";
import { MINUTE, type EpochMs } from "../../protocol/time/units.ts";
import { CLOCK_TOLERANCE } from "../../protocol/limits.ts";

/**
 * A used login is remembered this long after its `datetime`: the Worker that checks the `datetime` has another clock.
 */
export const LOGIN_MEMORY = CLOCK_TOLERANCE + MINUTE;

/** They take a few hundred kilobytes. A terminal at its rate limit makes a third of them. */
export const LOGINS_REMEMBERED = 1_000;

export class SecretStore {
  readonly #records: TerminalRecordStore;
  readonly #env: Env;
  /** The sealed text that was decrypted last. */
  #opened: { sealed: string; secret: string } | null = null;

  constructor(records: TerminalRecordStore, env: Env) {
    this.#records = records;
    this.#env = env;
  }

  /** Returns null if the terminal is not enrolled or retired, or the master key that sealed the secret is gone. */
  read(): string | null {
    const { record } = this.#records;
    if (record === null || record.sealedSecret === null) return null;
    if (this.#opened?.sealed === record.sealedSecret) return this.#opened.secret;
    const keys = this.#keys();
    if (keys === null) return null;
    const unsealed = unseal(keys, record.sealedSecret, "terminal-secret", record.terminalId);
    if (!unsealed.ok) {
      log("error", "terminal_secret_not_decrypted", { terminal: record.terminalId, detail: unsealed.error });
      return null;
    }
    this.#opened = { sealed: record.sealedSecret, secret: unsealed.value };
    return unsealed.value;
  }

  verify(message: JsonObject): SignatureVerdict {
    const secret = this.read();
    const { record } = this.#records;
    if (secret === null || record === null || !verifySignature(message, secret)) return { kind: "refused" };
    return { kind: "accepted", secretVersion: record.secretVersion };
  }

  /** Seals the secret with the current master key if an older one seals it. Returns the kid. */
  reseal(): string | null {
    const secret = this.read();
    const { record } = this.#records;
    const keys = this.#keys();
    if (secret === null || record === null || record.sealedSecret === null || keys === null) return null;
    if (sealedUnder(record.sealedSecret) !== keys.current.kid) {
      this.#records.update({ sealedSecret: seal(keys, secret, "terminal-secret", record.terminalId) });
    }
    return keys.current.kid;
  }

  #keys(): MasterKeys | null {
    const read = readMasterKeys(this.#env.MASTER_KEYS);
    if (read.ok) return read.value;
    log("error", "master_keys_rejected", { detail: read.error });
    return null;
  }
}

interface LoginParts {
  secretStore: SecretStore;
  usedLogins: UsedLogins;
  records: Pick<TerminalRecordStore, "record">;
}

/**
 * Verifies and remembers a login in one turn: of two equal logins that arrive together, one is accepted, and a recorded
 * login is worthless. It is remembered while its `datetime` is acceptable, and a little longer, because the Worker that
 * checks the `datetime` has another clock.
 */
export function takeLogin(
  { secretStore, usedLogins, records }: LoginParts,
  message: JsonObject,
  now: EpochMs,
): LoginVerdict {
  const { record } = records;
  if (record === null) return { kind: "unknown" };
  if (record.sealedSecret === null) return { kind: "retired" };
  const verdict = secretStore.verify(message);
  if (verdict.kind === "refused") return verdict;
  const { datetime } = message;
  const signature = signatureOf(message);
  const signedAt = typeof datetime === "string" ? parseDatetime(datetime) : null;
  if (signedAt === null || signature === null) return { kind: "refused" };
  const oldest = now - LOGIN_MEMORY;
  // Older logins may have been deleted.
  if (signedAt < oldest) return { kind: "used" };
  usedLogins.forgetBefore(oldest);
  // Upper and lower case hexadecimal are the same signature.
  const name = signature.toLowerCase();
  if (usedLogins.has(name)) return { kind: "used" };
  if (usedLogins.count >= LOGINS_REMEMBERED) return { kind: "too-many" };
  usedLogins.add(name, signedAt);
  return { ...verdict, awaitsBinding: record.binding === null && record.assignedMerchantId !== null };
}
