import { useState } from "preact/hooks";
import { OPERATOR_SESSION_PATH, type OperatorSession } from "../../protocol/operator-session.ts";
import type { OperatorRole } from "../../protocol/operator-roles.ts";
import { CallForm, TextField, useCall } from "../page/controls.tsx";
import { Notice } from "../page/shown.tsx";
import { CallError, OperatorCalls, isCallError, callProblem } from "./operator-calls.ts";

export interface SignedInSession {
  calls: OperatorCalls;
  /** As the audit log names the person. */
  name: string | null;
  /** It is false after a sign-in through Cloudflare Access. */
  hasToken: boolean;
  role: OperatorRole;
}

export interface Opening {
  /** The session from Cloudflare Access. If it is null, the page asks for a token. */
  session: SignedInSession | null;
  hasConsole: boolean;
}

const NOTHING: Opening = { session: null, hasConsole: false };

export async function openPage(): Promise<Opening> {
  try {
    const response = await fetch(OPERATOR_SESSION_PATH, { redirect: "manual", signal: AbortSignal.timeout(10_000) });
    if (!response.ok) return NOTHING;
    const { operator: name, role, console: hasConsole } = (await response.json()) as OperatorSession;
    return {
      session: role === null ? null : { calls: new OperatorCalls(null), name, hasToken: false, role },
      hasConsole,
    };
  } catch {
    return NOTHING;
  }
}

const WRONG = "No operator has this token. Check it, and paste all of it.";
const NO_OPERATOR = "This gateway has no operators. Set OPERATOR_TOKENS, and deploy.";

/** Throws CallError with a message for the person who entered the token. */
async function tokenSession(token: string): Promise<SignedInSession> {
  if (!/^[\u0021-\u007e]+$/.test(token)) throw new CallError(401, WRONG);
  const calls = new OperatorCalls(token);
  try {
    const { operator: name, role } = await calls.get<OperatorSession>("/console/session.json");
    return { calls, name, hasToken: true, role: role ?? "viewer" };
  } catch (error) {
    if (!isCallError(error)) throw error;
    if (error.status === 401) throw new CallError(401, WRONG);
    throw error.status === 404 ? new CallError(404, NO_OPERATOR) : error;
  }
}

/** @param notice why the page asks again */
export function SignIn({
  notice,
  onSession,
}: {
  notice: string | null;
  onSession: (session: SignedInSession) => void;
}) {
  const [token, setToken] = useState("");
  const { state, make } = useCall(callProblem);
  const signIn = () =>
    make(async () => {
      onSession(await tokenSession(token.trim()));
      return null;
    });
  return (
    <CallForm look="panel operator-sign-in" state={state} action="Sign in" busyAction="Signing in…" onSubmit={signIn}>
      <h2>Sign in</h2>
      {notice !== null && <Notice tone="pending">{notice}</Notice>}
      <TextField
        label="Operator's token"
        kind="password"
        value={token}
        hint="Part of OPERATOR_TOKENS, after the name and the role. It stays in this page's memory, and is gone when the page is closed or reloaded."
        onInput={setToken}
      />
    </CallForm>
  );
}
