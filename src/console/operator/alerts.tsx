import { ALERT_TYPES, type AlertSettings, type AlertType, DEFAULT_ALERTS } from "../../protocol/alerts.ts";
import { hasTaken } from "../../protocol/webhooks.ts";
import { Dot } from "../page/shown.tsx";
import type { AlertWebhook, AlertWebhookWithSecret } from "./answers.ts";
import { pathOf } from "./calls.ts";
import { ListPanel } from "./part/list.tsx";
import { When } from "./part/panel.tsx";
import { editing, Question, REQUIRED, rowQuestion, ShownOnce } from "./part/question.tsx";
import { useList } from "./part/reading.tsx";
import { ALERTS } from "./route.ts";
import { counted } from "./words.ts";

const WORDS: Record<AlertType, string> = {
  "transaction.contradicted": "Contrary result",
  "transaction.unresolved": "Payment not completed",
  "declines.many": "Wave of declines",
  "shop.offline": "Shop offline",
  "terminal.offline": "Terminal offline",
  "objects.behind": "Lists out of date",
};

export function Alerts() {
  const list = useList<AlertWebhook>("/webhooks", {});
  return (
    <ListPanel
      title="Alerts"
      aside={<PutWebhook webhook={null} onDone={list.again} />}
      about={
        <p class="soft">
          Your webhooks: the gateway posts each problem once when it has lasted for the minutes you choose, and once
          when it is over.
        </p>
      }
      list={list}
      none="No webhook yet: nobody is alerted."
      keyOf={({ id }) => id}
      columns={[
        { head: "Address", cell: ({ id, url }) => `${id}: ${url}` },
        {
          head: "State",
          cell: ({ enabled, disabledBy, attempts: [last] }) => (
            <>
              <Dot tone={enabled && (last === undefined || hasTaken(last.status)) ? "good" : "bad"} />{" "}
              {enabled ? "enabled" : `disabled: ${disabledBy ?? ""}`}
            </>
          ),
        },
        { head: "Undelivered", number: true, cell: ({ behind }) => counted(behind, "alert") },
        { head: "Next attempt", cell: ({ nextAttempt }) => <When at={nextAttempt} /> },
        {
          head: "Change",
          cell: (webhook) => (
            <span class="row">
              <PutWebhook webhook={webhook} onDone={list.again} />
              <Switch webhook={webhook} onDone={list.again} />
              <Question
                {...rowQuestion("Delete", webhook.id)}
                title={`Delete ${webhook.id}?`}
                change={{ action: "webhook.delete", target: ALERTS, call: ["DELETE", pathOf.alerts(webhook.id)] }}
                done={`${webhook.id} is deleted.`}
                onDone={list.again}
              >
                <p>Nothing is delivered to it from then on.</p>
              </Question>
            </span>
          ),
        },
      ]}
    />
  );
}

interface ChangeProps<Of> {
  webhook: Of;
  onDone: () => void;
}

function Switch({ webhook: { id, enabled }, onDone }: ChangeProps<AlertWebhook>) {
  const action = enabled ? "Disable" : "Enable";
  return (
    <Question
      {...rowQuestion(action, id)}
      title={`${action} ${id}?`}
      change={{ action: "webhook.change", target: ALERTS, call: ["PATCH", pathOf.alerts(id), { enabled: !enabled }] }}
      done={`${id} is ${enabled ? "disabled" : "enabled"}.`}
      onDone={onDone}
    >
      <p>
        {enabled ? "Alerts wait until it is enabled again." : "Alerts continue after the last that it has received."}
      </p>
    </Question>
  );
}

/** `webhook`: null for a new one. */
function PutWebhook({ webhook, onDone }: ChangeProps<AlertWebhook | null>) {
  const settings = webhook?.alerts ?? DEFAULT_ALERTS;
  const fields = ALERT_TYPES.map((type) => ({
    name: type,
    label: WORDS[type],
    kind: "digits" as const,
    hint: "Minutes; empty: never.",
    value: settings[type] === null ? "" : String(settings[type]),
  }));
  const url = {
    name: "url",
    label: "Address",
    hint: "https://, a public host.",
    mono: true,
    required: REQUIRED,
  } as const;
  return (
    <Question<AlertWebhookWithSecret, AlertType | "url">
      {...editing(webhook?.id, "New webhook", "New webhook", `Change ${webhook?.id}`)}
      fields={webhook === null ? [url, ...fields] : fields}
      change={({ url: address, ...minutes }) => {
        const alerts = Object.fromEntries(
          ALERT_TYPES.map((type) => [type, minutes[type] === "" ? null : Number(minutes[type])]),
        ) as AlertSettings;
        return webhook === null
          ? { action: "webhook.create", target: ALERTS, call: ["POST", "/webhooks", { url: address, alerts }] }
          : { action: "webhook.change", target: ALERTS, call: ["PATCH", pathOf.alerts(webhook.id), { alerts }] };
      }}
      done={(_values, { id }) => `${id} is saved.`}
      show={({ secret }) => webhook === null && <ShownOnce name="Secret" text={secret} />}
      onDone={onDone}
    />
  );
}
