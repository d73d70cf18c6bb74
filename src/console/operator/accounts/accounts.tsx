import { Choice } from "../../page/choice.tsx";
import { Tag } from "../../page/status.tsx";
import type { AccountAnswer } from "../answers.ts";
import { Named } from "../part/named.tsx";
import { BY_ID_OR_NAME, FilterForm } from "../part/filter-form.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { accountLink, linkTo } from "../route.ts";
import { clearing, go } from "../address.ts";
import { CreateAccount } from "./create.tsx";

export const ACCOUNT_TONES = { active: "good", suspended: "pending", deleted: "neutral" } as const;

const COLUMNS: Column<AccountAnswer>[] = [
  {
    head: "Account",
    cell: ({ posId, name }) => <Named id={posId} name={name} link={accountLink(posId)} />,
  },
  { head: "Status", cell: ({ status }) => <Tag tone={ACCOUNT_TONES[status]}>{status}</Tag> },
  { head: "Merchant", cell: ({ merchantId }) => merchantId },
  { head: "Currency", cell: ({ currency }) => currency },
  { head: "Time zone", cell: ({ timezone }) => timezone },
];

const STATUSES = ["active", "suspended", "deleted"].map((value) => ({ value, label: value }));

const MORE = [{ name: "merchantId", label: "Merchant id", hint: "All of it.", mono: true }];

export function Accounts({ query }: { query: Record<string, string> }) {
  const { text = "", merchantId = "", status = "" } = query;
  const show = (change: Record<string, string>): void =>
    go(linkTo("accounts", [], { text, merchantId, status, ...change }));
  const byId = useList<AccountAnswer>("/accounts", { posId: text, merchantId, status });
  return (
    <Panel title="Accounts" id="accounts-title" aside={<CreateAccount onDone={byId.again} />}>
      <FilterForm
        fields={[BY_ID_OR_NAME]}
        more={MORE}
        values={{ text, merchantId }}
        onShow={show}
        onClear={clearing({ text, merchantId, status }, linkTo("accounts"))}
      />
      <Choice
        label="Status"
        value={status}
        options={[{ value: "", label: "All" }, ...STATUSES]}
        onChoose={(value) => show({ status: value })}
      />
      <ListTable label="Accounts" list={byId} none="None." columns={COLUMNS} keyOf={({ posId }) => posId} />
      {text !== "" && <ByName text={text} merchantId={merchantId} status={status} />}
    </Panel>
  );
}

function ByName({ text, merchantId, status }: { text: string; merchantId: string; status: string }) {
  const list = useList<AccountAnswer>("/accounts", { name: text, merchantId, status });
  if (list.rows?.length === 0 && !list.more) return null;
  return (
    <>
      <h3>By name</h3>
      <ListTable label="Accounts by name" list={list} none="" columns={COLUMNS} keyOf={({ posId }) => posId} />
    </>
  );
}
