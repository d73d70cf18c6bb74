import { Dot, Notice } from "../../page/status.tsx";
import type { WebhookStateList } from "../answers.ts";
import type { Calls } from "../calls.ts";
import { Question } from "../part/question.tsx";
import { Panel } from "../part/section.tsx";
import { Table } from "../part/table.tsx";
import { useReading } from "../part/use-calls.ts";
import { When } from "../part/when.tsx";
import { counted } from "../words.ts";
import { accountPath } from "../paths.ts";

type Webhook = WebhookStateList["data"][number];

/** An account's webhooks: their addresses, and how far behind they are. */
export function Webhooks({ posId, canChange }: { posId: string; canChange: boolean }) {
  const path = `${accountPath(posId)}/webhooks`;
  const { value, problem, again } = useReading((calls) => calls.get<WebhookStateList>(path), 0, [path]);
  return (
    <Panel title="Webhooks" id="webhooks-title">
      {problem !== null && <Notice tone="bad">{problem}</Notice>}
      {value === null && problem === null && <p class="soft">Loading…</p>}
      {value?.data.length === 0 && <p class="soft">None.</p>}
      {value !== null && value.data.length > 0 && (
        <Table
          label="Webhooks"
          rows={value.data}
          keyOf={({ id }) => id}
          columns={[
            { head: "Host", cell: ({ host }) => host },
            { head: "State", cell: (webhook) => <State webhook={webhook} /> },
            { head: "Undelivered", number: true, cell: ({ behind }) => counted(behind, "event") },
            { head: "Next attempt", cell: ({ nextAttempt }) => <When at={nextAttempt} /> },
            {
              head: "Change",
              cell: (webhook) =>
                canChange && webhook.enabled && <Stop posId={posId} path={path} webhook={webhook} onDone={again} />,
            },
          ]}
        />
      )}
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

interface StopProps {
  posId: string;
  path: string;
  webhook: Webhook;
  onDone: () => void;
}

function Stop({ posId, path, webhook: { id, host }, onDone }: StopProps) {
  return (
    <Question
      action="Stop"
      label={`Stop ${id}`}
      look="plain"
      title={`Stop the webhook to ${host}?`}
      change={() => ({
        action: "webhook.change",
        target: posId,
        make: (calls: Calls) => calls.send("PATCH", `${path}/${id}`, { enabled: false }),
      })}
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
