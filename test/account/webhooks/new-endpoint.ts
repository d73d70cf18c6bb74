/** A stored webhook endpoint, for tests in the object and for tests of its parts on Node. */
import type { Endpoint } from "../../../src/account/storage/webhooks.ts";

/** `wh_1`, to which nothing was sent, unless `changes` say otherwise. */
export function newEndpoint(changes: Partial<Endpoint> = {}): Endpoint {
  return {
    id: 1,
    host: "books.example.com",
    address: "sealed address",
    secret: "sealed secret",
    previousSecret: null,
    previousSecretUntil: null,
    generation: 1,
    cursor: 0,
    skipped: 0,
    failures: 0,
    failingSince: null,
    retryAt: null,
    attempts: [],
    disabledBy: null,
    disabledAt: null,
    ...changes,
  };
}
