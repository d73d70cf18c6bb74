import type { ShopAnswer } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { linkTo } from "../route.ts";
import { PutShop } from "./put.tsx";
import { shopPath } from "../paths.ts";

function columnsOf(again: () => void): Column<ShopAnswer>[] {
  return [
    { head: "Shop", cell: ({ name }) => name },
    { head: "Merchant", cell: ({ merchantId }) => <code>{merchantId}</code> },
    { head: "Time zone", cell: ({ timezone }) => timezone },
    {
      head: "Terminals",
      cell: ({ merchantId }) => <a href={linkTo("terminals", [], { merchantId })}>Show</a>,
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

/** Shops: merchants as people know them. */
export function Shops() {
  const list = useList<ShopAnswer>("/shops", {});
  return (
    <Panel title="Shops" id="shops-title" aside={<PutShop shop={null} onDone={list.again} />}>
      <p class="soft">Names and time zones of merchants. Lists show them; nothing else depends on them.</p>
      <ListTable
        label="Shops"
        list={list}
        none="None."
        columns={columnsOf(list.again)}
        keyOf={({ merchantId }) => merchantId}
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
