import { Account } from "./accounts/account.tsx";
import { Accounts } from "./accounts/accounts.tsx";
import { Audit } from "./audit/audit.tsx";
import { Channels } from "./channels/channels.tsx";
import { Enrol } from "./enrol/enrol.tsx";
import { OverviewSection } from "./overview/overview.tsx";
import { FindPayment } from "./payments/find.tsx";
import { Payment } from "./payments/payment.tsx";
import { Unresolved } from "./payments/unresolved.tsx";
import type { Route } from "./route.ts";
import { Shops } from "./shops/shops.tsx";
import { Statistics } from "./statistics/statistics.tsx";
import { Terminal } from "./terminals/terminal.tsx";
import { Terminals } from "./terminals/terminals.tsx";

/** The section that the page's address names. */
export function SectionView({ route: { section, ids, query } }: { route: Route }) {
  const [first, second] = ids;
  switch (section) {
    case "overview":
      return <OverviewSection />;
    case "terminals":
      return first === undefined ? <Terminals query={query} /> : <Terminal terminalId={first} />;
    case "accounts":
      return first === undefined ? <Accounts query={query} /> : <Account posId={first} query={query} />;
    case "shops":
      return <Shops query={query} />;
    case "payments":
      return second === undefined ? <FindPayment query={query} /> : <Payment requestId={second} />;
    case "unresolved":
      return <Unresolved query={query} />;
    case "statistics":
      return <Statistics query={query} />;
    case "channels":
      return <Channels />;
    case "enrol":
      return <Enrol />;
    case "audit":
      return <Audit query={query} />;
  }
}
