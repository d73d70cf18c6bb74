import { useState } from "preact/hooks";
import type { Webhook, WebhookAttempt } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { Form } from "../page/call-form.tsx";
import { CopyButton } from "../page/copy.tsx";
import { Question } from "../page/dialog.tsx";
import { TextField } from "../page/field.tsx";
import { Dot } from "../page/status.tsx";
import type { Tone } from "../page/tone.ts";
import { outcomeOf, Panel, ReadingState, Rows, SaidNotice, usePolling, type Said } from "./reading.tsx";
import type { Till } from "./till.ts";

/** Milliseconds between two readings of the deliveries. */
const LOOK_EVERY = 2_000;

const TITLE = "webhooks-title";

/** The addresses to which the account's events are posted, and the state of the deliveries. */
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
  const [isAsking, setAsking] = useState(false);
  const [said, setSaid] = useState<Said | null>(null);
  const attempt = async (call: () => Promise<string>): Promise<void> => {
    setSaid(await outcomeOf(call));
    onChange();
  };
  const test = async (): Promise<string> => {
    const { status, milliseconds } = await till.client.testWebhook(id);
    return `The ping got ${status === null ? "no answer" : status} after ${milliseconds} ms.`;
  };
  const turn = async (): Promise<string> => {
    await till.client.changeWebhook(id, { enabled: !enabled });
    return enabled ? "Disabled. Its position is kept." : "Enabled. It continues where it stopped.";
  };
  const remove = async (): Promise<string> => {
    setAsking(false);
    await till.client.removeWebhook(id);
    // The button that had the focus is about to disappear.
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
      <Button look="plain" label={`Test ${id}`} onClick={() => void attempt(test)}>
        Test
      </Button>
      <Button look="plain" label={`${enabled ? "Disable" : "Enable"} ${id}`} onClick={() => void attempt(turn)}>
        {enabled ? "Disable" : "Enable"}
      </Button>
      <Button look="plain" label={`Delete ${id}`} onClick={() => setAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <Question
          title={`Delete ${id}?`}
          action="Delete"
          onYes={() => void attempt(remove)}
          onNo={() => setAsking(false)}
        >
          {url} gets no more events, and its secret is gone. A webhook that you add later begins with the next event.
        </Question>
      )}
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
                  <Dot tone={isTaken(one) ? "good" : "bad"} />
                  {attemptWords(one).map((words, column) => (
                    <span key={column}>{words}</span>
                  ))}
                </li>
              ))}
            </ol>
          )}
        </div>
      )}
      <SaidNotice said={said} look="list-more" />
    </li>
  );
}

function NewWebhook({ till, onAdded }: { till: Till; onAdded: () => void }) {
  const [url, setUrl] = useState("");
  const [secret, setSecret] = useState<string | null>(null);
  const [said, setSaid] = useState<Said | null>(null);
  const add = async (): Promise<void> => {
    setSecret(null);
    setSaid(
      await outcomeOf(async () => {
        const made = await till.client.addWebhook(url);
        setSecret(made.secret);
        setUrl("");
        return `${made.id} gets every event from now on. Copy its secret now: it is never shown again.`;
      }),
    );
    onAdded();
  };
  return (
    <Form look="panel" labelledBy="new-webhook-title" onSubmit={add}>
      <h3 id="new-webhook-title">Add a webhook</h3>
      <TextField
        label="Address"
        name="url"
        mono
        value={url}
        hint="https, on the default port, at a public host name. On your own machine also http://localhost:PORT."
        onInput={setUrl}
      />
      <div class="row">
        <Button>Add the webhook</Button>
        {secret !== null && <CopyButton text={secret} label="Copy the secret" />}
      </div>
      <SaidNotice said={said} />
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
  const fails = last !== undefined && !isTaken(last);
  const next = fails && nextAttempt !== null ? `, next attempt ${clockOf(nextAttempt)}` : "";
  return { tone: fails ? "bad" : "pending", state: `${behind} behind${next}` };
}

/** `10:15:42  event 41  204  85 ms` */
function attemptWords({ number, at, status, milliseconds }: WebhookAttempt): string[] {
  return [clockOf(at), `event ${number}`, status === null ? "no answer" : String(status), `${milliseconds} ms`];
}

function isTaken({ status }: WebhookAttempt): boolean {
  return status !== null && status >= 200 && status < 300;
}

/** The time of day in an ISO 8601 time, as written there. */
function clockOf(time: string): string {
  return time.slice(11, 19);
}
