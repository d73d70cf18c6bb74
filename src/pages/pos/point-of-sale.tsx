import { useEffect, useMemo, useState } from "preact/hooks";
import { PosClient } from "../../sdk/client/pos.ts";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import { CallForm, Controls, useCall } from "../page/controls.tsx";
import type { Field } from "../page/declared.ts";
import type { DemoCredentials } from "../shared/demo.ts";
import { Desk } from "./desk.tsx";
import { KeptPayments } from "./kept-payments.ts";
import { problemOf } from "./reading.ts";
import { credentialsOf, PosModel, type Account } from "./pos-model.ts";

interface PointOfSaleProps {
  baseUrl: string;
  /** Signed in automatically; null outside the demo. */
  demo: DemoCredentials | null;
  /** Null if they could not be loaded. */
  settings: ConsoleSettings | null;
}

export function PointOfSale({ baseUrl, demo, settings }: PointOfSaleProps) {
  const [account, setAccount] = useState<Account | null>(demo);
  const pos = useMemo(() => (account === null ? null : posOf(baseUrl, account)), [account, baseUrl]);
  useEffect(() => void pos?.recall(), [pos]);
  const change = (changed: Account | null): void => {
    setAccount(changed);
    // The form or button that had the focus is gone.
    document.getElementById("pos")?.focus({ preventScroll: true });
  };
  if (pos === null) return <SignIn baseUrl={baseUrl} onAccount={change} />;
  const signOut = (): void => {
    change(null);
    // If this call does not arrive, the session ends at its expiry.
    pos.client.logout().catch(() => undefined);
  };
  return <Desk pos={pos} demo={demo} settings={settings} onSignOut={signOut} />;
}

function posOf(baseUrl: string, { posId, merchantId, password, signingKey }: Account): PosModel {
  const account = { posId, merchantId, password, signingKey };
  return new PosModel(baseUrl, account, new KeptPayments(`open payments of ${posId} at ${baseUrl}`));
}

const EMPTY: Account = { posId: "", password: "", merchantId: "", signingKey: "" };

const CREDENTIALS: Field<keyof Account>[] = [
  { name: "posId", label: "POS id" },
  {
    name: "password",
    label: "Password",
    kind: "password",
    hint: "Optional: without one, the signing key signs the login.",
  },
  { name: "merchantId", label: "Merchant id" },
  { name: "signingKey", label: "Signing key", kind: "password" },
];

function SignIn({ baseUrl, onAccount }: { baseUrl: string; onAccount: (account: Account) => void }) {
  const [account, setAccount] = useState(EMPTY);
  const [isChecked, setChecked] = useState(false);
  const { state, make } = useCall(problemOf);
  const missing = CREDENTIALS.filter(({ name }) => account[name] === "" && name !== "password");
  const signIn = async (): Promise<void> => {
    setChecked(true);
    if (missing.length > 0) return;
    await make(async () => {
      await new PosClient({ baseUrl, ...credentialsOf(account) }).login();
      onAccount(account);
      return null;
    });
  };
  return (
    <CallForm look="panel sign-in" state={state} action="Sign in" busyAction="Signing in…" onSubmit={signIn}>
      <p class="soft">You get these from the operator. They stay in this page's memory until it is closed.</p>
      <div class="fields">
        <Controls
          fields={CREDENTIALS}
          values={{ ...account }}
          problems={isChecked ? Object.fromEntries(missing.map(({ name }) => [name, "This field is required."])) : {}}
          onInput={(value) => setAccount((known) => ({ ...known, ...value }))}
        />
      </div>
    </CallForm>
  );
}
