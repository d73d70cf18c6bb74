/** Crockford's base32: no letters that look like digits. */
const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/**
 * A new referenceId: 20 letters and digits, the time in milliseconds followed by 55 random bits, so that those of one till
 * sort by time, and no two tills create the same.
 */
export function newReferenceId(now: number = Date.now()): string {
  let time = "";
  for (let rest = now; time.length < 9; rest = Math.floor(rest / 32)) time = (DIGITS[rest % 32] ?? "") + time;
  const random = Array.from(crypto.getRandomValues(new Uint8Array(11)), (byte) => DIGITS[byte % 32]).join("");
  return time + random;
}
