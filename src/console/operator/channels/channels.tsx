import { Dot, Notice } from "../../page/status.tsx";
import type { ChannelPage } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { useReading } from "../part/use-calls.ts";
import { PutChannel } from "./put.tsx";
import { channelPath } from "../paths.ts";

/** E-wallet channels. */
export function Channels() {
  const { value, problem, again } = useReading((calls) => calls.get<ChannelPage>("/channels"), 0, []);
  return (
    <Panel title="E-wallet channels" id="channels-title" aside={<PutChannel channel={null} onDone={again} />}>
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {value === null && problem === null && <p class="soft">Loading…</p>}
      {value?.data.length === 0 && <p class="soft">None. Sales with a QR code that the customer scans are refused.</p>}
      {value !== null && value.data.length > 0 && (
        <Table
          label="E-wallet channels"
          rows={value.data}
          keyOf={({ name }) => name}
          columns={[
            { head: "Channel", cell: ({ name }) => name },
            { head: "Status", cell: ({ status }) => <Status status={status} /> },
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
          ]}
        />
      )}
    </Panel>
  );
}

function Status({ status }: { status: number }) {
  return (
    <>
      <Dot tone={status === 1 ? "good" : "neutral"} /> {status === 1 ? "active" : "inactive"}
    </>
  );
}

function Delete({ name, onDone }: { name: string; onDone: () => void }) {
  return (
    <Question
      action="Delete"
      label={`Delete ${name}`}
      look="plain"
      title={`Delete the channel ${name}?`}
      change={() => ({
        action: "channel.delete",
        target: name,
        make: (calls: Calls) => calls.send("DELETE", channelPath(name)),
      })}
      done={`${name} is deleted.`}
      onDone={onDone}
    >
      <p>Sales that name it are refused within a minute.</p>
    </Question>
  );
}
