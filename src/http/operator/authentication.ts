/** Operators: the people who run the service. Their tokens are in OPERATOR_TOKENS, `name:token,name:token`. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createFactory } from "hono/factory";
import { logError } from "../../log.ts";
import { err, ok, type Result } from "../../result.ts";
import { bearerToken, unauthorized } from "../authentication.ts";
import type { AppEnvironment } from "../context.ts";
import { NOTHING_HERE, refuse } from "../errors.ts";
import { addressChecks, addressOf, guessChecks, requestChecks, withinRates } from "../rate-limit.ts";
import { noteGuess } from "./guesses.ts";

interface Operator {
  name: string;
  /** SHA-256 of the token: digests compare in constant time whatever the lengths. */
  digest: Uint8Array;
}

/** A token of fewer characters can be guessed, or was made up by a person: 24 of base64url are 144 bits. */
const TOKEN_CHARACTERS = 24;

/**
 * Reads OPERATOR_TOKENS; empty where none are set. A name stands for one person in the audit log, so no two entries have
 * the same name or token. The error names the entry and never shows it (I6).
 */
function readOperators(text: string | undefined): Result<Operator[], string> {
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

/** The name of the operator whose token this is. Compares with every one, so that timing reveals nothing. */
function operatorOf(list: Operator[], token: string): string | null {
  const digest = digestOf(token);
  let name: string | null = null;
  for (const operator of list) if (timingSafeEqual(operator.digest, digest)) name = operator.name;
  return name;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}

/** `Further`: what a route's middleware leaves for its handler. */
export interface OperatorEnvironment<Further extends object = object> {
  Bindings: Env;
  Variables: AppEnvironment["Variables"] & {
    /** The operator's name, for the audit log. */
    operator: string;
  } & Further;
}

export const operatorFactory = createFactory<OperatorEnvironment>();

/** Admits operators. Where none are set, the paths do not exist. */
export const requireOperator = operatorFactory.createMiddleware(async (c, next) => {
  const operators = readOperators(c.env.OPERATOR_TOKENS);
  if (!operators.ok) {
    logError("configuration", new Error(operators.error), { requestId: c.get("requestId") });
    return refuse(c, { kind: "internal_server_error" });
  }
  if (operators.value.length === 0) return refuse(c, NOTHING_HERE);
  const token = bearerToken(c);
  const name = token === null ? null : operatorOf(operators.value, token);
  const tooMany = await withinRates(
    name !== null ? requestChecks(c, "operator", name) : token !== null ? guessChecks(c) : addressChecks(c),
  );
  if (tooMany !== null) return refuse(c, tooMany);
  if (name === null && token !== null) await noteGuess(c.env.DATABASE, addressOf(c), Date.now());
  if (name === null) return refuse(c, unauthorized("Send Authorization: Bearer with an operator's token."));
  c.get("facts").operator = name;
  c.set("operator", name);
  return next();
});
