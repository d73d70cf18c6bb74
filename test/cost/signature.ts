/** Signatures as the documentation describes them (docs/signatures), without the gateway's code: HMAC-SHA-256 over RFC 8785. */
import { createHmac } from "node:crypto";

/** The canonical form. Numbers of this interface are whole, which JavaScript writes as RFC 8785 asks. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // By UTF-16 code units, as `<` compares texts.
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

/** @param message without a signature */
export function signed(message: object, key: string): object {
  return { ...message, signature: createHmac("sha256", key).update(canonical(message)).digest("hex") };
}
