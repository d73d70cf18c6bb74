/** Operators' tokens: OPERATOR_TOKENS, `name:token,name:token`. */
import { createHash, timingSafeEqual } from "node:crypto";
import { err, ok, type Result } from "../../outcomes/result.ts";

export interface Operator {
  name: string;
  /** SHA-256 of the token: digests have one length and compare in constant time. */
  digest: Uint8Array;
}

/** A shorter token can be guessed or was made up by a person: 24 characters of base64url are 144 bits. */
const TOKEN_CHARACTERS = 24;

/**
 * Reads OPERATOR_TOKENS; empty if none are set. A name identifies one person in the audit log, so names and tokens must
 * be unique. The error names the entry and never shows it (I6).
 */
export function readOperators(text: string | undefined): Result<Operator[], string> {
  if (text === undefined || text.trim() === "") return ok([]);
  const operators: Operator[] = [];
  for (const [index, entry] of text.split(",").entries()) {
    const separator = entry.indexOf(":");
    const name = entry.slice(0, Math.max(separator, 0)).trim();
    const token = entry.slice(separator + 1).trim();
    if (name === "" || token === "") return err(`OPERATOR_TOKENS: Entry ${index + 1} must be name:token.`);
    if (token.length < TOKEN_CHARACTERS) {
      return unusable(`Token ${index + 1} must have at least ${TOKEN_CHARACTERS} characters`);
    }
    const digest = digestOf(token);
    for (const [before, other] of operators.entries()) {
      if (other.name === name)
        return err(`OPERATOR_TOKENS: Entries ${before + 1} and ${index + 1} have the same name.`);
      if (timingSafeEqual(other.digest, digest)) {
        return unusable(`Entries ${before + 1} and ${index + 1} have the same token`);
      }
    }
    operators.push({ name, digest });
  }
  return ok(operators);
}

function unusable(what: string): Result<never, string> {
  return err(`OPERATOR_TOKENS: ${what}. Create a token with: openssl rand -base64 32`);
}

/** The name of the operator with this token. Compares with every entry, so that timing reveals nothing. */
export function operatorOf(list: Operator[], token: string): string | null {
  const digest = digestOf(token);
  let name: string | null = null;
  for (const operator of list) if (timingSafeEqual(operator.digest, digest)) name = operator.name;
  return name;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
