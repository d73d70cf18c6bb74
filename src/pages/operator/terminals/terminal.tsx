import { useState } from "preact/hooks";
import { Button, useCall } from "../../page/controls.tsx";
import { Disclosure, JsonCode, Notice, Qr, ToneTag } from "../../page/shown.tsx";
import type { ActivationCode, OperatorTerminalDetails, StatisticsRow, TerminalSecret } from "../answers.ts";
import type { TransactionAnswer, TransactionPage } from "../answers.ts";
import { pathOf, callProblem } from "../operator-calls.ts";
import { ListPanel } from "../part/list.tsx";
import { Facts, Panel, Since, When } from "../part/panel.tsx";
import { TimesTable, type Column } from "../part/table.tsx";
import { Question, SecretOnce, TerminalSecretView, type QuestionField } from "../part/question.tsx";
import { Loaded, useCalls, useList, useReading, type List } from "../part/reading.tsx";
import { CONFLICT_WORDS, paymentStanding, formatTitle, measureDuration } from "../payments/standing.ts";
import { accountLink, linkTo, paymentLink } from "../route.ts";
import { shortTime, timeText } from "../words.ts";
import { lastHours } from "../statistics/ranges.ts";
import { State } from "./terminals.tsx";
import { connectionWords, isLossUnseen, openWords, progressWithSecret, progressWords } from "./effects.ts";

type JournalList = List<TransactionAnswer, TransactionPage>;

export function TerminalPanel({ terminalId }: { terminalId: string }) {
  const path = pathOf.terminal(terminalId);
  const reading = useReading((calls) => calls.find<OperatorTerminalDetails>(path), [path]);
  const journal = useList<TransactionAnswer, TransactionPage>(`${path}/transactions`, {});
  const again = (): void => {
    reading.again();
    journal.again();
  };
  return (
    <Loaded reading={reading} section="terminals" none={`There is no terminal ${terminalId}.`}>
      {(terminal) => (
        <>
          <Panel title={terminalId} aside={<StateTag terminal={terminal} />}>
            {terminal.contested && (
              <Notice tone="bad">
                <strong>Two devices use this terminal's identity</strong> and take over each other's connection: sales
                go to either counter. Find out which one is right, and give it a new secret or an activation code: the
                other is then locked out.
              </Notice>
            )}
            <Facts facts={listFacts(terminal)} />
            {terminal.status !== "retired" && <Actions terminal={terminal} journal={journal.rows} onChanged={again} />}
          </Panel>
          <Journal terminal={terminal} list={journal} />
          <Speed terminalId={terminalId} />
        </>
      )}
    </Loaded>
  );
}

function StateTag({ terminal }: { terminal: OperatorTerminalDetails }) {
  return (
    <span class="row">
      {terminal.isVT === 1 && <ToneTag>virtual</ToneTag>}
      <span>
        <State terminal={terminal} />
      </span>
    </span>
  );
}

function listFacts(terminal: OperatorTerminalDetails) {
  const { posId, connected, connectedSince, offlineSince, lastHeartbeat } = terminal;
  return [
    ["Name", terminal.name ?? "–"],
    ["Shop", terminal.shopName ?? "–"],
    ["Merchant", terminal.merchantId ?? "–"],
    ["Bound to", posId === null ? "no account" : <a href={accountLink(posId)}>{posId}</a>],
    connected
      ? (["Connected since", <When at={connectedSince} />] as const)
      : ([
          "Offline since",
          <>
            {isLossUnseen(terminal) && "at or before "}
            <When at={offlineSince} />
          </>,
        ] as const),
    ["Last heartbeat", <Since at={lastHeartbeat} />],
    ["Software", terminal.softwareVersion ?? "–"],
    ["Serial number", terminal.terminalSn ?? "–"],
    ["Enrolled", <When at={terminal.createdAt} />],
    ["Pending", <a href={linkTo("pending", [], { terminalId: terminal.terminalId })}>Payments</a>],
    ["Changes", <a href={linkTo("audit", [], { target: terminal.terminalId })}>Audit log</a>],
  ] as const;
}

function makeColumns(terminalId: string, zone: string | undefined): Column<TransactionAnswer>[] {
  return [
    { head: "Received", cell: ({ receivedAt }) => <When at={receivedAt} zone={zone} /> },
    {
      head: "Payment",
      cell: (payment) => <a href={paymentLink(terminalId, payment.requestId)}>{formatTitle(payment)}</a>,
    },
    { head: "Outcome", cell: (payment) => <Outcome payment={payment} /> },
    {
      head: "Duration",
      number: true,
      cell: ({ receivedAt, completedAt }) => timeText(measureDuration(receivedAt, completedAt)),
    },
    { head: "Reference", cell: ({ referenceId }) => <code>{referenceId}</code> },
    { head: "Account", cell: ({ posId }) => posId },
  ];
}

function Outcome({ payment }: { payment: TransactionAnswer }) {
  const { tone, title } = paymentStanding(payment, Date.now());
  return (
    <>
      <ToneTag tone={tone}>{title}</ToneTag>{" "}
      {payment.conflicts.length > 0 && <ToneTag tone="bad">{CONFLICT_WORDS}</ToneTag>}{" "}
      {payment.evidence.length > 0 && <ToneTag tone="pending">see evidence</ToneTag>}
    </>
  );
}

function Journal({ terminal: { terminalId, posId }, list }: { terminal: OperatorTerminalDetails; list: JournalList }) {
  const orphan = list.first?.orphanResults ?? [];
  const zone = list.rows?.[0]?.timezone;
  return (
    <ListPanel
      title="Journal"
      aside={posId !== null && <a href={linkTo("accounts", [posId], { deviceId: terminalId })}>By time or code</a>}
      list={list}
      none="No payments yet."
      zone={zone}
      columns={makeColumns(terminalId, zone)}
      keyOf={({ requestId }) => requestId}
      below={
        orphan.length > 0 && (
          <Disclosure summary={`Results about requests that the journal does not have: ${orphan.length}`}>
            <p class="soft">
              Compare each 00 with the acquirer's statement: money may have moved without any POS knowing.
            </p>
            <JsonCode value={orphan} label="Results about unknown requests" />
          </Disclosure>
        )
      }
    />
  );
}

/** Read on demand, because the terminal's object computes the durations from its journal. */
function Speed({ terminalId }: { terminalId: string }) {
  const calls = useCalls();
  const [rows, setRows] = useState<StatisticsRow[] | null>(null);
  const {
    state: { problem },
    make,
  } = useCall(callProblem);
  const read = async (): Promise<null> => {
    setRows(null);
    const from = lastHours(24, Date.now());
    const { data } = await calls.get<{ data: StatisticsRow[] }>("/statistics", { terminalId, by: "account", from });
    setRows(data);
    return null;
  };
  const row = rows?.[0];
  return (
    <Panel title="Speed" aside={<Button onClick={() => void make(read)}>Last 24 hours</Button>}>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {rows?.length === 0 && <p class="soft">No payment in the last 24 hours.</p>}
      {row !== undefined && <TimesTable label={`Times of ${terminalId}`} times={row} />}
      {rows === null && problem === null && (
        <p class="soft">Computed from the terminal's journal when you ask for it.</p>
      )}
    </Panel>
  );
}

interface ActionsProps {
  terminal: OperatorTerminalDetails;
  /** The newest payments; null until they are read. */
  journal: readonly TransactionAnswer[] | null;
  onChanged: () => void;
}

function Actions({ terminal, journal, onChanged }: ActionsProps) {
  const { terminalId, posId } = terminal;
  const path = pathOf.terminal(terminalId);
  const now = Date.now();
  const effects = [progressWords(journal, now), openWords(journal)].filter((words) => words !== null).join(" ");
  return (
    <div class="row">
      <ChangeTerminal terminal={terminal} onDone={onChanged} />
      {posId !== null && (
        <Question
          action="Unbind"
          role="support"
          title={`Unbind ${terminalId} from ${posId}?`}
          change={{ action: "terminal.unbind", target: terminalId, call: ["DELETE", `${path}/binding`] }}
          done={`${terminalId} is unbound.`}
          onAsk={onChanged}
          onDone={onChanged}
        >
          <p>{effects}</p>
          <p class="soft">
            The account can no longer use it, and it leaves the account's prebind list. To use it again, bind it with a
            key.
          </p>
        </Question>
      )}
      <Question<TerminalSecret>
        action="New secret"
        role="support"
        title={`Give ${terminalId} a new secret?`}
        change={{
          action: "terminal.secret",
          target: terminalId,
          call: ["POST", `${path}/secret`, { revokePrevious: true }],
        }}
        done={`${terminalId} has a new secret.`}
        show={({ secret }) => <TerminalSecretView terminalId={terminalId} secret={secret} />}
        onAsk={onChanged}
        onDone={onChanged}
      >
        <p>
          The old secret stops working immediately. {connectionWords(terminal)} The device needs the new one to
          reconnect.
        </p>
        <p>{progressWithSecret(journal, now)}</p>
      </Question>
      <ActivationCodeQuestion terminalId={terminalId} />
      <Question
        action="Retire"
        look="danger"
        ends={terminalId}
        title={`Retire ${terminalId} permanently?`}
        change={{ action: "terminal.retire", target: terminalId, call: ["DELETE", path] }}
        done={`${terminalId} is retired.`}
        onAsk={onChanged}
        onDone={onChanged}
      >
        <p>
          {connectionWords(terminal)} {effects}
        </p>
        <p class="soft">It can never connect again, and its id is never used again. Its journal stays.</p>
      </Question>
    </div>
  );
}

const VALID_HOURS: QuestionField<"validHours"> = {
  name: "validHours",
  kind: "choice",
  label: "Valid for",
  value: "1",
  options: [
    { value: "1", label: "1 hour" },
    { value: "24", label: "1 day" },
    { value: "168", label: "7 days" },
  ],
};

/** For a person at the device, who must not see its secret. */
function ActivationCodeQuestion({ terminalId }: { terminalId: string }) {
  return (
    <Question<ActivationCode, "validHours">
      action="Activation code"
      role="support"
      title={`Create an activation code for ${terminalId}?`}
      confirm="Create"
      fields={[VALID_HOURS]}
      change={({ validHours }) => ({
        action: "terminal.activation-code",
        target: terminalId,
        call: ["POST", `${pathOf.terminal(terminalId)}/activation-code`, { validHours: Number(validHours) }],
      })}
      done={(_, { expiresAt }) => `The code can be used once, until ${shortTime(expiresAt)}.`}
      show={({ activationCode }) => (
        <>
          <SecretOnce name="Activation code" text={activationCode} />
          <Qr text={activationCode} label="QR code of the activation code" />
        </>
      )}
    >
      <p>The device exchanges it for its id and a new secret. Until then its secret stays; then the old one ends.</p>
    </Question>
  );
}

function ChangeTerminal({ terminal, onDone }: { terminal: OperatorTerminalDetails; onDone: () => void }) {
  const { terminalId } = terminal;
  return (
    <Question
      action="Change"
      title={`Change ${terminalId}`}
      confirm="Save"
      fields={[
        { name: "name", label: "Name", hint: "Shown in lists, such as Counter 3.", value: terminal.name ?? "" },
        {
          name: "merchantId",
          label: "Merchant id",
          mono: true,
          hint: "Accounts of this merchant can prebind it. Unbind the terminal before you choose another merchant.",
          value: terminal.merchantId ?? "",
        },
      ]}
      change={({ name, merchantId }) => {
        const body = {
          // null removes the name.
          ...(name === (terminal.name ?? "") ? {} : { name: name === "" ? null : name }),
          ...(["", terminal.merchantId].includes(merchantId) ? {} : { merchantId }),
        };
        if (Object.keys(body).length === 0) return null;
        return { action: "terminal.change", target: terminalId, call: ["PATCH", pathOf.terminal(terminalId), body] };
      }}
      done={`${terminalId} is changed.`}
      onDone={onDone}
    />
  );
}
