import { useState } from "preact/hooks";
import { CallForm } from "../page/call-form.tsx";
import type { CallState } from "../page/call-form.tsx";
import { TextField } from "../page/field.tsx";
import { Notice } from "../page/status.tsx";
import { isCallError } from "./calls.ts";
import { tokenSession } from "./session.ts";
import type { Session } from "./session.ts";

/** Asks for an operator's token and checks it. `notice`: why it asks again. */
export function SignIn({ notice, onSession }: { notice: string | null; onSession: (session: Session) => void }) {
  const [token, setToken] = useState("");
  const [state, setState] = useState<CallState>({ busy: false, problem: null });
  const signIn = async (): Promise<void> => {
    if (state.busy) return;
    setState({ busy: true, problem: null });
    try {
      onSession(await tokenSession(token.trim()));
    } catch (error) {
      if (!isCallError(error)) throw error;
      setState({ busy: false, problem: error.message });
    }
  };
  return (
    <CallForm look="panel operator-sign-in" state={state} action="Sign in" busyAction="Signing in…" onSubmit={signIn}>
      <h2>Sign in</h2>
      {notice !== null && <Notice tone="pending">{notice}</Notice>}
      <TextField
        label="Operator's token"
        kind="password"
        value={token}
        hint="Part of OPERATOR_TOKENS, after the colon. It stays in this page's memory, and is gone when the page is closed or reloaded."
        onInput={setToken}
      />
    </CallForm>
  );
}
