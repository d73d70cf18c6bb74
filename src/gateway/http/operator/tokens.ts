/** OPERATOR_TOKENS: `name:role:token,name:token`. */
import { createHash, timingSafeEqual } from "node:crypto";
import { err, ok, type Result } from "../../../protocol/result.ts";
import {
  foldName,
  isOperatorRole,
  OPERATOR_ROLES,
  operatorEntry,
  type OperatorRole,
} from "../../../protocol/operator-roles.ts";

export interface SignedIn {
  /** The operator's name, for the audit log. */
  name: string;
  role: OperatorRole;
}

export interface OperatorToken extends SignedIn {
  /** SHA-256 of the token: digests have one length and compare in constant time. */
  digest: Uint8Array;
}

/** A shorter token can be guessed, or a person made it up: 24 characters of base64url are 144 bits. */
const TOKEN_CHARACTERS = 24;

const CREATE = "Create a token with: openssl rand -base64 32";

/**
 * Empty if none are set. A name identifies one person in the audit log, so names and tokens must be unique. The error
 * names the entry and never shows it (I6).
 */
export function readOperators(text: string | undefined): Result<OperatorToken[], string> {
  if (text === undefined || text.trim() === "") return ok([]);
  const operators: OperatorToken[] = [];
  for (const [index, entry] of text.split(",").entries()) {
    const operator = readOperator(entry, index + 1);
    if (!operator.ok) return operator;
    const problem = sharedWith(operators, operator.value);
    if (problem !== null) return err(`OPERATOR_TOKENS: ${problem}`);
    operators.push(operator.value);
  }
  return ok(operators);
}

const FORMS = "name:role:token, or name:token for an admin";

function readOperator(entry: string, number: number): Result<OperatorToken, string> {
  const { name, role, token } = operatorEntry(entry);
  if (name === "" || token === "") return err(`OPERATOR_TOKENS: Entry ${number} must be ${FORMS}.`);
  // A token may be in the role's place.
  if (!isOperatorRole(role)) {
    return err(`OPERATOR_TOKENS: Entry ${number} must be ${FORMS}. A role is one of ${OPERATOR_ROLES.join(", ")}.`);
  }
  if (token.length >= TOKEN_CHARACTERS) return ok({ name, role, digest: digestOf(token) });
  return err(`OPERATOR_TOKENS: Token ${number} must have at least ${TOKEN_CHARACTERS} characters. ${CREATE}`);
}

function sharedWith(before: readonly OperatorToken[], { name, digest }: OperatorToken): string | null {
  for (const [index, other] of before.entries()) {
    const entries = `Entries ${index + 1} and ${before.length + 1} have the same`;
    if (foldName(other.name) === foldName(name)) return `${entries} name.`;
    if (timingSafeEqual(other.digest, digest)) return `${entries} token. ${CREATE}`;
  }
  return null;
}

/** Compares with every entry, so that timing reveals nothing. */
export function findOperator(list: OperatorToken[], token: string): SignedIn | null {
  const digest = digestOf(token);
  let found: OperatorToken | null = null;
  for (const operator of list) if (timingSafeEqual(operator.digest, digest)) found = operator;
  return found;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}
