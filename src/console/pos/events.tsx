import { useEffect, useState } from "preact/hooks";
import { PosError, type AccountEvent, type PosClient } from "../../client/pos.ts";
import { sleep } from "../../client/backoff.ts";
import { Panel, ReadingState, Rows } from "./reading.tsx";
import { EventRow } from "./recorded.tsx";
import type { Till } from "./till.ts";

/** Earlier events at the start, so that the user sees what has just happened. */
const FROM_BEFORE = 20;

const SHOWN = 100;

/** Milliseconds until the retry after a failure. */
const AGAIN = 5_000;

/** Events from every till of the account, not only this one. */
export function Events({ till }: { till: Till }) {
  const { events, skipped, problem } = useEvents(till.client);
  return (
    <Panel till={till} id="events-title" title="Events" path="/api/events?after=0" prefer="wait=60">
      <ReadingState value={events} problem={problem} />
      {skipped > 0 && <p class="soft">{skipped} events are missing here: they were deleted after 400 days.</p>}
      <div role="log" aria-label="Events, newest first">
        <Rows
          items={events}
          empty="None yet. A transaction becomes an event when its outcome is known."
          row={(event) => <EventRow key={event.number} event={event} />}
        />
      </div>
    </Panel>
  );
}

/**
 * `events`: newest first; null until the first answer. `skipped`: how many were deleted. `problem`: why none arrive.
 */
interface Followed {
  events: AccountEvent[] | null;
  skipped: number;
  problem: string | null;
}

function useEvents(client: PosClient): Followed {
  const [followed, setFollowed] = useState<Followed>({ events: null, skipped: 0, problem: null });
  useEffect(() => {
    const stop = new AbortController();
    void keepFollowing(client, stop.signal, (change) => setFollowed((known) => ({ ...known, ...change(known) })));
    return () => stop.abort();
  }, [client]);
  return followed;
}

type Change = (change: (known: Followed) => Partial<Followed>) => void;

async function keepFollowing(client: PosClient, signal: AbortSignal, change: Change): Promise<void> {
  const complain = (problem: string | null): void => change(() => ({ problem }));
  const onSkipped = (count: number): void => change(({ skipped }) => ({ skipped: skipped + count }));
  const onProblem = (problem: { message: string } | null): void => complain(problem?.message ?? null);
  let read: number | null = null;
  while (!signal.aborted) {
    try {
      read ??= Math.max(0, (await client.newestEvent({ signal })) - FROM_BEFORE);
      change(({ events }) => ({ events: events ?? [], problem: null }));
      for await (const event of client.events({ after: read, signal, onProblem, onSkipped })) {
        read = event.number;
        change(({ events }) => ({ events: [event, ...(events ?? [])].slice(0, SHOWN), problem: null }));
      }
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      if (signal.aborted) return;
      // The gateway has lost its data: its event numbers start again.
      if (error.kind === "invalid_request") read = null;
      complain(error.message);
      await sleep(AGAIN, signal);
    }
  }
}
