/** The person who uses the page. */
import { OPERATOR_SESSION_PATH, type OperatorSession } from "../../protocol/operator-session.ts";
import { Calls, CallError, isCallError } from "./calls.ts";

export interface Session {
  calls: Calls;
  /** The name that Cloudflare Access has verified; null: a person with a token. */
  name: string | null;
}

/** What the page knows when it opens. */
export interface Opening {
  /** The session from Cloudflare Access; null: the page asks for a token. */
  session: Session | null;
  /** Whether the gateway has a console. */
  hasConsole: boolean;
}

const NOTHING: Opening = { session: null, hasConsole: false };

export async function openPage(): Promise<Opening> {
  try {
    const response = await fetch(OPERATOR_SESSION_PATH, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return NOTHING;
    const { operator, console: hasConsole } = (await response.json()) as OperatorSession;
    return { session: operator === null ? null : { calls: new Calls(null), name: operator }, hasConsole };
  } catch {
    return NOTHING;
  }
}

const WRONG = "No operator has this token. Check it, and paste all of it.";
const NO_OPERATOR = "This gateway has no operators. Set OPERATOR_TOKENS, and deploy.";

/** Checks a token. Throws CallError with a message for the person who entered it. */
export async function tokenSession(token: string): Promise<Session> {
  if (!/^[\u0021-\u007e]+$/.test(token)) throw new CallError(401, WRONG);
  const calls = new Calls(token);
  try {
    await calls.get("/console/session.json");
  } catch (error) {
    if (!isCallError(error)) throw error;
    if (error.status === 401) throw new CallError(401, WRONG);
    throw error.status === 404 ? new CallError(404, NO_OPERATOR) : error;
  }
  return { calls, name: null };
}
