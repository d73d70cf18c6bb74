/**
 * What the Worker's imports of keys/passwords.ts get in the tests: the same, but new hashes, and those of accounts that do not
 * exist, cost next to nothing. At full strength scrypt takes a fifth of a second of CPU for each account that a test makes, and
 * again for each login. The check is the gateway's own: it reads the cost from the hash. test/keys/passwords.test.ts tests the
 * full cost, and the tests of `npm start` use it. See source-copy.ts for the gateway of the other tests from outside.
 */
import { randomBytes, scryptSync } from "node:crypto";
import { verifyPassword as verify } from "../../src/keys/passwords.ts";

export * from "../../src/keys/passwords.ts";

function hash(password: string): string {
  const salt = randomBytes(16);
  const key = scryptSync(password.normalize("NFC"), salt, 32, { N: 2, r: 1, p: 1 });
  const [saltText, keyText] = [salt, key].map((bytes) => bytes.toString("base64").replace(/=+$/u, ""));
  return `$scrypt$ln=1,r=1,p=1$${saltText}$${keyText}`;
}

export async function hashPassword(password: string): Promise<string> {
  return hash(password);
}

export async function verifyPassword(
  password: string,
  known: string | null,
  pause: Parameters<typeof verify>[2],
): Promise<boolean> {
  const isRight = await verify(password, known ?? hash(""), pause);
  return isRight && known !== null;
}
