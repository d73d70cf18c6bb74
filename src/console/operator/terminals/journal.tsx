import { JsonCode } from "../../page/code.tsx";
import { Disclosure } from "../../page/disclosure.tsx";
import { Tag } from "../../page/status.tsx";
import type { TransactionAnswer, TransactionPage } from "../answers.ts";
import { standingOf, titleOf, tookOf } from "../payments/standing.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import type { List } from "../part/use-list.ts";
import { When } from "../part/when.tsx";
import { linkTo, paymentLink } from "../route.ts";
import { time } from "../words.ts";

function columnsOf(terminalId: string): Column<TransactionAnswer>[] {
  return [
    { head: "Received", cell: ({ receivedAt }) => <When at={receivedAt} /> },
    {
      head: "Payment",
      cell: (payment) => <a href={paymentLink(terminalId, payment.requestId)}>{titleOf(payment)}</a>,
    },
    { head: "Outcome", cell: (payment) => <Outcome payment={payment} /> },
    { head: "Duration", number: true, cell: ({ receivedAt, completedAt }) => time(tookOf(receivedAt, completedAt)) },
    { head: "Reference", cell: ({ referenceId }) => <code>{referenceId}</code> },
    { head: "Account", cell: ({ posId }) => posId },
  ];
}

function Outcome({ payment }: { payment: TransactionAnswer }) {
  const { tone, title } = standingOf(payment, Date.now());
  const kept = payment.conflicts.length + payment.evidence.length;
  return (
    <>
      <Tag tone={tone}>{title}</Tag> {kept > 0 && <Tag tone="pending">see reports</Tag>}
    </>
  );
}

interface JournalProps {
  terminalId: string;
  /** The account that it is bound to. */
  posId: string | null;
  list: List<TransactionAnswer, TransactionPage>;
}

/** A terminal's payments, newest first. */
export function Journal({ terminalId, posId, list }: JournalProps) {
  const stray = list.first?.strayResults ?? [];
  return (
    <Panel
      title="Journal"
      id="journal-title"
      aside={posId !== null && <a href={linkTo("accounts", [posId], { deviceId: terminalId })}>By time or code</a>}
    >
      <ListTable
        label="Journal"
        list={list}
        none="No payments yet."
        columns={columnsOf(terminalId)}
        keyOf={({ requestId }) => requestId}
      />
      {stray.length > 0 && (
        <Disclosure summary={`Results about requests that the journal does not have: ${stray.length}`}>
          <p class="soft">
            Compare each 00 with the acquirer's statement: money may have moved without any till knowing.
          </p>
          <JsonCode value={stray} label="Results about unknown requests" />
        </Disclosure>
      )}
    </Panel>
  );
}
