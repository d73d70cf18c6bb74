/** The terminal's secret: sealed in SQL, decrypted in memory, never anywhere else (I6). */
import { readMasterKeys, type MasterKeys } from "../keys/master-keys.ts";
import { seal, sealedUnder, unseal } from "../keys/sealing.ts";
import type { JsonObject } from "../signing/json.ts";
import { verifySignature } from "../signing/signature.ts";
import type { SignatureVerdict } from "../rpc/terminal.ts";
import { log } from "../outcomes/log.ts";
import type { TerminalRecordStore } from "./storage/record.ts";

export class SecretKeeper {
  readonly #records: TerminalRecordStore;
  readonly #env: Env;
  /** The sealed text that was decrypted last, and its content. */
  #opened: { sealed: string; secret: string } | null = null;

  constructor(records: TerminalRecordStore, env: Env) {
    this.#records = records;
    this.#env = env;
  }

  /** The secret's text; null if the terminal is not enrolled or retired, or the master key that sealed it is gone. */
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
    log("error", "master-keys-not-usable", { detail: read.error });
    return null;
  }
}
