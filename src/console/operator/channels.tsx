import { Choice } from "../page/choice.tsx";
import { TextField } from "../page/field.tsx";
import { Dot } from "../page/status.tsx";
import type { ChannelPage } from "./answers.ts";
import { pathOf } from "./calls.ts";
import { Panel } from "./part/panel.tsx";
import { Question } from "./part/question.tsx";
import { useReading } from "./part/reading.tsx";
import { ListTable } from "./part/table.tsx";
import type { Column } from "./part/table.tsx";

type Channel = ChannelPage["data"][number];

/** E-wallet channels. */
export function Channels() {
  const { value, problem, again } = useReading((calls) => calls.get<ChannelPage>("/channels"), 0, []);
  return (
    <Panel title="E-wallet channels" id="channels-title" aside={<PutChannel channel={null} onDone={again} />}>
      <ListTable
        label="E-wallet channels"
        list={{ rows: value?.data ?? null, problem }}
        none="None. Sales with a QR code that the customer scans are refused."
        columns={columnsOf(again)}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

function columnsOf(again: () => void): Column<Channel>[] {
  return [
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
          <PutChannel channel={channel} onDone={again} />
          <Delete name={channel.name} onDone={again} />
        </span>
      ),
    },
  ];
}

const EMPTY = { name: "", status: "1", currency: "", logoUrl3: "" };

const STATUSES = [
  { value: "1", label: "Active" },
  { value: "0", label: "Inactive" },
];

function putOf({ name, status, currency: codes, logoUrl3 }: typeof EMPTY) {
  const currency = codes.split(/[\s,]+/u).filter((code) => code !== "");
  if (name === "" || currency.length === 0 || logoUrl3 === "") {
    return { problems: { logoUrl3: "Name, currencies and logo are required." } };
  }
  const body = { status: Number(status), currency, logoUrl3 };
  return { action: "channel.put", target: name, call: ["PUT", pathOf.channel(name), body] } as const;
}

function fieldsOf({ name, status, currency, logoUrl3 }: Channel): typeof EMPTY {
  return { name, status: String(status), currency: currency.join(", "), logoUrl3 };
}

/** A new channel, or a new state of an existing one. `channel`: null for a new one. */
function PutChannel({ channel, onDone }: { channel: Channel | null; onDone: () => void }) {
  return (
    <Question
      action={channel === null ? "New channel" : "Change"}
      label={channel === null ? undefined : `Change ${channel.name}`}
      look={channel === null ? "quiet" : "plain"}
      title={channel === null ? "Add a channel" : `Change the channel ${channel.name}`}
      confirm="Save"
      fields={channel === null ? EMPTY : fieldsOf(channel)}
      change={putOf}
      done={({ name }) => `${name} is saved.`}
      onDone={onDone}
    >
      {({ values, set, field }) => (
        <>
          {channel === null && <TextField label="Name" hint="Tills name it in paymentChannel." {...field("name")} />}
          <Choice label="Status" value={values.status} options={STATUSES} onChoose={set("status")} />
          <p class="soft">Sales with an inactive channel get 11 CHANNEL_INACTIVE. A change takes up to a minute.</p>
          <TextField label="Currencies" mono hint="Such as MYR, SGD." {...field("currency")} />
          <TextField label="Logo" hint="Its address, such as https://example.com/logo.png." {...field("logoUrl3")} />
        </>
      )}
    </Question>
  );
}

function Delete({ name, onDone }: { name: string; onDone: () => void }) {
  return (
    <Question
      action="Delete"
      label={`Delete ${name}`}
      look="plain"
      title={`Delete the channel ${name}?`}
      change={{ action: "channel.delete", target: name, call: ["DELETE", pathOf.channel(name)] }}
      done={`${name} is deleted.`}
      onDone={onDone}
    >
      <p>Sales that name it are refused within a minute.</p>
    </Question>
  );
}
