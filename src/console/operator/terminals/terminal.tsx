import { Dot, Notice, Tag } from "../../page/status.tsx";
import { HEARTBEAT_SECONDS } from "../../../protocol/limits/connections.ts";
import { SECOND } from "../../../time/units.ts";
import type { OperatorTerminalDetails, TransactionAnswer, TransactionPage } from "../answers.ts";
import { Facts } from "../part/facts.tsx";
import { Panel } from "../part/section.tsx";
import { useCalls, useReading } from "../part/use-calls.ts";
import { useList } from "../part/use-list.ts";
import { Since, When } from "../part/when.tsx";
import { accountLink, linkTo } from "../route.ts";
import { Actions } from "./actions.tsx";
import { Journal } from "./journal.tsx";
import { Speed } from "./speed.tsx";
import { terminalPath } from "../paths.ts";

/** How often its state is read again while the page is visible: as often as its heartbeat arrives. */
const LOOK_EVERY = HEARTBEAT_SECONDS * SECOND;

const NONE = "none";

/** One terminal: current state, journal, actions. */
export function Terminal({ terminalId }: { terminalId: string }) {
  const calls = useCalls();
  const path = terminalPath(terminalId);
  const details = useReading(async () => (await calls.find<OperatorTerminalDetails>(path)) ?? NONE, LOOK_EVERY, [path]);
  const journal = useList<TransactionAnswer, TransactionPage>(`${path}/transactions`, {});
  const again = (): void => {
    details.again();
    journal.again();
  };
  const { value: terminal, problem } = details;
  if (terminal === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  if (terminal === NONE) return <Notice tone="bad">There is no terminal {terminalId}.</Notice>;
  return (
    <>
      <p>
        <a href={linkTo("terminals")}>Terminals</a>
      </p>
      {problem !== null && <Notice tone="pending">Not up to date. {problem}</Notice>}
      <Panel title={terminalId} id="terminal-title" aside={<StateTag terminal={terminal} />}>
        <Facts facts={factsOf(terminal)} />
        {terminal.status !== "retired" && <Actions terminal={terminal} journal={journal.rows} onChanged={again} />}
      </Panel>
      <Journal terminalId={terminalId} posId={terminal.posId} list={journal} />
      <Speed terminalId={terminalId} />
    </>
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
