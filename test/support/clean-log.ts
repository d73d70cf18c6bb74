/**
 * I6, for the whole suite: regardless of what a test makes the gateway log, no line has a secret that a test knows, a
 * token, or a card number. A file whose tests wrote one fails as a whole. Tests that look at the log themselves take it
 * away from here, and check it there.
 */
import { env } from "cloudflare:workers";
import { afterAll, expect } from "vitest";
import { isCardNumber } from "../../src/protocol/card-data/card-numbers.ts";
import { exercised } from "./exercised.ts";
import { lines, showLines } from "./log-lines.ts";
import { knownSecrets } from "./secrets.ts";

// Each file is judged by itself.
lines.length = 0;
knownSecrets.clear();
showLines();

declare module "vitest" {
  interface TaskMeta {
    /** See `exercised.ts`. */
    exercised?: string[];
  }
}

/** Three base64url parts, the first of which is a JSON object's. */
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/u;

// oxlint-disable-next-line no-empty-pattern -- Vitest reads the first argument's text, which must be a pattern.
afterAll(({}, file) => {
  file.meta.exercised = [...exercised];
  const masterKeys = env.MASTER_KEYS.split(",").map((entry) => entry.slice(entry.indexOf(":") + 1));
  const secrets = [...knownSecrets, ...masterKeys].filter((secret) => secret.length >= 8);
  for (const line of lines) {
    expect(TOKEN.test(line), "a token in the log").toBe(false);
    expect(
      secrets.some((secret) => line.includes(secret)),
      "a secret in the log",
    ).toBe(false);
    const numbers = line.match(/[0-9]{13,19}/gu) ?? [];
    expect(numbers.some(isCardNumber), "a card number in the log").toBe(false);
  }
});
