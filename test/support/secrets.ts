/** Every secret that the tests of a file have come to know. */
export const knownSecrets = new Set<string>();

/** Members of answers that hold a secret. */
const MEMBERS = new Set(["token", "signingKey", "secret", "key", "password", "activationCode"]);

/** Notes every secret in what was sent or answered, at any depth. */
export function noteSecrets(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "string" && MEMBERS.has(name)) knownSecrets.add(member);
    else noteSecrets(member);
  }
}
