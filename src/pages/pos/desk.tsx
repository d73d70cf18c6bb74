import { useEffect, useRef } from "preact/hooks";
import { Button, CopyButton } from "../page/controls.tsx";
import { moveTo } from "../page/browser.ts";
import { posZone, timeZone } from "../page/signals.ts";
import { DEFAULT_REQUEST_SECONDS } from "../../protocol/limits.ts";
import type { ConsoleSettings } from "../../protocol/console-settings.ts";
import { SECOND, type Milliseconds } from "../../protocol/time/units.ts";
import type { BrowserDemoCredentials } from "../demo.ts";
import { loginCurl, signedLoginCurl } from "./curl.ts";
import { usePosPolling } from "./reading.ts";
import { TransactionForm } from "./transaction-form.tsx";
import { activeFirst } from "./fields.ts";
import { History, TRANSACTION_ID, TransactionView } from "./transaction-view.tsx";
import type { PosModel, PageTransaction } from "./pos-model.ts";

/** A change shows at once, and a page makes 30 calls a minute. */
const LOOK_EVERY: Milliseconds = 2_000;

interface DeskProps {
  pos: PosModel;
  demo: BrowserDemoCredentials | null;
  settings: ConsoleSettings | null;
  onSignOut: () => void;
}

export function Desk({ pos, demo, settings, onSignOut }: DeskProps) {
  const terminals = usePosPolling((options) => pos.client.terminals(options), LOOK_EVERY, [pos]);
  const channels = usePosPolling(async (options) => activeFirst(await pos.client.channels(undefined, options)), 0, [
    pos,
  ]);
  const totals = usePosPolling((options) => pos.client.totals({}, options), 0, [pos]);
  const accountZone = totals.value?.timezone;
  useEffect(() => void (accountZone !== undefined && (posZone.value = accountZone)), [accountZone]);
  const transaction = pos.transactions.value.find(({ number }) => number === pos.shown.value) ?? null;
  useMoves(transaction);
  const ofTransaction = terminals.value?.find(({ terminalId }) => terminalId === transaction?.call.request.deviceId);
  const terminal = {
    isConnected: terminals.problem === null ? (ofTransaction?.connected ?? null) : null,
    requestLife: (settings?.requestSeconds ?? DEFAULT_REQUEST_SECONDS) * SECOND,
    timeZone: timeZone.value,
  };
  const { posId, merchantId, password } = pos.account;
  const loginLines = (password === "" ? signedLoginCurl : loginCurl)(pos.baseUrl, posId);
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
      <div class="stack desk-sheet">
        <TransactionForm pos={pos} demo={demo} terminals={terminals} channels={channels.value ?? []} />
        <TransactionView pos={pos} transaction={transaction} terminal={terminal} />
        <History pos={pos} />
      </div>
    </>
  );
}

/** Moves the page to a transaction when it is sent and when it ends, but not to one from before the page was opened. */
function useMoves(transaction: PageTransaction | null): void {
  const wasRunning = useRef(false);
  const isRunning = transaction?.state.kind === "running";
  useEffect(() => {
    if (isRunning || wasRunning.current) moveTo(TRANSACTION_ID);
    wasRunning.current = isRunning;
  }, [transaction?.number, isRunning]);
}
