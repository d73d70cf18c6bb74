/** What belongs to a payment and is elsewhere. */
import { HOUR } from "../../../protocol/time/units.ts";
import type { Polled } from "../../page/use-polling.ts";
import type {
  AccountTransaction,
  FoundPayment,
  FoundPayments,
  FoundTransaction,
  OperatorTerminalDetails,
  PendingPage,
  WebhookStateList,
} from "../answers.ts";
import { type OperatorCalls, NONE, pathOf } from "../operator-calls.ts";
import { Panel, When } from "../part/panel.tsx";
import { Reading } from "../part/reading.tsx";
import { PanelTable } from "../part/table.tsx";
import { accountLink } from "../route.ts";
import { countText } from "../words.ts";
import { AMOUNT_COLUMN, OUTCOME_COLUMN, PAYMENT } from "./columns.tsx";

export interface Related {
  /** Whether its conflicting result is open. */
  isConflicting: boolean;
  terminal: OperatorTerminalDetails | null;
  /** As the account has recorded it; null: not yet. */
  recorded: AccountTransaction | null;
  /** Payments of the same amount on the same terminal, within an hour before and after: a retry, or a second charge. */
  similar: FoundPayment[];
  webhooks: WebhookStateList["data"];
}

export async function readRelated(calls: OperatorCalls, found: FoundTransaction): Promise<Related> {
  const { terminalId, transaction } = found;
  const { posId, requestId, referenceId, transAmt } = transaction;
  const account = pathOf.account(posId);
  const at = Date.parse(transaction.receivedAt);
  const [from, to] = [at - HOUR, at + HOUR].map((time) => new Date(time).toISOString());
  const [open, terminal, own, similar, webhooks] = await Promise.all([
    calls.get<PendingPage>("/pending", { posId, terminalId, conflict: "true" }),
    calls.find<OperatorTerminalDetails>(pathOf.terminal(terminalId)),
    calls.find<{ data: AccountTransaction[] }>(`${account}/transactions`, { referenceId }),
    transAmt === null
      ? Promise.resolve<typeof NONE>(NONE)
      : calls.find<FoundPayments>("/transactions", { terminalId, amount: transAmt, from, to }),
    calls.find<WebhookStateList>(`${account}/webhooks`),
  ]);
  return {
    isConflicting: open.data.some((one) => one.requestId === requestId),
    terminal: terminal === NONE ? null : terminal,
    recorded: own === NONE ? null : (own.data.find((one) => one.requestId === requestId) ?? null),
    similar: similar === NONE ? [] : similar.data.filter((one) => one.requestId !== requestId),
    webhooks: webhooks === NONE ? [] : webhooks.data,
  };
}

export function RelatedPayments({ found, reading }: { found: FoundTransaction; reading: Polled<Related> }) {
  return (
    <Panel title="Same amount, within an hour">
      <Reading reading={reading}>
        {({ similar }) =>
          similar.length === 0 ? (
            <p class="soft">
              No other payment of this amount on {found.terminalId}: neither a retry nor a second charge.
            </p>
          ) : (
            <PanelTable
              label="Same amount, within an hour"
              rows={similar}
              keyOf={({ requestId }) => requestId}
              columns={[
                { head: "Time", cell: ({ receivedAt }) => <When at={receivedAt} />, place: "plain" },
                AMOUNT_COLUMN,
                OUTCOME_COLUMN,
                PAYMENT,
              ]}
            />
          )
        }
      </Reading>
    </Panel>
  );
}

/** Events are delivered in their order: one that is behind has not got this payment's yet, or only just. */
export function RelatedWebhooks({ posId, reading }: { posId: string; reading: Polled<Related> }) {
  return (
    <Panel title="Webhooks" aside={<a href={accountLink(posId)}>{posId}</a>}>
      <Reading reading={reading}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <p class="soft">The account has none: its programs read events, or only the answer to their request.</p>
          ) : (
            <PanelTable
              label="Webhooks"
              rows={webhooks}
              keyOf={({ id }) => id}
              columns={[
                { head: "Host", cell: ({ host }) => host },
                {
                  head: "Delivered",
                  cell: ({ enabled, behind }) => {
                    if (behind === 0) return "Everything";
                    return `${countText(behind, "event")} not yet${enabled ? "" : ": it is disabled"}`;
                  },
                },
                { head: "Next attempt", cell: ({ nextAttempt }) => <When at={nextAttempt} /> },
              ]}
            />
          )
        }
      </Reading>
    </Panel>
  );
}
