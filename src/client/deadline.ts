/** The deadline passed, or the caller's signal was aborted. */
export class EndedEarly extends Error {
  override readonly name = "EndedEarly";
}

/**
 * Runs `work`. Rejects with `EndedEarly` when `within` milliseconds are over or `outer` is aborted, even if the work ignores
 * its signal.
 *
 * Not by `AbortSignal.timeout` alone: a runtime may collect such a signal as garbage while a `Request` that nobody
 * holds any more is all that refers to it (Node does). It then never fires, and its users wait forever.
 */
export function withDeadline<T>(
  within: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(end, within);
    function finish(): void {
      clearTimeout(timer);
      outer?.removeEventListener("abort", end);
    }
    function end(): void {
      finish();
      reject(new EndedEarly("not finished in time, or stopped by the caller"));
      controller.abort();
    }
    outer?.addEventListener("abort", end, { once: true });
    if (outer?.aborted === true) end();
    else void work(controller.signal).then(resolve, reject).finally(finish);
  });
}

/** Requests in progress. An unreferenced request may be collected, and its signal would no longer end its connection. */
const onTheirWay = new Set<Request>();

/**
 * One HTTP exchange with a deadline: sends the request that `make` returns for the signal, and resolves to what `read` returns
 * for the response. If it ends early, so does its connection.
 */
export function exchangeInTime<T>(
  fetch: Fetch,
  { within, signal: outer }: { within: number; signal?: AbortSignal | undefined },
  make: (signal: AbortSignal) => Request,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  return withDeadline(within, outer, async (signal) => {
    const request = make(signal);
    onTheirWay.add(request);
    try {
      return await read(await fetch(request));
    } finally {
      onTheirWay.delete(request);
    }
  });
}

/** The used part of the platform's `fetch`. A test can replace it. */
export type Fetch = (request: Request) => Promise<Response>;

/** The platform's own, called as a plain function: browsers refuse it as a method. */
export function platformFetch(request: Request): Promise<Response> {
  return fetch(request);
}
