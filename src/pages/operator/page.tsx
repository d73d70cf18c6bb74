import { Fragment, type ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { MINUTE, type Milliseconds } from "../../protocol/time/units.ts";
import { Button, FormFrame } from "../page/controls.tsx";
import { ToneTag } from "../page/shown.tsx";
import { go, route } from "./address.ts";
import type { Overview } from "./answers.ts";
import { AccountPanel } from "./accounts/account.tsx";
import { Accounts } from "./accounts/accounts.tsx";
import { Audit } from "./audit.tsx";
import { Find } from "./find.tsx";
import { OverviewSection } from "./overview/overview.tsx";
import { service, useOverview } from "./overview/service.ts";
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
        {session !== null && (
          <CallsContext.Provider value={session.calls}>
            <Sections />
            <FindBox />
          </CallsContext.Provider>
        )}
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
  const label = SECTIONS.find(({ name }) => name === section)?.label ?? section;
  useEffect(() => {
    document.title = `${ids.at(-1) ?? label} · Operator`;
    scrollTo(0, 0);
    // On a narrow page, the list of sections scrolls sideways.
    document.querySelector('.sections [aria-current="page"]')?.scrollIntoView({ inline: "nearest", block: "nearest" });
  }, [place]);
  return (
    <main class="operator-page" id="content">
      <Fragment key={place}>{VIEWS[section](route.value)}</Fragment>
    </main>
  );
}

/** How often the numbers beside the sections are read; the overview reads them more often. */
const COUNT_EVERY: Milliseconds = MINUTE;

/** The seven sections, with the number of things that need somebody. */
function Sections() {
  useOverview(COUNT_EVERY);
  const { section } = route.value;
  const present = SECTIONS.find(({ name }) => name === section)?.of;
  const counts = countOpen(service.value);
  return (
    <nav class="sections" aria-label="Sections">
      {SECTIONS.map(({ name, label }) => {
        if (label === null) return null;
        const count = counts[name] ?? 0;
        return (
          <a key={name} href={linkTo(name)} aria-current={name === present ? "page" : undefined}>
            {label} {count > 0 && <ToneTag tone={name === "payments" ? "pending" : "bad"}>{count}</ToneTag>}
          </a>
        );
      })}
    </nav>
  );
}

function countOpen(overview: Overview | null): Partial<Record<SectionName, number>> {
  if (overview === null) return {};
  const { pending, conflict, offline } = overview;
  return { payments: pending.count + conflict.count, terminals: offline.terminals };
}

/** Finds anything; `/` leads to it. */
function FindBox() {
  const [text, setText] = useState("");
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping =
        event.target instanceof Element && event.target.closest("input, select, textarea, dialog") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      box.current?.select();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  const find = (): void => {
    if (text.trim() === "") return;
    box.current?.blur();
    go(linkTo("find", [], { text: text.trim() }));
  };
  return (
    <FormFrame look="find-box" role="search" label="Everything" onSubmit={find}>
      <input
        ref={box}
        class="input"
        aria-label="Find a payment, terminal, account or shop"
        placeholder="Find payment, terminal, shop…  /"
        value={text}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
    </FormFrame>
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
  find: ({ query }) => <Find key={query["text"]} text={query["text"] ?? ""} />,
};
