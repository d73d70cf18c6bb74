import { Dot, Tag } from "../../page/status.tsx";
import { DAY } from "../../../time/units.ts";
import type { AccountAnswer, StatisticsRow, WebhookStateList } from "../answers.ts";
import { pathOf } from "../calls.ts";
import { Facts, Panel, When } from "../part/panel.tsx";
import { Question } from "../part/question.tsx";
import { Found, useReading } from "../part/reading.tsx";
import { ListTable } from "../part/table.tsx";
import { TimesTable } from "../part/times.tsx";
import { linkTo, type PlaceQuery } from "../route.ts";
import { oneDay } from "../statistics/ranges.ts";
import { counted, rate } from "../words.ts";
import { ACCOUNT_TONES } from "./accounts.tsx";
import { AccountActions } from "./actions.tsx";
import { Payments } from "./payments.tsx";

/** One account: terms, keys, payments, totals and webhooks. */
export function Account({ posId, query }: { posId: string; query: PlaceQuery }) {
  const path = pathOf.account(posId);
  const reading = useReading((calls) => calls.find<AccountAnswer>(path), 0, [path]);
  return (
    <Found reading={reading} section="accounts" none={`There is no account ${posId}.`}>
      {(account) => (
        <>
          <Panel
            title={posId}
            id="account-title"
            aside={<Tag tone={ACCOUNT_TONES[account.status]}>{account.status}</Tag>}
          >
            <Facts facts={factsOf(account)} />
            {account.status !== "deleted" && <AccountActions account={account} onChanged={reading.again} />}
          </Panel>
          <Payments posId={posId} query={query} />
          <Totals posId={posId} />
          <Webhooks posId={posId} canChange={account.status !== "deleted"} />
        </>
      )}
    </Found>
  );
}

function factsOf(account: AccountAnswer) {
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

/** What an account's payments add up to, by day. */
function Totals({ posId }: { posId: string }) {
  const { value, problem } = useReading(
    (calls) => {
      const from = new Date(Date.now() - DAYS * DAY).toISOString();
      return calls.get<{ data: StatisticsRow[] }>("/statistics", { posId, by: "day", from });
    },
    0,
    [posId],
  );
  const latest = value?.data[0];
  const ofDay =
    (statusCode?: string) =>
    ({ day }: StatisticsRow): string => {
      const { from, to } = oneDay(day ?? "");
      return linkTo("accounts", [posId], { from, to, statusCode });
    };
  return (
    <Panel
      title="Payments by day"
      id="totals-title"
      aside={<a href={linkTo("unresolved", [], { posId })}>What is unresolved</a>}
    >
      <ListTable
        label="Payments by day"
        compact
        list={{ rows: value?.data ?? null, problem }}
        none={`No payment in the last ${DAYS} days.`}
        keyOf={({ day }) => day ?? ""}
        columns={[
          { head: "Day (UTC)", cell: ({ day }) => day, href: ofDay() },
          { head: "Approved", number: true, cell: ({ transactions }) => transactions["00"], href: ofDay("00") },
          { head: "Not approved", number: true, cell: ({ transactions }) => transactions["11"], href: ofDay("11") },
          { head: "Approval rate", number: true, cell: ({ approvalRate }) => rate(approvalRate) },
        ]}
      />
      {latest !== undefined && <TimesTable label={`Times on ${latest.day ?? "the last day"}`} times={latest} />}
    </Panel>
  );
}

type Webhook = WebhookStateList["data"][number];

/** An account's webhooks: their addresses, and how far behind they are. */
function Webhooks({ posId, canChange }: { posId: string; canChange: boolean }) {
  const path = `${pathOf.account(posId)}/webhooks`;
  const { value, problem, again } = useReading((calls) => calls.get<WebhookStateList>(path), 0, [path]);
  return (
    <Panel title="Webhooks" id="webhooks-title">
      <ListTable
        label="Webhooks"
        list={{ rows: value?.data ?? null, problem }}
        none="None."
        keyOf={({ id }) => id}
        columns={[
          { head: "Host", cell: ({ host }) => host },
          { head: "State", cell: (webhook) => <State webhook={webhook} /> },
          { head: "Undelivered", number: true, cell: ({ behind }) => counted(behind, "event") },
          { head: "Next attempt", cell: ({ nextAttempt }) => <When at={nextAttempt} /> },
          {
            head: "Change",
            cell: (webhook) => canChange && webhook.enabled && <Stop posId={posId} webhook={webhook} onDone={again} />,
          },
        ]}
      />
    </Panel>
  );
}

function State({ webhook: { enabled, disabledBy } }: { webhook: Webhook }) {
  return (
    <>
      <Dot tone={enabled ? "good" : "bad"} /> {enabled ? "enabled" : `disabled by ${disabledBy ?? "the account"}`}
    </>
  );
}

function Stop({ posId, webhook: { id, host }, onDone }: { posId: string; webhook: Webhook; onDone: () => void }) {
  const path = `${pathOf.account(posId)}/webhooks/${id}`;
  return (
    <Question
      action="Stop"
      label={`Stop ${id}`}
      look="plain"
      title={`Stop the webhook to ${host}?`}
      change={{ action: "webhook.change", target: posId, call: ["PATCH", path, { enabled: false }] }}
      done={`${id} of ${posId} is stopped.`}
      onDone={onDone}
    >
      <p>
        Nothing is delivered to it until an operator starts it again: send {"{"}"enabled": true{"}"} to its path. No
        event is lost: it then continues where it stopped.
      </p>
    </Question>
  );
}
