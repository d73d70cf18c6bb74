/**
 * Signatures of messages on the gateway's side: HMAC-SHA-256 (RFC 2104) over the canonical form. Synchronous, so that an
 * object can check and act in one turn.
 *
 * Computed in JavaScript: the platform's synchronous HMAC (`node:crypto`) creates a stream and a runtime object for every
 * message, which takes more time than the hash: a twelfth of a transfer's CPU (`npm run bench`).
 */
import { timingSafeEqual } from "node:crypto";
import { _HMAC } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { BoundedMap } from "../bounded-map.ts";
import { SIGNING_KEYS } from "./limits.ts";
import { signedForm } from "./canonical.ts";
import type { JsonObject } from "./json.ts";

/** The form of an accepted signature, in either case. The gateway writes lowercase. */
export const SIGNATURE: RegExp = /^[0-9A-Fa-f]{64}$/;

/** The signature of `message` without its own `signature`: 64 lowercase hexadecimal digits. */
export function sign(message: JsonObject, key: string): string {
  return bytesToHex(mac(signedForm(message), key));
}

/**
 * A copy of `message` with its signature. `message` has JSON values only; undefined members are neither covered nor sent.
 */
export function withSignature<T extends object>(message: T, key: string): T & { signature: string } {
  // The assertion: an interface does not fit an index signature
  return { ...message, signature: sign(message as JsonObject, key) };
}

/** Whether `message` has a valid signature. False also if it has none. Takes constant time. */
export function verifySignature(message: JsonObject, key: string): boolean {
  const signature = signatureOf(message);
  return signature !== null && holds(signedForm(message), signature, key);
}

/** The signature in `message`; null if it has none, or a malformed one. */
export function signatureOf({ signature }: JsonObject): string | null {
  return typeof signature === "string" && SIGNATURE.test(signature) ? signature : null;
}

/**
 * Whether `signature` is valid for a message. Takes constant time, except for malformed signatures.
 *
 * @param form the message's canonical form without its signature (`signedForm`)
 */
export function holds(form: string, signature: string, key: string): boolean {
  return SIGNATURE.test(signature) && timingSafeEqual(hexToBytes(signature), mac(form, key));
}

const encoder = new TextEncoder();

type Hash = ReturnType<typeof sha256.create>;
type Keyed = _HMAC<Hash>;

/**
 * A state that all messages share, one after the other: the buffers of a new state take as long to create as the hash.
 */
let scratch: Keyed | undefined;
const digest = new Uint8Array(sha256.outputLen);

/** The next call overwrites the bytes. */
function mac(form: string, key: string): Uint8Array {
  // oxlint-disable-next-line no-underscore-dangle -- a public member of this name, which copies a state into another one
  scratch = keyed(key)._cloneInto(scratch);
  scratch.update(encoder.encode(form)).digestInto(digest);
  return digest;
}

/** The hash state after the key, which is half of the work. */
const states = new BoundedMap<string, Keyed>(SIGNING_KEYS);

function keyed(key: string): Keyed {
  const known = states.get(key);
  if (known !== undefined) return known;
  const state = new _HMAC<Hash>(sha256, encoder.encode(key));
  states.set(key, state);
  return state;
}

/**
 * The canonical form's length in UTF-8 bytes and its SHA-256 in lowercase hex. A sender with a wrong signature gets them,
 * so that its author sees whether the form or the key differs. They reveal nothing: the form consists of what was sent.
 */
export function canonicalDigest(message: JsonObject): { length: number; sha256: string } {
  const form = encoder.encode(signedForm(message));
  return { length: form.length, sha256: bytesToHex(sha256(form)) };
}
