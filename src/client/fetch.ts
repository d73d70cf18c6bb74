/** The used part of the platform's `fetch`. A test can replace it. */
export type Fetch = (request: Request) => Promise<Response>;

/** The platform's own, called as a plain function: browsers refuse it as a method. */
export function platformFetch(request: Request): Promise<Response> {
  return fetch(request);
}
