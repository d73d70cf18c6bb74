import { useEffect, useMemo, useState } from "hono/jsx/dom";
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
  /** Whom to sign in as without being asked; null outside the demo. */
  demo: DemoCredentials | null;
  /** Null where they could not be had. */
  settings: ConsoleSettings | null;
  /** Hands a bind key to the terminal half, as if its camera had read it. */
  onHandOver: (key: string) => void;
  /** The account's time zone is known. */
  onTimeZone: (timeZone: string) => void;
}

/** The till's half of the page. */
export function PointOfSale({ baseUrl, demo, settings, onHandOver, onTimeZone }: PointOfSaleProps) {
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
    // The session ends by itself if this does not arrive.
    till.client.logout().catch(() => undefined);
  };
  return (
    <Desk
      till={till}
      demo={demo}
      settings={settings}
      onHandOver={onHandOver}
      onTimeZone={onTimeZone}
      onSignOut={signOut}
    />
  );
}

/** Without what else the demo's credentials hold. */
function tillOf(baseUrl: string, { posId, merchantId, password, signingKey }: Account): Till {
  const account = { posId, merchantId, password, signingKey };
  return new Till(baseUrl, account, new KeptPayments(`open payments of ${posId} at ${baseUrl}`));
}
