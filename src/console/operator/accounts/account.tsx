import { Notice, Tag } from "../../page/status.tsx";
import type { AccountAnswer } from "../answers.ts";
import { Facts } from "../part/facts.tsx";
import { Panel } from "../part/section.tsx";
import { useReading } from "../part/use-calls.ts";
import { When } from "../part/when.tsx";
import { linkTo } from "../route.ts";
import { ACCOUNT_TONES } from "./accounts.tsx";
import { AccountActions } from "./actions.tsx";
import { Payments } from "./payments.tsx";
import { Totals } from "./totals.tsx";
import { Webhooks } from "./webhooks.tsx";
import { accountPath } from "../paths.ts";

const NONE = "none";

/** One account: terms, keys, payments, totals and webhooks. */
export function Account({ posId, query }: { posId: string; query: Record<string, string> }) {
  const path = accountPath(posId);
  const { value, problem, again } = useReading(async (calls) => (await calls.find<AccountAnswer>(path)) ?? NONE, 0, [
    path,
  ]);
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  if (value === NONE) return <Notice tone="bad">There is no account {posId}.</Notice>;
  const facts = [
    ["Name", value.name ?? "–"],
    ["Merchant", value.merchantId],
    ["Currency", value.currency],
    ["Time zone", value.timezone],
    ["Region", value.region ?? "near its time zone"],
    ["Unbinding and prebinding", value.signedChanges ? "must be signed" : "a token is enough"],
    ["Created", <When at={value.createdAt} />],
    ["Terminals", <a href={linkTo("terminals", [], { boundTo: posId })}>Those bound to it</a>],
    ["Changes", <a href={linkTo("audit", [], { target: posId })}>Audit log</a>],
  ] as const;
  return (
    <>
      <p>
        <a href={linkTo("accounts")}>Accounts</a>
      </p>
      {problem !== null && <Notice tone="pending">Not up to date. {problem}</Notice>}
      <Panel title={posId} id="account-title" aside={<Tag tone={ACCOUNT_TONES[value.status]}>{value.status}</Tag>}>
        <Facts facts={facts} />
        {value.status !== "deleted" && <AccountActions account={value} onChanged={again} />}
      </Panel>
      <Payments posId={posId} query={query} />
      <Totals posId={posId} />
      <Webhooks posId={posId} canChange={value.status !== "deleted"} />
    </>
  );
}
