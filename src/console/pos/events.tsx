import { useState } from "preact/hooks";
import type { AccountEvent } from "../../client/pos.ts";
import { Button } from "../page/button.tsx";
import { JsonCode } from "../page/code.tsx";
import { CopyButton } from "../page/copy.tsx";
import { Dot, Notice } from "../page/status.tsx";
import { curlOf } from "./curl.ts";
import { eventWords } from "./event-words.ts";
import type { Till } from "./till.ts";
import { useEvents } from "./use-events.ts";

/** The account's events as the gateway records them, from every till. */
export function Events({ till }: { till: Till }) {
  const { events, skipped, problem } = useEvents(till.client);
  const call = { baseUrl: till.baseUrl, method: "GET", path: "/api/events?after=0", prefer: "wait=60" } as const;
  return (
    <section class="panel" aria-labelledby="events-title">
      <div class="row spread">
        <h3 id="events-title">Events</h3>
        <CopyButton text={curlOf(call)} label="Copy as curl" />
      </div>
      {problem !== null && <Notice tone="pending">{problem}</Notice>}
      {skipped > 0 && <p class="soft">{skipped} events are missing here: they were deleted after 400 days.</p>}
      {events === null && problem === null && <p class="soft">Loading…</p>}
      {events?.length === 0 && <p class="soft">None yet. A transaction becomes an event when its outcome is known.</p>}
      <div role="log" aria-label="Events, newest first">
        {events !== null && events.length > 0 && (
          <ol class="list" reversed>
            {events.map((event) => (
              <EventRow key={event.number} event={event} />
            ))}
          </ol>
        )}
      </div>
    </section>
  );
}

function EventRow({ event }: { event: AccountEvent }) {
  const [isOpen, setOpen] = useState(false);
  const { number, timestamp } = event;
  const { tone, what, amount, where, state } = eventWords(event);
  return (
    <li class="list-row event-row">
      <Dot tone={tone} />
      <span class="mono soft small event-number">{number}</span>
      <span class="mono soft small">{timestamp.slice(11, 19)}</span>
      <span class="list-main">
        {what} <span class="mono">{amount}</span> <span class="mono small soft event-where">{where}</span>
      </span>
      <span class="soft small list-state">{state}</span>
      <Button look="plain" label={`Details of event ${number}`} expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        Details
      </Button>
      {isOpen && (
        <div class="list-more">
          <JsonCode value={event} label={`Event ${number}`} />
        </div>
      )}
    </li>
  );
}
