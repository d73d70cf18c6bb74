/** The secret `MASTER_KEYS`, and the keys that are derived from it. */
import { hkdfSync } from "node:crypto";
import { err, ok, type Result } from "../../protocol/result.ts";

export interface MasterKey {
  /** The key's name in everything that it seals or signs. */
  kid: string;
  /** 32 bytes. */
  bytes: Uint8Array;
}

export interface MasterKeys {
  /** The first key seals and signs everything new. */
  current: MasterKey;
  /** The keys by `kid`: what any of them sealed or signed is still accepted. */
  all: ReadonlyMap<string, MasterKey>;
}

/** The error names the problem with `MASTER_KEYS` without showing any of it (I6). */
type MasterKeysResult = Result<MasterKeys, string>;

const KEY_BYTES = 32;
const KID = /^[A-Za-z0-9._-]+$/;

let last: { text: string | undefined; result: MasterKeysResult } | null = null;

/**
 * Reads `kid:base64,kid:base64`, each key 32 bytes in base64 (RFC 4648, section 4, padded). It keeps the last result:
 * the same text returns the same keys, with everything derived from them.
 */
export function readMasterKeys(text: string | undefined): MasterKeysResult {
  if (last === null || last.text !== text) last = { text, result: parseMasterKeys(text) };
  return last.result;
}

/** Throws if MASTER_KEYS is unusable. The Worker finds that out before it calls an object. */
export function requireMasterKeys({ MASTER_KEYS: text }: { MASTER_KEYS?: string | undefined }): MasterKeys {
  const keys = readMasterKeys(text);
  if (!keys.ok) throw new Error(keys.error);
  return keys.value;
}

function parseMasterKeys(text: string | undefined): MasterKeysResult {
  if (text === undefined || text.trim() === "") return refused("It is not set. Set it to kid:base64,kid:base64.");
  const all = new Map<string, MasterKey>();
  let current: MasterKey | null = null;
  for (const [index, entry] of text.split(",").entries()) {
    const ordinal = `${index + 1}`;
    const separator = entry.indexOf(":");
    if (separator < 0) return refused(`Entry ${ordinal} must be kid:base64.`);
    const kid = entry.slice(0, separator).trim();
    const encoded = entry.slice(separator + 1).trim();
    if (!KID.test(kid)) return refused(`The kid of entry ${ordinal} must be letters, digits, '.', '_' or '-'.`);
    if (all.has(kid)) return refused(`The kid of entry ${ordinal} is repeated. Use another kid.`);
    const bytes = Buffer.from(encoded, "base64");
    // Node's decoder skips invalid characters: the text is valid base64 only if encoding returns it unchanged.
    if (bytes.toString("base64") !== encoded) return refused(`Key ${ordinal} must be padded base64.`);
    if (bytes.length !== KEY_BYTES) return refused(`Key ${ordinal} must be ${KEY_BYTES} bytes (base64).`);
    const key = { kid, bytes: new Uint8Array(bytes) };
    all.set(kid, key);
    current ??= key;
  }
  return current === null ? refused("It is empty.") : ok({ current, all });
}

function refused(what: string): MasterKeysResult {
  return err(`MASTER_KEYS: ${what}`);
}

const derived = new WeakMap<MasterKey, Map<string, Uint8Array>>();

/**
 * Derives a key by HKDF with SHA-256 (RFC 5869), without salt because the master key is random, with the purpose as
 * info. One purpose's key reveals nothing about another's. The bytes are shared: do not change them. `length` is in
 * bytes.
 */
export function deriveKey(masterKey: MasterKey, purpose: string, length: number = KEY_BYTES): Uint8Array {
  let keys = derived.get(masterKey);
  if (keys === undefined) derived.set(masterKey, (keys = new Map()));
  const name = `${length}:${purpose}`;
  let key = keys.get(name);
  if (key === undefined) {
    key = new Uint8Array(hkdfSync("sha256", masterKey.bytes, new Uint8Array(0), purpose, length));
    keys.set(name, key);
  }
  return key;
}
