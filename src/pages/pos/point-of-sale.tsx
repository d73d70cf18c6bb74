import { useEffect, useMemo, useState } from "preact/hooks";
import { PosClient } from "../../sdk/client/pos.ts";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import { CallForm, Controls, useCall } from "../page/controls.tsx";
import type { Field } from "../page/declared.ts";
import type { BrowserDemoCredentials } from "../demo.ts";
import { Desk } from "./desk.tsx";
import { StoredPayments } from "./stored-payments.ts";
import { readingProblem } from "./reading.ts";
import { toCredentials, PosModel, type PosAccount } from "./pos-model.ts";

interface PointOfSaleProps {
  baseUrl: string;
  /** The demo's account, which is signed in automatically; null outside the demo. */
  demo: BrowserDemoCredentials | null;
  /** Null if they could not be loaded. */
  settings: ConsoleSettings | null;
}

export function PointOfSale({ baseUrl, demo, settings }: PointOfSaleProps) {
  const [account, setAccount] = useState<PosAccount | null>(demo);
  const pos = useMemo(() => (account === null ? null : createPos(baseUrl, account)), [account, baseUrl]);
  useEffect(() => void pos?.recall(), [pos]);
  const change = (changed: PosAccount | null): void => {
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

function createPos(baseUrl: string, { posId, merchantId, password, signingKey }: PosAccount): PosModel {
  const account = { posId, merchantId, password, signingKey };
  return new PosModel(baseUrl, account, new StoredPayments(`open payments of ${posId} at ${baseUrl}`));
}

const EMPTY: PosAccount = { posId: "", password: "", merchantId: "", signingKey: "" };

const CREDENTIALS: Field<keyof PosAccount>[] = [
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

function SignIn({ baseUrl, onAccount }: { baseUrl: string; onAccount: (account: PosAccount) => void }) {
  const [account, setAccount] = useState(EMPTY);
  const [isChecked, setChecked] = useState(false);
  const { state, make } = useCall(readingProblem);
  const missing = CREDENTIALS.filter(({ name }) => account[name] === "" && name !== "password");
  const signIn = async (): Promise<void> => {
    setChecked(true);
    if (missing.length > 0) return;
    await make(async () => {
      await new PosClient({ baseUrl, ...toCredentials(account) }).login();
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
