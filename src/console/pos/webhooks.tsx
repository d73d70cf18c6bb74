import { useState } from "preact/hooks";
import type { Webhook, WebhookAttempt } from "../../client/pos.ts";
import { Button, CopyButton, Form, TextField } from "../page/controls.tsx";
import { Dot } from "../page/shown.tsx";
import type { Tone } from "../page/declared.ts";
import { hasTaken } from "../../protocol/webhooks.ts";
import { Asking, Panel, ReadingState, Rows, useAttempt, usePolling } from "./reading.tsx";
import type { Till } from "./till.ts";

/** Milliseconds. */
const LOOK_EVERY = 2_000;

const TITLE = "webhooks-title";

export function Webhooks({ till }: { till: Till }) {
  const { value, problem, again } = usePolling((options) => till.client.webhooks(options), LOOK_EVERY, [till]);
  return (
    <>
      <Panel till={till} id={TITLE} title="Webhooks" path="/api/webhooks">
        <ReadingState value={value} problem={problem} />
        <Rows
          items={value}
          empty="None yet. Add the address of your server below."
          row={(webhook) => <WebhookRow key={webhook.id} till={till} webhook={webhook} onChange={again} />}
        />
      </Panel>
      <NewWebhook till={till} onAdded={again} />
    </>
  );
}

function WebhookRow({ till, webhook, onChange }: { till: Till; webhook: Webhook; onChange: () => void }) {
  const { id, url, enabled, attempts, cursor, skipped } = webhook;
  const [isOpen, setOpen] = useState(false);
  const { attempt: make, notice } = useAttempt();
  const attempt = (call: () => Promise<string>): void => void make(call).then(onChange);
  const test = async (): Promise<string> => {
    const { status, milliseconds } = await till.client.testWebhook(id);
    return `The ping got ${status === null ? "no answer" : status} after ${milliseconds} ms.`;
  };
  const turn = async (): Promise<string> => {
    await till.client.changeWebhook(id, { enabled: !enabled });
    return enabled ? "Disabled. Its position is kept." : "Enabled. It continues where it stopped.";
  };
  const remove = async (): Promise<string> => {
    await till.client.removeWebhook(id);
    // The button that has the focus is about to disappear.
    document.getElementById(TITLE)?.focus();
    return "Deleted.";
  };
  const { tone, state } = webhookWords(webhook);
  return (
    <li class="list-row">
      <Dot tone={tone} />
      <span class="mono soft small">{id}</span>
      <span class="mono list-main webhook-url">{url}</span>
      <span class="soft small list-state">{state}</span>
      <Button look="plain" label={`Attempts of ${id}`} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Attempts
      </Button>
      <Button look="plain" label={`Test ${id}`} onClick={() => attempt(test)}>
        Test
      </Button>
      <Button look="plain" label={`${enabled ? "Disable" : "Enable"} ${id}`} onClick={() => attempt(turn)}>
        {enabled ? "Disable" : "Enable"}
      </Button>
      <Asking action="Delete" target={id} title={`Delete ${id}?`} onYes={() => attempt(remove)}>
        {url} gets no more events, and its secret is gone. A webhook that you add later begins with the next event.
      </Asking>
      {isOpen && (
        <div class="list-more">
          <p class="soft small">
            Delivered up to event {cursor}
            {skipped === 0 ? "." : `; ${skipped} events were deleted before they could be delivered.`}
          </p>
          {attempts.length === 0 && <p class="soft small">No attempt yet.</p>}
          {attempts.length > 0 && (
            <ol class="attempts small" aria-label={`Attempts of ${id}, newest first`}>
              {attempts.map((one) => (
                <li key={`${one.at} ${one.number}`} class="mono">
                  <Dot tone={hasTaken(one.status) ? "good" : "bad"} />
                  {attemptWords(one).map((words, column) => (
                    <span key={column}>{words}</span>
                  ))}
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
      {notice("list-more")}
    </li>
  );
}

function NewWebhook({ till, onAdded }: { till: Till; onAdded: () => void }) {
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const { attempt, notice } = useAttempt();
  const add = async (): Promise<string> => {
    setSecret(null);
    const made = await till.client.addWebhook(url);
    setSecret(made.secret);
    setUrl("");
    return `${made.id} gets every event from now on. Copy its secret now: it is never shown again.`;
  };
  return (
    <Form look="panel" labelledBy="new-webhook-title" onSubmit={() => attempt(add).then(onAdded)}>
      <h3 id="new-webhook-title">Add a webhook</h3>
      <TextField
        label="Address"
        code="url"
        mono
        value={url}
        hint="https, on the default port, at a public host name. On your own machine also http://localhost:PORT."
        onInput={setUrl}
      />
      <div class="row">
        <Button>Add the webhook</Button>
        {secret !== null && <CopyButton text={secret} label="Copy the secret" />}
      </div>
      {notice()}
    </Form>
  );
}

const DISABLED: Record<NonNullable<Webhook["disabledBy"]>, string> = {
  account: "disabled",
  operator: "disabled by the operator",
  failing: "disabled: failed for three days",
  gone: "disabled: it answered 410",
};

function webhookWords({ disabledBy, behind, attempts, nextAttempt }: Webhook): { tone: Tone; state: string } {
  if (disabledBy !== null) return { tone: disabledBy === "account" ? "neutral" : "bad", state: DISABLED[disabledBy] };
  if (behind === 0) return { tone: "good", state: "up to date" };
  const [last] = attempts;
  const fails = last !== undefined && !hasTaken(last.status);
  const next = fails && nextAttempt !== null ? `, next attempt ${clockOf(nextAttempt)}` : "";
  return { tone: fails ? "bad" : "pending", state: `${behind} behind${next}` };
}

/** `10:15:42  event 41  204  85 ms` */
function attemptWords({ number, at, status, milliseconds }: WebhookAttempt): string[] {
  return [clockOf(at), `event ${number}`, status === null ? "no answer" : String(status), `${milliseconds} ms`];
}

/** In the zone of the ISO 8601 time. */
function clockOf(time: string): string {
  return time.slice(11, 19);
}
