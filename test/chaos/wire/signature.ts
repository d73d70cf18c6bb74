/** Signatures as the documentation describes them (docs/signatures), written anew: HMAC-SHA-256 over RFC 8785. */
import { createHmac } from "node:crypto";
import type { Wire } from "../journal.ts";

/** The canonical form. Numbers of this interface are whole, which JavaScript writes as RFC 8785 asks. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By UTF-16 code units, as `<` compares texts.
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

export function signatureOf(message: Wire, key: string): string {
  return createHmac("sha256", key)
    .update(canonical({ ...message, signature: undefined }))
    .digest("hex");
}

export function signed(message: Wire, key: string): Wire {
  return { ...message, signature: signatureOf(message, key) };
}

/** Null: the message has no signature. */
export function isSigned(message: Wire, key: string): boolean | null {
  const { signature } = message;
  return typeof signature === "string" ? signature === signatureOf(message, key) : null;
}
