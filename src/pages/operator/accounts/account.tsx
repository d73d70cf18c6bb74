import { useMemo } from "preact/hooks";
import { transactionsCsv } from "../../../protocol/csv.ts";
import { DAY } from "../../../protocol/time/units.ts";
import { Choice } from "../../page/controls.tsx";
import type { Field } from "../../page/declared.ts";
import { Dot, ToneTag } from "../../page/shown.tsx";
import { makePlace } from "../address.ts";
import type { AccountAnswer, DrawnPassword, SigningKeyAnswer, StatisticsRow, WebhookStateList } from "../answers.ts";
import type { AccountTransaction } from "../answers.ts";
import { pathOf } from "../operator-calls.ts";
import { ListPanel, makeOptions } from "../part/list.tsx";
import { Facts, OutcomeCell, Panel, When } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { Question, rowQuestion, SecretOnce, type QuestionField } from "../part/question.tsx";
import { Loaded, useList, useReading } from "../part/reading.tsx";
import { STATUS_WORDS, measureDuration } from "../payments/standing.ts";
import { linkTo, paymentLink, terminalLink, readTexts, type PlaceQuery } from "../route.ts";
import { makeColumns } from "../statistics/statistics.tsx";
import { countText, money, shortTime, timeText } from "../words.ts";
import { ACCOUNT_TONES, ChangeAccount } from "./accounts.tsx";

export function AccountPanel({ posId, query }: { posId: string; query: PlaceQuery }) {
  const path = pathOf.account(posId);
  const reading = useReading((calls) => calls.find<AccountAnswer>(path), [path]);
  return (
    <Loaded reading={reading} section="accounts" none={`There is no account ${posId}.`}>
      {(account) => (
        <>
          <Panel title={posId} aside={<ToneTag tone={ACCOUNT_TONES[account.status]}>{account.status}</ToneTag>}>
            <Facts facts={listFacts(account)} />
            {account.status !== "deleted" && <AccountActions account={account} onChanged={reading.again} />}
          </Panel>
          <Payments posId={posId} zone={account.timezone} query={query} />
          <Totals posId={posId} />
          <Webhooks posId={posId} canChange={account.status !== "deleted"} />
        </>
      )}
    </Loaded>
  );
}

function listFacts(account: AccountAnswer) {
  return [
    ["Name", account.name ?? "–"],
    ["Merchant", account.merchantId],
    ["Currency", account.currency],
    ["Time zone", account.timezone],
    ["Region", account.region ?? "near its time zone"],
    ["Unbinding and prebinding", account.signedChanges ? "must be signed" : "a token is enough"],
    ["Created", <When at={account.createdAt} />],
    ["Terminals", <a href={linkTo("terminals", [], { boundTo: account.posId })}>Those bound to it</a>],
    ["Changes", <a href={linkTo("audit", [], { target: account.posId })}>Audit log</a>],
  ] as const;
}

const DAYS = 7;

function Totals({ posId }: { posId: string }) {
  const from = useMemo(() => new Date(Date.now() - DAYS * DAY).toISOString(), [posId]);
  const list = useList<StatisticsRow>("/statistics", { posId, by: "day", from });
  return (
    <ListPanel
      title="Payments by day"
      aside={<a href={linkTo("pending", [], { posId })}>What is pending</a>}
      list={list}
      none={`No payment in the last ${DAYS} days.`}
      keyOf={({ day }) => day ?? ""}
      columns={makeColumns({ by: "day", posId, shop: "", code: "" }, {})}
    />
  );
}

function Webhooks({ posId, canChange }: { posId: string; canChange: boolean }) {
  const list = useList<WebhookStateList["data"][number]>(`${pathOf.account(posId)}/webhooks`, {});
  return (
    <ListPanel
      title="Webhooks"
      list={list}
      none="None."
      keyOf={({ id }) => id}
      columns={[
        { head: "Host", cell: ({ host }) => host },
        {
          head: "State",
          cell: ({ enabled, disabledBy }) => (
            <>
              <Dot tone={enabled ? "good" : "bad"} />{" "}
              {enabled ? "enabled" : `disabled by ${disabledBy ?? "the account"}`}
            </>
          ),
        },
        { head: "Undelivered", number: true, cell: ({ behind }) => countText(behind, "event") },
        { head: "Next attempt", cell: ({ nextAttempt }) => <When at={nextAttempt} /> },
        {
          head: "Change",
          cell: ({ id, host, enabled }) =>
            canChange &&
            enabled && (
              <Question
                {...rowQuestion("Stop", id)}
                title={`Stop the webhook to ${host}?`}
                change={{
                  action: "webhook.change",
                  target: posId,
                  call: ["PATCH", `${list.path}/${id}`, { enabled: false }],
                }}
                done={`${id} of ${posId} is stopped.`}
                onDone={list.again}
              >
                <p>
                  Nothing is delivered to it until an operator starts it again: send {'{"enabled": true}'} to its path.
                  No event is lost: it then continues where it stopped.
                </p>
              </Question>
            ),
        },
      ]}
    />
  );
}

interface ActionsProps {
  account: AccountAnswer;
  onChanged: () => void;
}

function AccountActions({ account, onChanged }: ActionsProps) {
  const { posId } = account;
  const path = pathOf.account(posId);
  return (
    <div class="row">
      <ChangeAccount account={account} onDone={onChanged} />
      <Suspend account={account} onChanged={onChanged} />
      <NewKey account={account} onChanged={onChanged} />
      <Question<DrawnPassword>
        action="New password"
        role="support"
        title={`Give ${posId} a new password?`}
        change={{ action: "account.change", target: posId, call: ["POST", `${path}/password`] }}
        done={`${posId} has a new password.`}
        show={({ password }) => <SecretOnce name="Password" text={password} />}
        onDone={onChanged}
      >
        <p>
          The old password stops working, and all sessions of the account end immediately. Its POSes need the new one.
        </p>
      </Question>
      <Question
        action="Delete"
        look="danger"
        ends={posId}
        title={`Delete ${posId} permanently?`}
        fields={[OPEN_PAYMENTS]}
        change={({ force }) => ({
          action: "account.delete",
          target: posId,
          call: ["DELETE", force === "true" ? `${path}?force=true` : path],
        })}
        done={`${posId} is deleted.`}
        onDone={onChanged}
      >
        <p>
          Its sessions end and the gateway accepts no more requests from it. Each of its terminals is unbound as soon as
          it has no payment in progress. Its id is never used again. If a payment is open, its POS can never learn the
          outcome.
        </p>
      </Question>
    </div>
  );
}

function Suspend({ account: { posId, status }, onChanged }: ActionsProps) {
  const isActive = status === "active";
  const next = isActive ? "suspended" : "active";
  return (
    <Question
      action={isActive ? "Suspend" : "Activate"}
      role="support"
      title={isActive ? `Suspend ${posId}?` : `Activate ${posId}?`}
      change={{ action: "account.change", target: posId, call: ["PATCH", pathOf.account(posId), { status: next }] }}
      done={`${posId} is ${next}.`}
      onDone={onChanged}
    >
      <p>
        {isActive
          ? "Its sessions end immediately and its POSes can no longer sell. Queued payments are cancelled; payments at a terminal continue."
          : "Its POSes can log in and sell again."}
      </p>
    </Question>
  );
}

const OPEN_PAYMENTS: QuestionField<"force"> = {
  name: "force",
  kind: "choice",
  label: "If payments are open",
  value: "false",
  options: [
    { value: "false", label: "Not while payments are open" },
    { value: "true", label: "Even if payments are open" },
  ],
};

const OLD_KEYS: QuestionField<"old"> = {
  name: "old",
  kind: "choice",
  label: "Old keys",
  value: "keep",
  options: [
    { value: "keep", label: "Old keys valid for 24 h each" },
    { value: "revoke", label: "Old keys end now" },
  ],
};

function NewKey({ account: { posId }, onChanged }: ActionsProps) {
  return (
    <Question<SigningKeyAnswer, "old">
      action="New signing key"
      title={`Give ${posId} a new signing key?`}
      fields={[OLD_KEYS]}
      ends={({ old }) => (old === "revoke" ? posId : null)}
      change={({ old }) => ({
        action: "account.signing-key",
        target: posId,
        call: ["POST", `${pathOf.account(posId)}/signing-key`, { revokePrevious: old === "revoke" }],
      })}
      done={`${posId} has a new signing key.`}
      show={({ signingKey, previousValidUntil }) => (
        <>
          <SecretOnce name="Signing key" text={signingKey} />
          {previousValidUntil !== null && <p>The old key works until {shortTime(previousValidUntil)}.</p>}
        </>
      )}
      onDone={onChanged}
    >
      {({ old }) => (
        <p>
          {old === "keep"
            ? "Change its POSes one by one: both keys work for a day."
            : "Every POS with an old key stops selling immediately. Use this for an exposed key."}
        </p>
      )}
    </Question>
  );
}

const COLUMNS: Column<AccountTransaction>[] = [
  {
    head: "Payment",
    cell: ({ deviceId, requestId, transType, transAmt, currency }) => (
      <a href={paymentLink(deviceId, requestId)}>
        {transType} {money(transAmt, currency)}
      </a>
    ),
  },
  { head: "Outcome", cell: (row) => <OutcomeCell {...row} /> },
  {
    head: "Duration",
    number: true,
    cell: ({ receivedAt, completedAt }) => timeText(measureDuration(receivedAt, completedAt)),
  },
  { head: "Terminal", cell: ({ deviceId }) => <a href={terminalLink(deviceId)}>{deviceId}</a> },
  { head: "Reference", cell: ({ referenceId }) => <code>{referenceId}</code> },
];

const STATUSES = makeOptions(["00", "11", "22"], STATUS_WORDS);

const FIELDS: Field[] = [
  { name: "responseCode", label: "Response code", hint: "Such as 51 or TERMINAL_OFFLINE.", mono: true },
  { name: "deviceId", label: "Terminal", hint: "The whole id.", mono: true },
  { kind: "time", name: "from", label: "From" },
  { kind: "time", name: "to", label: "To" },
];

function Payments({ posId, zone, query }: { posId: string; zone: string; query: PlaceQuery }) {
  const received = {
    head: "Received",
    cell: ({ receivedAt }: AccountTransaction) => <When at={receivedAt} zone={zone} />,
  };
  const filter = readTexts(query, ["from", "to", "statusCode", "responseCode", "deviceId"]);
  const place = makePlace(filter);
  return (
    <ListPanel<AccountTransaction>
      title="Payments"
      list={useList(`${pathOf.account(posId)}/transactions`, filter)}
      place={place}
      more={FIELDS}
      action="Show"
      save={{ name: `payments-${posId}`, csv: transactionsCsv }}
      zone={zone}
      none="No payments."
      columns={[received, ...COLUMNS]}
      keyOf={({ requestId }) => requestId}
    >
      <Choice
        label="Outcome"
        value={filter.statusCode}
        options={STATUSES}
        onChoose={(statusCode) => place.show({ statusCode })}
      />
    </ListPanel>
  );
}
