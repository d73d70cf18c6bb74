import type { ShopAnswer } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { FilterForm, type FilterField } from "../part/filter-form.tsx";
import { linkTo } from "../route.ts";
import { clearing, go } from "../address.ts";
import { PutShop } from "./put.tsx";
import { shopPath } from "../paths.ts";

function columnsOf(again: () => void): Column<ShopAnswer>[] {
  return [
    { head: "Shop", cell: ({ name }) => name },
    { head: "Merchant", cell: ({ merchantId }) => <code>{merchantId}</code> },
    { head: "Time zone", cell: ({ timezone }) => timezone },
    {
      head: "Terminals",
      cell: ({ merchantId }) => <a href={linkTo("terminals", [], { shop: merchantId })}>Show</a>,
    },
    {
      head: "Change",
      cell: (shop) => (
        <span class="row">
          <PutShop shop={shop} onDone={again} />
          <Delete shop={shop} onDone={again} />
        </span>
      ),
    },
  ];
}

const FIELDS: [FilterField, FilterField] = [
  { name: "name", label: "Name", hint: "The beginning is enough." },
  { name: "merchantId", label: "Merchant id", hint: "The beginning is enough.", mono: true },
];

/** Shops: merchants as people know them. */
export function Shops({ query }: { query: Record<string, string> }) {
  const { name = "", merchantId = "" } = query;
  const filter = { name, merchantId };
  const list = useList<ShopAnswer>("/shops", filter);
  return (
    <Panel title="Shops" id="shops-title" aside={<PutShop shop={null} onDone={list.again} />}>
      <p class="soft">Names and time zones of merchants. Lists show them; nothing else depends on them.</p>
      <FilterForm
        fields={[FIELDS[0]]}
        more={[FIELDS[1]]}
        values={filter}
        onClear={clearing(filter, linkTo("shops"))}
        onShow={(wanted) => go(linkTo("shops", [], wanted))}
      />
      <ListTable
        label="Shops"
        list={list}
        none="None."
        columns={columnsOf(list.again)}
        keyOf={(shop) => shop.merchantId}
      />
    </Panel>
  );
}

function Delete({ shop: { merchantId, name }, onDone }: { shop: ShopAnswer; onDone: () => void }) {
  return (
    <Question
      action="Delete"
      label={`Delete ${merchantId}`}
      look="plain"
      title={`Delete the shop ${name}?`}
      change={() => ({
        action: "shop.delete",
        target: merchantId,
        make: (calls: Calls) => calls.send("DELETE", shopPath(merchantId)),
      })}
      done={`${name} is deleted.`}
      onDone={onDone}
    >
      <p>Lists show only the merchant id {merchantId} from then on. Its accounts and terminals stay as they are.</p>
    </Question>
  );
}
