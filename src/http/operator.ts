/** Operators: the people who run the service. Their tokens are in OPERATOR_TOKENS, `name:token,name:token`. */
import { createHash, timingSafeEqual } from "node:crypto";
import { createMiddleware } from "hono/factory";
import { bearerToken, unauthorized } from "./authentication.ts";
import type { AppEnvironment } from "./context.ts";
import { refuse } from "./errors.ts";
import { logError } from "./log.ts";
import { addressChecks, requestChecks, withinRates } from "./rate-limit.ts";

interface Operator {
  name: string;
  /** SHA-256 of the token: digests compare in constant time whatever the lengths. */
  digest: Uint8Array;
}

export type Operators =
  { kind: "none" } | { kind: "operators"; list: Operator[] } | { kind: "malformed"; problem: string };

/** Reads OPERATOR_TOKENS. The problem shows nothing of it (I6). */
export function readOperators(text: string | undefined): Operators {
  if (text === undefined || text.trim() === "") return { kind: "none" };
  const list: Operator[] = [];
  for (const [index, entry] of text.split(",").entries()) {
    const separator = entry.indexOf(":");
    const name = entry.slice(0, Math.max(separator, 0)).trim();
    const token = entry.slice(separator + 1).trim();
    if (name === "" || token === "") {
      return { kind: "malformed", problem: `OPERATOR_TOKENS: entry ${index + 1} is not name:token.` };
    }
    list.push({ name, digest: digestOf(token) });
  }
  return { kind: "operators", list };
}

/** The operator whose token this is. Compares with every one, so that the time tells nothing. */
function operatorOf(list: Operator[], token: string): string | null {
  const digest = digestOf(token);
  let name: string | null = null;
  for (const operator of list) if (timingSafeEqual(operator.digest, digest)) name = operator.name;
  return name;
}

function digestOf(token: string): Uint8Array {
  return createHash("sha256").update(token, "utf8").digest();
}

export interface OperatorEnvironment {
  Bindings: Env;
  Variables: AppEnvironment["Variables"] & {
    /** The operator's name, for the audit log. */
    operator: string;
  };
}

/** Lets operators pass. Where none are set, there are no such paths. */
export const requireOperator = createMiddleware<OperatorEnvironment>(async (c, next) => {
  const operators = readOperators(c.env.OPERATOR_TOKENS);
  if (operators.kind === "none") return refuse(c, { kind: "not_found", message: "There is nothing at this path." });
  if (operators.kind === "malformed") {
    logError("configuration", new Error(operators.problem), { requestId: c.get("requestId") });
    return refuse(c, { kind: "internal_server_error" });
  }
  const token = bearerToken(c);
  const name = token === null ? null : operatorOf(operators.list, token);
  const tooMany = await withinRates(name === null ? addressChecks(c) : requestChecks(c, "operator", name));
  if (tooMany !== null) return refuse(c, tooMany);
  if (name === null) return refuse(c, unauthorized("Send Authorization: Bearer with an operator's token."));
  c.get("facts").operator = name;
  c.set("operator", name);
  return next();
});
