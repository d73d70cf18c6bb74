/** What a POS's developer writes to sign and to verify. Nothing here is of the gateway's own code. */
import { createHmac, timingSafeEqual } from "node:crypto";

/** RFC 8785, of messages whose numbers are integers. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}

export function signatureOf(message: object): string {
  const { signature: _none, ...unsigned } = message as { signature?: string };
  return createHmac("sha256", process.env["SIGNING_KEY"] ?? "")
    .update(canonical(unsigned))
    .digest("hex");
}

export function isSigned(message: { signature: string }): boolean {
  return timingSafeEqual(Buffer.from(message.signature), Buffer.from(signatureOf(message)));
}
