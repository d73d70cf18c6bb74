import { Fragment, type ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../page/controls.tsx";
import { route } from "./address.ts";
import { AccountPanel } from "./accounts/account.tsx";
import { Accounts } from "./accounts/accounts.tsx";
import { Audit } from "./audit.tsx";
import { OverviewSection } from "./overview.tsx";
import { CallsContext, RoleContext } from "./part/reading.tsx";
import { PaymentPanel } from "./payments/payment.tsx";
import { PaymentsPanel } from "./payments/payments.tsx";
import { Pending } from "./payments/pending.tsx";
import { linkTo, SECTIONS, type Route, type SectionName } from "./route.ts";
import { Channels, Shops } from "./shops.tsx";
import { Statistics } from "./statistics/statistics.tsx";
import { TerminalPanel } from "./terminals/terminal.tsx";
import { Terminals } from "./terminals/terminals.tsx";
import { SignIn, type Opening, type SignedInSession } from "./sign-in.tsx";

const SIGNED_OUT = "The gateway no longer accepts your sign-in. Sign in again.";

export function OperatorPage({ session: given, hasConsole }: Opening) {
  const [session, setSession] = useState(given);
  const [notice, setNotice] = useState<string | null>(null);
  const signIn = (next: SignedInSession): void => {
    setNotice(null);
    setSession(next);
  };
  useMemo(() => {
    if (session === null) return;
    session.calls.onSignedOut = () => {
      setNotice(SIGNED_OUT);
      setSession(null);
    };
  }, [session]);
  return (
    <>
      <header class="masthead">
        <h1>Operator</h1>
        <p class="masthead-gateway">{location.host}</p>
        <div class="operator-aside row small">
          {session !== null && (
            <span class="soft operator-name">{`${session.name ?? "Signed in"} (${session.role})`}</span>
          )}
          {session?.hasToken === true && (
            // A reload forgets everything.
            <Button look="plain" onClick={() => location.reload()}>
              Sign out
            </Button>
          )}
          <a href="/">Start</a>
          {hasConsole && (
            <a href="/console" target="_blank" rel="noopener">
              Console
            </a>
          )}
          <a href="/docs/monitor" target="_blank" rel="noopener">
            Docs
          </a>
        </div>
      </header>
      {session === null ? (
        <main class="operator-page">
          <SignIn notice={notice} onSession={signIn} />
        </main>
      ) : (
        <CallsContext.Provider value={session.calls}>
          <RoleContext.Provider value={session.role}>
            <Desk />
          </RoleContext.Provider>
        </CallsContext.Provider>
      )}
    </>
  );
}

function Desk() {
  const { section, ids } = route.value;
  const place = [section, ...ids].join("/");
  const label = SECTIONS.find(({ name }) => name === section)?.label ?? "";
  useEffect(() => {
    document.title = `${ids.at(-1) ?? label} · Operator`;
    scrollTo(0, 0);
    // On a narrow page, the list of sections scrolls sideways.
    document.querySelector('.sections [aria-current="page"]')?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [place]);
  return (
    <>
      <nav class="sections" aria-label="Sections">
        {SECTIONS.map(({ name, label: words }) => (
          <a key={name} href={linkTo(name)} aria-current={name === section ? "page" : undefined}>
            {words}
          </a>
        ))}
      </nav>
      <main class="operator-page" id="content">
        <Fragment key={place}>{VIEWS[section](route.value)}</Fragment>
      </main>
    </>
  );
}

const VIEWS: Record<SectionName, (route: Route) => ComponentChildren> = {
  overview: () => <OverviewSection />,
  terminals: ({ ids: [id], query }) =>
    id === undefined ? <Terminals query={query} /> : <TerminalPanel terminalId={id} />,
  accounts: ({ ids: [id], query }) =>
    id === undefined ? <Accounts query={query} /> : <AccountPanel posId={id} query={query} />,
  shops: ({ query }) => <Shops query={query} />,
  payments: ({ ids: [, id], query }) =>
    id === undefined ? <PaymentsPanel query={query} /> : <PaymentPanel requestId={id} />,
  pending: ({ query }) => <Pending query={query} />,
  statistics: ({ query }) => <Statistics query={query} />,
  channels: () => <Channels />,
  audit: ({ query }) => <Audit query={query} />,
};
