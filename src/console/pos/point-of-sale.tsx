import { useEffect, useMemo, useState } from "preact/hooks";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import type { DemoCredentials } from "../shared/demo.ts";
import { Desk } from "./desk.tsx";
import { KeptPayments } from "./kept-payments.ts";
import { SignIn } from "./sign-in.tsx";
import { Till } from "./till.ts";
import type { Account } from "./till.ts";

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
