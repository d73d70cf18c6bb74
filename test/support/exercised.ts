/** What of the contract the answers of a worker's tests were: `GET /healthz 200`. `counts.ts` looks for what is missing. */
export const exercised = new Set<string>();
