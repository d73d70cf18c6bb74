import { ACCOUNT_FILTERS } from "../../../protocol/operator-filters.ts";
import { Choice } from "../../page/choice.tsx";
import { Tag } from "../../page/status.tsx";
import { placeOf } from "../address.ts";
import type { AccountAnswer } from "../answers.ts";
import { BY_ID_OR_NAME, fieldsOf, FilterForm, optionsOf } from "../part/filters.tsx";
import { Named, Panel } from "../part/panel.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { accountLink, linkTo, textsOf, type PlaceQuery } from "../route.ts";
import { CreateAccount } from "./forms.tsx";

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

const STATUSES = optionsOf(ACCOUNT_FILTERS.status.of);

export function Accounts({ query }: { query: PlaceQuery }) {
  const { text, ...filter } = textsOf(query, ["text", "merchantId", "status"]);
  const place = placeOf((wanted) => linkTo("accounts", [], wanted), { text, ...filter });
  const byId = useList<AccountAnswer>("/accounts", { ...filter, posId: text });
  return (
    <Panel title="Accounts" id="accounts-title" aside={<CreateAccount onDone={byId.again} />}>
      <FilterForm place={place} fields={[BY_ID_OR_NAME]} more={fieldsOf(ACCOUNT_FILTERS)} />
      <Choice label="Status" value={filter.status} options={STATUSES} onChoose={(status) => place.show({ status })} />
      <ListTable label="Accounts" list={byId} none="None." columns={COLUMNS} keyOf={({ posId }) => posId} />
      {text !== "" && <ByName query={{ ...filter, name: text }} />}
    </Panel>
  );
}

function ByName({ query }: { query: PlaceQuery }) {
  const list = useList<AccountAnswer>("/accounts", query);
  if (list.rows?.length === 0 && !list.more) return null;
  return (
    <>
      <h3>By name</h3>
      <ListTable label="Accounts by name" list={list} none="" columns={COLUMNS} keyOf={({ posId }) => posId} />
    </>
  );
}
