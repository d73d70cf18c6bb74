import type { RenderableProps } from "preact";
import { SHOP_FILTERS } from "../../protocol/operator-filters.ts";
import { Dot } from "../page/shown.tsx";
import { makePlace } from "./address.ts";
import type { ChannelPage, ShopAnswer } from "./answers.ts";
import { pathOf } from "./operator-calls.ts";
import { filterFields, ListPanel, Tabs } from "./part/list.tsx";
import { editing, Question, REQUIRED, rowQuestion } from "./part/question.tsx";
import { useList } from "./part/reading.tsx";
import { linkTo, readTexts, type PlaceQuery } from "./route.ts";

export function Shops({ query }: { query: PlaceQuery }) {
  const filter = readTexts(query, ["name", "merchantId"]);
  const list = useList<ShopAnswer>("/shops", filter);
  const { name, merchantId } = SHOP_FILTERS;
  return (
    <ListPanel
      title="Shops"
      aside={<PutShop shop={null} onDone={list.again} />}
      about={
        <>
          <SetupTabs present="shops" />
          <p class="soft">Names and time zones of merchants. Lists show them; nothing else depends on them.</p>
        </>
      }
      list={list}
      place={makePlace(filter)}
      fields={filterFields({ name })}
      more={filterFields({ merchantId })}
      none="None."
      keyOf={(shop) => shop.merchantId}
      columns={[
        { head: "Shop", cell: (shop) => shop.name },
        { head: "Merchant", cell: (shop) => <code>{shop.merchantId}</code> },
        { head: "Time zone", cell: ({ timezone }) => timezone },
        {
          head: "Terminals",
          cell: (shop) => <a href={linkTo("terminals", [], { shop: shop.merchantId })}>Show</a>,
        },
        {
          head: "Turnover",
          cell: (shop) => (
            <a href={linkTo("statistics", [], { by: "day", hours: "168", shop: shop.merchantId })}>Show</a>
          ),
        },
        {
          head: "Change",
          cell: (shop) => (
            <span class="row">
              <PutShop shop={shop} onDone={list.again} />
              <Delete kind="shop" id={shop.merchantId} name={shop.name} onDone={list.again}>
                Lists show only the merchant id {shop.merchantId} from then on. Its accounts and terminals stay as they
                are.
              </Delete>
            </span>
          ),
        },
      ]}
    />
  );
}

function SetupTabs({ present }: { present: "shops" | "channels" }) {
  const tabs = [
    { words: "Shops", href: linkTo("shops"), isPresent: present === "shops" },
    { words: "E-wallet channels", href: linkTo("channels"), isPresent: present === "channels" },
  ];
  return <Tabs label="Setup" tabs={tabs} />;
}

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** @param shop null for a new one */
function PutShop({ shop, onDone }: { shop: ShopAnswer | null; onDone: () => void }) {
  return (
    <Question
      {...editing(shop?.merchantId, "New shop", "New shop", `Change the shop ${shop?.name}`)}
      fields={[
        ...(shop === null
          ? [{ name: "merchantId", label: "Merchant id", mono: true, required: REQUIRED } as const]
          : []),
        {
          name: "name",
          label: "Name",
          hint: "Shown in lists, such as Corner shop.",
          value: shop?.name,
          required: REQUIRED,
        },
        {
          name: "timezone",
          label: "Time zone",
          hint: "Such as Asia/Kuala_Lumpur.",
          value: shop?.timezone ?? ZONE,
          required: REQUIRED,
        },
      ]}
      change={({ merchantId, ...terms }) => {
        const target = shop?.merchantId ?? merchantId;
        return { action: "shop.put", target, call: ["PUT", pathOf.shop(target), terms] };
      }}
      done={({ name }) => `${name} is saved.`}
      onDone={onDone}
    >
      <p class="soft">Lists show both from then on. Accounts and terminals stay as they are.</p>
    </Question>
  );
}

type Channel = ChannelPage["data"][number];

export function Channels() {
  const list = useList<Channel>("/channels", {});
  return (
    <ListPanel
      title="E-wallet channels"
      about={<SetupTabs present="channels" />}
      aside={<PutChannel channel={null} onDone={list.again} />}
      list={list}
      none="None. Sales with a QR code that the customer scans are refused."
      keyOf={({ name }) => name}
      columns={[
        { head: "Channel", cell: ({ name }) => name },
        {
          head: "Status",
          cell: ({ status }) => (
            <>
              <Dot tone={status === 1 ? "good" : "neutral"} /> {status === 1 ? "active" : "inactive"}
            </>
          ),
        },
        { head: "Currencies", cell: ({ currency }) => currency.join(", ") },
        {
          head: "Change",
          cell: (channel) => (
            <span class="row">
              <PutChannel channel={channel} onDone={list.again} />
              <Delete kind="channel" id={channel.name} name={channel.name} onDone={list.again}>
                Sales that name it are refused within a minute.
              </Delete>
            </span>
          ),
        },
      ]}
    />
  );
}

const STATUSES = [
  { value: "1", label: "Active" },
  { value: "0", label: "Inactive" },
];

/** @param channel null for a new one */
function PutChannel({ channel, onDone }: { channel: Channel | null; onDone: () => void }) {
  return (
    <Question
      {...editing(channel?.name, "New channel", "Add a channel", `Change the channel ${channel?.name}`)}
      fields={[
        ...(channel === null
          ? [{ name: "name", label: "Name", hint: "POSes name it in paymentChannel.", required: REQUIRED } as const]
          : []),
        { name: "status", kind: "choice", label: "Status", options: STATUSES, value: String(channel?.status ?? 1) },
        {
          name: "currency",
          label: "Currencies",
          mono: true,
          hint: "Such as MYR, SGD.",
          value: channel?.currency.join(", "),
          required: REQUIRED,
        },
        {
          name: "logoUrl3",
          label: "Logo",
          hint: "Its address, such as https://example.com/logo.png.",
          value: channel?.logoUrl3,
          required: REQUIRED,
        },
      ]}
      change={({ name, status, currency: codes, logoUrl3 }) => {
        const target = channel?.name ?? name;
        const currency = codes.split(/[\s,]+/u).filter((code) => code !== "");
        const body = { status: Number(status), currency, logoUrl3 };
        return { action: "channel.put", target, call: ["PUT", pathOf.channel(target), body] };
      }}
      done={({ name }) => `${channel?.name ?? name} is saved.`}
      onDone={onDone}
    >
      <p class="soft">Sales with an inactive channel get 11 CHANNEL_INACTIVE. A change takes up to a minute.</p>
    </Question>
  );
}

interface DeleteProps {
  kind: "shop" | "channel";
  id: string;
  name: string;
  onDone: () => void;
}

function Delete({ kind, id, name, onDone, children }: RenderableProps<DeleteProps>) {
  return (
    <Question
      {...rowQuestion("Delete", id)}
      title={`Delete the ${kind} ${name}?`}
      ends={id}
      change={{ action: `${kind}.delete`, target: id, call: ["DELETE", pathOf[kind](id)] }}
      done={`${name} is deleted.`}
      onDone={onDone}
    >
      <p>{children}</p>
    </Question>
  );
}
