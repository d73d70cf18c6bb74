import { SHOP_FILTERS } from "../../protocol/operator-filters.ts";
import { TextField } from "../page/field.tsx";
import { placeOf } from "./address.ts";
import type { ShopAnswer } from "./answers.ts";
import { pathOf } from "./calls.ts";
import { fieldsOf, FilterForm } from "./part/filters.tsx";
import { Panel } from "./part/panel.tsx";
import { Question } from "./part/question.tsx";
import { ListTable } from "./part/table.tsx";
import type { Column } from "./part/table.tsx";
import { useList } from "./part/use-list.ts";
import { linkTo, textsOf, type PlaceQuery } from "./route.ts";

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

const FIELDS = fieldsOf(SHOP_FILTERS);
const isName = ({ name }: { name: string }): boolean => name === "name";

/** Shops: merchants as people know them. */
export function Shops({ query }: { query: PlaceQuery }) {
  const filter = textsOf(query, ["name", "merchantId"]);
  const list = useList<ShopAnswer>("/shops", filter);
  return (
    <Panel title="Shops" id="shops-title" aside={<PutShop shop={null} onDone={list.again} />}>
      <p class="soft">Names and time zones of merchants. Lists show them; nothing else depends on them.</p>
      <FilterForm
        place={placeOf((wanted) => linkTo("shops", [], wanted), filter)}
        fields={FIELDS.filter(isName)}
        more={FIELDS.filter((field) => !isName(field))}
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

const EMPTY = { merchantId: "", name: "", timezone: Intl.DateTimeFormat().resolvedOptions().timeZone };

/** A new shop, or a new name or time zone of an existing one. `shop`: null for a new one. */
function PutShop({ shop, onDone }: { shop: ShopAnswer | null; onDone: () => void }) {
  return (
    <Question
      action={shop === null ? "New shop" : "Change"}
      label={shop === null ? undefined : `Change ${shop.merchantId}`}
      look={shop === null ? "quiet" : "plain"}
      title={shop === null ? "New shop" : `Change the shop ${shop.name}`}
      confirm="Save"
      fields={shop === null ? EMPTY : { merchantId: shop.merchantId, name: shop.name, timezone: shop.timezone }}
      change={({ merchantId, name, timezone }) =>
        merchantId === "" || name === "" || timezone === ""
          ? { problems: { timezone: "All three fields are required." } }
          : { action: "shop.put", target: merchantId, call: ["PUT", pathOf.shop(merchantId), { name, timezone }] }
      }
      done={({ name }) => `${name} is saved.`}
      onDone={onDone}
    >
      {({ field }) => (
        <>
          {shop === null && <TextField label="Merchant id" mono {...field("merchantId")} />}
          <TextField label="Name" hint="Shown in lists, such as Corner shop." {...field("name")} />
          <TextField label="Time zone" hint="Such as Asia/Kuala_Lumpur." {...field("timezone")} />
          <p class="soft">Lists show both from then on. Accounts and terminals stay as they are.</p>
        </>
      )}
    </Question>
  );
}

function Delete({ shop: { merchantId, name }, onDone }: { shop: ShopAnswer; onDone: () => void }) {
  return (
    <Question
      action="Delete"
      label={`Delete ${merchantId}`}
      look="plain"
      title={`Delete the shop ${name}?`}
      change={{ action: "shop.delete", target: merchantId, call: ["DELETE", pathOf.shop(merchantId)] }}
      done={`${name} is deleted.`}
      onDone={onDone}
    >
      <p>Lists show only the merchant id {merchantId} from then on. Its accounts and terminals stay as they are.</p>
    </Question>
  );
}
