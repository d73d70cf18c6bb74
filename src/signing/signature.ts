/**
 * Signatures of messages: HMAC-SHA-256 (RFC 2104) over the canonical form, on the gateway's side. Synchronous, so that
 * the terminal's object can check and act in one turn.
 *
 * Computed in JavaScript: the platform's own synchronous HMAC (`node:crypto`) makes a stream and an object of the
 * runtime for every message, which take more time than the hash: a twelfth of a transfer's CPU (`npm run bench`).
 */
import { timingSafeEqual } from "node:crypto";
import { _HMAC } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { BoundedMap } from "../bounded-map.ts";
import { SIGNING_KEYS } from "./limits.ts";
import { signedForm } from "./canonical.ts";
import type { JsonObject } from "./json.ts";

/** The form of a signature that is taken, in either case. The gateway writes lowercase. */
export const SIGNATURE: RegExp = /^[0-9A-Fa-f]{64}$/;

/** The signature of `message` (a `signature` that it has does not count): 64 lowercase hexadecimal digits. */
export function sign(message: JsonObject, key: string): string {
  return bytesToHex(mac(signedForm(message), key));
}

/**
 * A copy of `message` with its signature. `message` holds JSON values only; members that are undefined are not covered,
 * as they are not sent.
 */
export function withSignature<T extends object>(message: T, key: string): T & { signature: string } {
  // The assertion: an interface does not fit an index signature
  return { ...message, signature: sign(message as JsonObject, key) };
}

/** Whether `message` carries its signature under `key`; false also when it carries none. Takes constant time. */
export function verifySignature(message: JsonObject, key: string): boolean {
  const signature = signatureOf(message);
  return signature !== null && holds(signedForm(message), signature, key);
}

/** The signature that `message` carries; null where it carries none, or none that could hold. */
export function signatureOf({ signature }: JsonObject): string | null {
  return typeof signature === "string" && SIGNATURE.test(signature) ? signature : null;
}

/**
 * Whether `signature` is that of a message under `key`. Takes constant time, but for a text that is no signature at all.
 *
 * @param form the message's canonical form without its signature (`signedForm`)
 */
export function holds(form: string, signature: string, key: string): boolean {
  return SIGNATURE.test(signature) && timingSafeEqual(hexToBytes(signature), mac(form, key));
}

const encoder = new TextEncoder();

type Hash = ReturnType<typeof sha256.create>;
type Keyed = _HMAC<Hash>;

/** Where every message is hashed, one after the other: the buffers of a new state take as long to make as the hash. */
let scratch: Keyed | undefined;
const digest = new Uint8Array(sha256.outputLen);

/** The bytes are overwritten by the next call. */
function mac(form: string, key: string): Uint8Array {
  // oxlint-disable-next-line no-underscore-dangle -- a public member of this name, which copies a state into another one
  scratch = keyed(key)._cloneInto(scratch);
  scratch.update(encoder.encode(form)).digestInto(digest);
  return digest;
}

/** The state of the hash after the key, which is half of the work. */
const states = new BoundedMap<string, Keyed>(SIGNING_KEYS);

function keyed(key: string): Keyed {
  const known = states.get(key);
  if (known !== undefined) return known;
  const state = new _HMAC<Hash>(sha256, encoder.encode(key));
  states.set(key, state);
  return state;
}

/**
 * What the gateway would have signed: the canonical form's length in UTF-8 bytes and its SHA-256 in lowercase hex. Told
 * to a POS whose signature is wrong, so that its author sees whether the form or the key differs. It gives nothing
 * away: the form is made of what the POS sent.
 */
export function canonicalDigest(message: JsonObject): { length: number; sha256: string } {
  const form = encoder.encode(signedForm(message));
  return { length: form.length, sha256: bytesToHex(sha256(form)) };
}
