/**
 * Whether an error is the gateway's own: each has a numeric `code`, which begins with the status, and a `traceId`.
 *
 * Proxies, firewalls and login pages answer with the same statuses while the gateway may be processing the message. Their
 * answers refuse nothing: they are lost answers.
 *
 * @param members the members of the body; empty for a body that is not a JSON object
 */
export function isOwnRefusal(status: number, { code, traceId }: { code?: unknown; traceId?: unknown }): boolean {
  return typeof code === "number" && Math.floor(code / 100) === status && typeof traceId === "string" && traceId !== "";
}
