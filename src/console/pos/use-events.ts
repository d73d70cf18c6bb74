import { PosError } from "../../client/pos.ts";
import type { AccountEvent, PosClient } from "../../client/pos.ts";
import { sleep } from "../../client/backoff.ts";
import { useEffect } from "../page/use-effect.ts";
import { useState } from "../page/use-state.ts";

/** How many earlier events it begins with, so that the user sees what has just happened. */
const FROM_BEFORE = 20;

/** How many it shows at most: the newest. */
const SHOWN = 100;

/** Milliseconds until the next attempt after a failure. */
const AGAIN = 5_000;

/** `events`: newest first; null until the first answer. `problem`: why none arrive. */
export interface Followed {
  events: AccountEvent[] | null;
  problem: string | null;
}

/** The account's events as they arrive, while the page is visible. */
export function useEvents(client: PosClient): Followed {
  const [followed, setFollowed] = useState<Followed>({ events: null, problem: null });
  useEffect(() => {
    const stop = new AbortController();
    const { signal } = stop;
    const add = (...events: AccountEvent[]): void =>
      setFollowed((known) => ({ events: [...events, ...(known.events ?? [])].slice(0, SHOWN), problem: null }));
    const complain = (problem: string | null): void => setFollowed(({ events }) => ({ events, problem }));
    void keepFollowing(client, signal, add, complain);
    return () => stop.abort();
  }, [client]);
  return followed;
}

async function keepFollowing(
  client: PosClient,
  signal: AbortSignal,
  add: (...events: AccountEvent[]) => void,
  complain: (problem: string | null) => void,
): Promise<void> {
  let before = FROM_BEFORE;
  let read: number | null = null;
  while (!signal.aborted) {
    try {
      read ??= Math.max(0, (await client.newestEvent({ signal })) - before);
      add();
      const onProblem = (problem: { message: string } | null): void => complain(problem?.message ?? null);
      for await (const event of client.events({ after: read, signal, onProblem })) {
        read = event.number;
        add(event);
      }
    } catch (error) {
      if (!(error instanceof PosError)) throw error;
      if (signal.aborted) return;
      // The earlier events are no longer stored: shows only new ones.
      if (error.kind === "invalid_request") [read, before] = [null, 0];
      complain(error.message);
      await sleep(AGAIN, signal);
    }
  }
}
