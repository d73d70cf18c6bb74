/** The terminal's secrets: sealed in SQL, decrypted in memory, never anywhere else (I6). */
import { readMasterKeys, type MasterKeys } from "../secrets/master-keys.ts";
import { seal, sealedUnder, unseal } from "../secrets/sealing.ts";
import type { JsonObject } from "../../protocol/signing/json.ts";
import { verifySignature, signatureOf } from "../../protocol/signing/signature.ts";
import type { SignatureVerdict, LoginVerdict } from "./rpc.ts";
import { BoundedMap } from "../lib/bounded-map.ts";
import { log } from "../lib/log.ts";
import type { PreviousSecret, TerminalRecord, TerminalRecordStore } from "./storage/record.ts";
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

/** A secret that is valid now. */
interface TerminalSecret {
  secret: string;
  /** Tokens and connections name the secret that they were made with by its version. */
  version: number;
  /** Since when only this one and later ones can have been used; 0 for the terminal's first. */
  changedAt: EpochMs;
}

interface SealedSecret extends Omit<TerminalSecret, "secret"> {
  sealed: string;
  kind: "terminal-secret" | "terminal-previous-secret";
}

/**
 * Returns the current secret and, while it is valid, the one that it replaced. Every turn begins by ending a replaced
 * secret whose time is over, so the record has none that is not valid.
 */
function sealedSecrets({
  sealedSecret,
  secretVersion,
  secretChangedAt,
  previousSecret,
}: TerminalRecord): SealedSecret[] {
  if (sealedSecret === null) return [];
  const current = { sealed: sealedSecret, version: secretVersion, changedAt: secretChangedAt };
  return [
    { ...current, kind: "terminal-secret" },
    ...(previousSecret === null ? [] : [{ ...previousSecret, kind: "terminal-previous-secret" as const }]),
  ];
}

export class SecretStore {
  readonly #records: TerminalRecordStore;
  readonly #env: Env;
  /** What was decrypted last, by the sealed text. */
  readonly #opened = new BoundedMap<string, string>(2);

  constructor(records: TerminalRecordStore, env: Env) {
    this.#records = records;
    this.#env = env;
  }

  /** Whether the terminal may use this version. Call this within a turn. */
  isValid(version: number): boolean {
    const { record } = this.#records;
    return record !== null && sealedSecrets(record).some((one) => one.version === version);
  }

  /** Returns null if no such version is valid, or the master key that sealed it is gone. Call this within a turn. */
  find(version: number): TerminalSecret | null {
    const { record } = this.#records;
    const sealed = record === null ? undefined : sealedSecrets(record).find((one) => one.version === version);
    return record === null || sealed === undefined ? null : this.#open(sealed, record.terminalId);
  }

  /** Any valid secret may have signed it. Call this within a turn. */
  verify(message: JsonObject): SignatureVerdict {
    const { record } = this.#records;
    for (const sealed of record === null ? [] : sealedSecrets(record)) {
      const opened = this.#open(sealed, record?.terminalId ?? "");
      if (opened !== null && verifySignature(message, opened.secret)) {
        return { kind: "accepted", secretVersion: opened.version };
      }
    }
    return { kind: "refused" };
  }

  /**
   * Returns what stays valid beside a new secret: the secret that the terminal has used last. A secret that was replaced
   * again before the terminal logged in with it was never that. Returns null if the master key that sealed it is gone.
   */
  keepPrevious(until: EpochMs): PreviousSecret | null {
    const { record } = this.#records;
    if (record === null) return null;
    if (record.previousSecret !== null) return { ...record.previousSecret, until };
    const [current, keys] = [this.find(record.secretVersion), this.#keys()];
    if (current === null || keys === null) return null;
    const { secret, version, changedAt } = current;
    return { sealed: seal(keys, secret, "terminal-previous-secret", record.terminalId), version, changedAt, until };
  }

  /** Seals the secrets with the current master key where an older one seals them. Returns the kid. */
  reseal(): string | null {
    const { record } = this.#records;
    const keys = this.#keys();
    if (record === null || record.sealedSecret === null || keys === null) return null;
    const { terminalId, previousSecret } = record;
    const { kid } = keys.current;
    for (const sealed of sealedSecrets(record).filter((one) => sealedUnder(one.sealed) !== kid)) {
      const opened = this.#open(sealed, terminalId);
      if (opened === null) return null;
      const resealed = seal(keys, opened.secret, sealed.kind, terminalId);
      if (sealed.kind === "terminal-secret") this.#records.update({ sealedSecret: resealed });
      else if (previousSecret !== null) {
        this.#records.update({ previousSecret: { ...previousSecret, sealed: resealed } });
      }
    }
    return this.find(record.secretVersion) === null ? null : kid;
  }

  #open({ sealed, kind, version, changedAt }: SealedSecret, terminalId: string): TerminalSecret | null {
    const known = this.#opened.get(sealed);
    if (known !== undefined) return { secret: known, version, changedAt };
    const keys = this.#keys();
    if (keys === null) return null;
    const unsealed = unseal(keys, sealed, kind, terminalId);
    if (!unsealed.ok) {
      log("error", "terminal_secret_not_decrypted", { terminal: terminalId, detail: unsealed.error });
      return null;
    }
    this.#opened.set(sealed, unsealed.value);
    return { secret: unsealed.value, version, changedAt };
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
  // Until the first login with a new secret, all were made with the one that it ends: nobody can repeat them any more.
  const endsPrevious = record.previousSecret !== null && verdict.secretVersion === record.secretVersion;
  usedLogins.forgetBefore(endsPrevious ? Infinity : oldest);
  // Upper and lower case hexadecimal are the same signature.
  const name = signature.toLowerCase();
  if (usedLogins.has(name)) return { kind: "used" };
  if (usedLogins.count >= LOGINS_REMEMBERED) return { kind: "too-many" };
  usedLogins.add(name, signedAt);
  return { ...verdict, awaitsBinding: record.binding === null && record.assignedMerchantId !== null };
}
