import { useEffect, useRef, useState } from "preact/hooks";
import { Button, CopyButton } from "../page/controls.tsx";
import { moveTo } from "../page/browser.ts";
import { tillZone, timeZone } from "../page/signals.ts";
import { Tabs } from "../page/tabs.tsx";
import { DEFAULT_REQUEST_SECONDS } from "../../protocol/limits/transfers.ts";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import { SECOND } from "../../time/units.ts";
import type { DemoCredentials } from "../shared/demo.ts";
import { Channels } from "./channels.tsx";
import { loginCurl, signedLoginCurl } from "./curl.ts";
import { Day } from "./day.tsx";
import { Events } from "./events.tsx";
import { Recorded } from "./recorded.tsx";
import { Terminals, focusTerminals } from "./terminals.tsx";
import { TransactionForm } from "./transaction-form.tsx";
import { activeFirst } from "./fields.ts";
import { History, TRANSACTION_ID, TransactionView } from "./transaction-view.tsx";
import type { Till, Transaction } from "./till.ts";
import { usePolling } from "./reading.tsx";
import { Webhooks } from "./webhooks.tsx";

/** Milliseconds: a change shows at once, and a page makes 30 calls a minute. */
const LOOK_EVERY = 2_000;

interface DeskProps {
  till: Till;
  demo: DemoCredentials | null;
  settings: ConsoleSettings | null;
  onSignOut: () => void;
}

export function Desk({ till, demo, settings, onSignOut }: DeskProps) {
  const [open, setOpen] = useState("transactions");
  const terminals = usePolling((options) => till.client.terminals(options), LOOK_EVERY, [till]);
  const channels = usePolling(async (options) => activeFirst(await till.client.channels(undefined, options)), 0, [
    till,
  ]);
  const totals = usePolling((options) => till.client.totals({}, options), 0, [till]);
  const accountZone = totals.value?.timezone;
  useEffect(() => void (accountZone !== undefined && (tillZone.value = accountZone)), [accountZone]);
  const showTerminals = (): void => {
    setOpen("terminals");
    focusTerminals();
  };
  const transaction = till.transactions.value.find(({ number }) => number === till.shown.value) ?? null;
  useMoves(transaction);
  const ofTransaction = terminals.value?.find(({ terminalId }) => terminalId === transaction?.call.request.deviceId);
  const terminal = {
    isConnected: terminals.problem === null ? (ofTransaction?.connected ?? null) : null,
    requestLife: (settings?.requestSeconds ?? DEFAULT_REQUEST_SECONDS) * SECOND,
    timeZone: timeZone.value,
  };
  const { posId, merchantId, password } = till.account;
  const loginLines = (password === "" ? signedLoginCurl : loginCurl)(till.baseUrl, posId);
  return (
    <>
      <div class="account-bar">
        <p>
          <span class="mono">{posId}</span> <span class="soft">of merchant</span> <span class="mono">{merchantId}</span>
        </p>
        <div class="row">
          <CopyButton text={loginLines} label="Copy login as curl" />
          <Button look="plain" onClick={onSignOut}>
            Sign out
          </Button>
        </div>
      </div>
      <Tabs
        label="Point of sale"
        open={open}
        onOpen={setOpen}
        tabs={[
          { name: "transactions", label: "Transactions" },
          { name: "terminals", label: "Terminals", aside: countOf(terminals.value) },
          { name: "recorded", label: "Recorded" },
          { name: "day", label: "Day" },
          { name: "events", label: "Events" },
          { name: "webhooks", label: "Webhooks" },
          { name: "channels", label: "Wallets", aside: countOf(channels.value) },
        ]}
      >
        <div hidden={open !== "transactions"} class="stack desk-sheet">
          <TransactionForm
            till={till}
            demo={demo}
            terminals={terminals}
            channels={channels.value ?? []}
            onShowTerminals={showTerminals}
          />
          <TransactionView till={till} transaction={transaction} terminal={terminal} />
          <History till={till} />
        </div>
        {open === "terminals" && <Terminals till={till} terminals={terminals} />}
        {open === "recorded" && <Recorded till={till} terminals={terminals.value ?? []} />}
        {open === "day" && <Day till={till} />}
        {open === "events" && <Events till={till} />}
        {open === "webhooks" && <Webhooks till={till} />}
        {open === "channels" && <Channels till={till} channels={channels} />}
      </Tabs>
    </>
  );
}

/** Moves the page to a transaction when it is sent and when it ends, but not to one from before the page was opened. */
function useMoves(transaction: Transaction | null): void {
  const wasRunning = useRef(false);
  const isRunning = transaction?.state.kind === "running";
  useEffect(() => {
    if (isRunning || wasRunning.current) moveTo(TRANSACTION_ID);
    wasRunning.current = isRunning;
  }, [transaction?.number, isRunning]);
}

/** Keeps room for the number until it is known, so that the next tab does not move. */
function countOf(list: unknown[] | null): string {
  return list === null ? "" : String(list.length);
}
