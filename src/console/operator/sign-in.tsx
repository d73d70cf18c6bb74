import { useState } from "hono/jsx/dom";
import { Button } from "../page/button.tsx";
import { TextField } from "../page/field.tsx";
import { Notice } from "../page/status.tsx";
import { isCallError } from "./calls.ts";
import { tokenSession } from "./session.ts";
import type { Session } from "./session.ts";

/** Asks for an operator's token and checks it. `notice`: why it asks again. */
export function SignIn({ notice, onSession }: { notice: string | null; onSession: (session: Session) => void }) {
  const [token, setToken] = useState("");
  const [state, setState] = useState<{ busy: boolean; problem: string | null }>({ busy: false, problem: null });
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
  const submit = (event: Event): void => {
    event.preventDefault();
    void signIn();
  };
  return (
    <form class="panel operator-sign-in" onSubmit={submit} noValidate>
      <h2>Sign in</h2>
      {notice !== null && <Notice tone="pending">{notice}</Notice>}
      <TextField
        label="Operator's token"
        kind="password"
        value={token}
        hint="Part of OPERATOR_TOKENS, after the colon. It stays in this page's memory, and is gone when the page is closed or reloaded."
        onInput={setToken}
      />
      <div class="row">
        <Button look="primary" disabled={state.busy}>
          {state.busy ? "Signing in …" : "Sign in"}
        </Button>
      </div>
      <div role="status">{state.problem !== null && <Notice tone="bad">{state.problem}</Notice>}</div>
    </form>
  );
}
