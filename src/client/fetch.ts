/** The part of the platform's `fetch` that is used here; a test puts its own way in its place. */
export type Fetch = (request: Request) => Promise<Response>;

/** The platform's own, called as a plain function: browsers refuse it as somebody's method. */
export function platformFetch(request: Request): Promise<Response> {
  return fetch(request);
}
