export class EndedEarly extends Error {
  override readonly name = "EndedEarly";
}

/**
 * Rejects with `EndedEarly` after `within` or when `outer` is aborted, even if the work ignores its
 * signal.
 *
 * `AbortSignal.timeout` alone is not enough: Node collects such a signal as garbage when only an unreferenced `Request`
 * refers to it. It then never fires, and its users wait forever.
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

/** A request without a reference may be collected, and its signal would no longer end its connection. */
const onTheirWay = new Set<Request>();

/**
 * Sends the request that `make` returns for the signal, and resolves to what `read` returns for the response. If the
 * exchange ends early, so does its connection.
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

/** The used part of the platform's `fetch`. */
export type Fetch = (request: Request) => Promise<Response>;

/** Calls `fetch` as a plain function: browsers refuse it as a method. */
export function platformFetch(request: Request): Promise<Response> {
  return fetch(request);
}
