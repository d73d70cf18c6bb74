import { useState } from "preact/hooks";
import { Button } from "../../page/button.tsx";
import { JsonCode } from "../../page/code.tsx";
import { Disclosure } from "../../page/disclosure.tsx";
import { Dot, Notice, Tag } from "../../page/status.tsx";
import { HEARTBEAT_SECONDS } from "../../../protocol/limits/connections.ts";
import { DAY, SECOND } from "../../../time/units.ts";
import type { OperatorTerminalDetails, StatisticsRow, TransactionAnswer, TransactionPage } from "../answers.ts";
import { pathOf, problemOf } from "../calls.ts";
import { Facts, Panel, Since, When } from "../part/panel.tsx";
import { Found, useCalls, useReading } from "../part/reading.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { TimesTable } from "../part/times.tsx";
import { useList } from "../part/use-list.ts";
import type { List } from "../part/use-list.ts";
import { standingOf, titleOf, tookOf } from "../payments/standing.ts";
import { accountLink, linkTo, paymentLink } from "../route.ts";
import { time } from "../words.ts";
import { Actions } from "./actions.tsx";

/** How often its state is read again while the page is visible: as often as its heartbeat arrives. */
const LOOK_EVERY = HEARTBEAT_SECONDS * SECOND;

/** One terminal: current state, journal, actions. */
export function Terminal({ terminalId }: { terminalId: string }) {
  const path = pathOf.terminal(terminalId);
  const reading = useReading((calls) => calls.find<OperatorTerminalDetails>(path), LOOK_EVERY, [path]);
  const journal = useList<TransactionAnswer, TransactionPage>(`${path}/transactions`, {});
  const again = (): void => {
    reading.again();
    journal.again();
  };
  return (
    <Found reading={reading} section="terminals" none={`There is no terminal ${terminalId}.`}>
      {(terminal) => (
        <>
          <Panel title={terminalId} id="terminal-title" aside={<StateTag terminal={terminal} />}>
            <Facts facts={factsOf(terminal)} />
            {terminal.status !== "retired" && <Actions terminal={terminal} journal={journal.rows} onChanged={again} />}
          </Panel>
          <Journal terminalId={terminalId} posId={terminal.posId} list={journal} />
          <Speed terminalId={terminalId} />
        </>
      )}
    </Found>
  );
}

function StateTag({ terminal: { status, connected, isVT } }: { terminal: OperatorTerminalDetails }) {
  return (
    <span class="row">
      {isVT === 1 && <Tag>virtual</Tag>}
      {status === "retired" && <Tag>retired</Tag>}
      {status !== "retired" && (
        <span>
          <Dot tone={connected ? "good" : "bad"} /> {connected ? "connected" : "offline"}
        </span>
      )}
    </span>
  );
}

function factsOf(terminal: OperatorTerminalDetails) {
  const { posId, connected, connectedSince, offlineSince, lastHeartbeat } = terminal;
  return [
    ["Name", terminal.name ?? "–"],
    ["Shop", terminal.shopName ?? "–"],
    ["Merchant", terminal.merchantId ?? "–"],
    ["Bound to", posId === null ? "no account" : <a href={accountLink(posId)}>{posId}</a>],
    connected
      ? (["Connected since", <When at={connectedSince} />] as const)
      : (["Offline since", <When at={offlineSince} />] as const),
    ["Last heartbeat", <Since at={lastHeartbeat} />],
    ["Software", terminal.softwareVersion ?? "–"],
    ["Serial number", terminal.terminalSn ?? "–"],
    ["Enrolled", <When at={terminal.createdAt} />],
    ["Not completed", <a href={linkTo("unresolved", [], { terminalId: terminal.terminalId })}>Payments</a>],
    ["Changes", <a href={linkTo("audit", [], { target: terminal.terminalId })}>Audit log</a>],
  ] as const;
}

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
function Journal({ terminalId, posId, list }: JournalProps) {
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

/** The durations of this terminal's last day. Read on demand, because they are computed from its journal. */
function Speed({ terminalId }: { terminalId: string }) {
  const calls = useCalls();
  const [state, setState] = useState<{ rows: StatisticsRow[] | null; problem: string | null }>({
    rows: null,
    problem: null,
  });
  const read = async (): Promise<void> => {
    const from = new Date(Date.now() - DAY).toISOString();
    try {
      const page = await calls.get<{ data: StatisticsRow[] }>("/statistics", { terminalId, by: "account", from });
      setState({ rows: page.data, problem: null });
    } catch (error) {
      setState({ rows: null, problem: problemOf(error) });
    }
  };
  const { rows, problem } = state;
  const row = rows?.[0];
  return (
    <Panel title="Speed" id="speed-title" aside={<Button onClick={() => void read()}>Last 24 hours</Button>}>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {rows?.length === 0 && <p class="soft">No payment in the last 24 hours.</p>}
      {row !== undefined && <TimesTable label={`Times of ${terminalId}`} times={row} />}
      {rows === null && problem === null && (
        <p class="soft">Computed from the terminal's journal when you ask for it.</p>
      )}
    </Panel>
  );
}
