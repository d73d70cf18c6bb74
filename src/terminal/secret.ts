/** The terminal's secret: sealed in SQL, opened in memory, never anywhere else (I6). */
import { readMasterKeys, type MasterKeys } from "../keys/master-keys.ts";
import { seal, sealedUnder, unseal } from "../keys/sealing.ts";
import type { JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import type { SignatureVerdict } from "./calls.ts";
import { log } from "../log.ts";
import type { TerminalRecordStore } from "./storage/record.ts";

export class SecretKeeper {
  readonly #records: TerminalRecordStore;
  readonly #env: Env;
  /** The text that was opened last, and what was in it. */
  #opened: { sealed: string; secret: string } | null = null;

  constructor(records: TerminalRecordStore, env: Env) {
    this.#records = records;
    this.#env = env;
  }

  /** The secret's text, or null: not enrolled, retired, or sealed under a master key that is gone. */
  read(): string | null {
    const { record } = this.#records;
    if (record === null || record.sealedSecret === null) return null;
    if (this.#opened?.sealed === record.sealedSecret) return this.#opened.secret;
    const keys = this.#keys();
    if (keys === null) return null;
    const unsealed = unseal(keys, record.sealedSecret, "terminal-secret", record.terminalId);
    if (!unsealed.ok) {
      log("error", "terminal-secret-not-readable", { terminal: record.terminalId, detail: unsealed.error });
      return null;
    }
    this.#opened = { sealed: record.sealedSecret, secret: unsealed.value };
    return unsealed.value;
  }

  /** Whether a message was signed with the secret. */
  verify(message: JsonObject): SignatureVerdict {
    const secret = this.read();
    const { record } = this.#records;
    if (secret === null || record === null || !verifySignature(message, secret)) return { kind: "refused" };
    return { kind: "accepted", secretVersion: record.secretVersion };
  }

  /** Seals the secret under the current master key, where it is sealed under an older one; the kid it is under then. */
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
    log("error", "master-keys-not-usable", { detail: read.error });
    return null;
  }
}
