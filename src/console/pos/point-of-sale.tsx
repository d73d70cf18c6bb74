import { useEffect, useMemo, useState } from "preact/hooks";
import { PosClient, PosError } from "../../client/pos.ts";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import type { DemoCredentials } from "../shared/demo.ts";
import { CallForm, type CallState } from "../page/call-form.tsx";
import { TextField } from "../page/field.tsx";
import { Desk } from "./desk.tsx";
import { KeptPayments } from "./kept-payments.ts";
import { credentialsOf, Till, type Account } from "./till.ts";

export interface PointOfSaleProps {
  /** The gateway's address. */
  baseUrl: string;
  /** The account to sign in with automatically; null outside the demo. */
  demo: DemoCredentials | null;
  /** Null if they could not be loaded. */
  settings: ConsoleSettings | null;
}

/** The till's half of the page. */
export function PointOfSale({ baseUrl, demo, settings }: PointOfSaleProps) {
  const [account, setAccount] = useState<Account | null>(demo);
  const till = useMemo(() => (account === null ? null : tillOf(baseUrl, account)), [account, baseUrl]);
  useEffect(() => void till?.recall(), [till]);
  const change = (changed: Account | null): void => {
    setAccount(changed);
    // The form or button that had the focus is gone.
    document.getElementById("pos")?.focus({ preventScroll: true });
  };
  if (till === null) return <SignIn baseUrl={baseUrl} onAccount={change} />;
  const signOut = (): void => {
    change(null);
    // If this call does not arrive, the session ends at its expiry.
    till.client.logout().catch(() => undefined);
  };
  return <Desk till={till} demo={demo} settings={settings} onSignOut={signOut} />;
}

/** Takes only the account's members of the demo's credentials. */
function tillOf(baseUrl: string, { posId, merchantId, password, signingKey }: Account): Till {
  const account = { posId, merchantId, password, signingKey };
  return new Till(baseUrl, account, new KeptPayments(`open payments of ${posId} at ${baseUrl}`));
}

const EMPTY: Account = { posId: "", password: "", merchantId: "", signingKey: "" };

interface CredentialField {
  name: keyof Account;
  label: string;
  kind?: "password";
  /** Why it may be empty. */
  optional?: string;
}

const CREDENTIALS: CredentialField[] = [
  { name: "posId", label: "POS id" },
  {
    name: "password",
    label: "Password",
    kind: "password",
    optional: "Optional: without one, the signing key signs the login.",
  },
  { name: "merchantId", label: "Merchant id" },
  { name: "signingKey", label: "Signing key", kind: "password" },
];

/** The mandatory ones that are empty. */
function missingIn(account: Account): (keyof Account)[] {
  return CREDENTIALS.filter(({ name, optional }) => account[name] === "" && optional === undefined).map(
    ({ name }) => name,
  );
}

/** Asks for a till's credentials and checks them. Calls `onAccount` when the gateway has accepted them. */
function SignIn({ baseUrl, onAccount }: { baseUrl: string; onAccount: (account: Account) => void }) {
  const [account, setAccount] = useState(EMPTY);
  const [empty, setEmpty] = useState<(keyof Account)[]>([]);
  const [state, setState] = useState<CallState>({ busy: false, problem: null });

  const signIn = async (): Promise<void> => {
    const missing = missingIn(account);
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
        {CREDENTIALS.map(({ name, label, kind, optional }) => (
          <TextField
            key={name}
            label={label}
            {...(kind && { kind })}
            value={account[name]}
            hint={optional}
            problem={empty.includes(name) ? "This field is required." : undefined}
            onInput={(value) => setAccount((known) => ({ ...known, [name]: value }))}
          />
        ))}
      </div>
    </CallForm>
  );
}
