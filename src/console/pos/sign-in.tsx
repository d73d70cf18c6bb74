import { useState } from "preact/hooks";
import { PosClient, PosError } from "../../client/pos.ts";
import { CallForm } from "../page/call-form.tsx";
import type { CallState } from "../page/call-form.tsx";
import { TextField } from "../page/field.tsx";
import { credentialsOf, type Account } from "./till.ts";

const EMPTY: Account = { posId: "", password: "", merchantId: "", signingKey: "" };
const NAMES = ["posId", "password", "merchantId", "signingKey"] as const;

/** Without it, the signing key signs the login. */
const OPTIONAL = "password";

const LABELS: Record<keyof Account, string> = {
  posId: "POS id",
  password: "Password",
  merchantId: "Merchant id",
  signingKey: "Signing key",
};

/** Asks for a till's credentials and checks them. Calls `onAccount` when the gateway has accepted them. */
export function SignIn({ baseUrl, onAccount }: { baseUrl: string; onAccount: (account: Account) => void }) {
  const [account, setAccount] = useState(EMPTY);
  const [empty, setEmpty] = useState<(keyof Account)[]>([]);
  const [state, setState] = useState<CallState>({ busy: false, problem: null });

  const signIn = async (): Promise<void> => {
    const missing = NAMES.filter((name) => account[name] === "" && name !== OPTIONAL);
    setEmpty(missing);
    if (missing.length > 0 || state.busy) return;
    setState({ busy: true, problem: null });
    try {
      await new PosClient({ baseUrl, ...credentialsOf(account) }).login();
      onAccount(account);
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      setState({ busy: false, problem: error.message });
    }
  };

  return (
    <CallForm look="panel sign-in" state={state} action="Sign in" busyAction="Signing in…" onSubmit={signIn}>
      <p class="soft">You get these from the operator. They stay in this page's memory until it is closed.</p>
      <div class="fields">
        {NAMES.map((name) => (
          <TextField
            key={name}
            label={LABELS[name]}
            kind={name === "password" || name === "signingKey" ? "password" : "text"}
            value={account[name]}
            hint={name === OPTIONAL ? "Optional: without one, the signing key signs the login." : undefined}
            problem={empty.includes(name) ? "This field is required." : undefined}
            onInput={(value) => setAccount((known) => ({ ...known, [name]: value }))}
          />
        ))}
      </div>
    </CallForm>
  );
}
