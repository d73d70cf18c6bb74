/**
 * The payments of an account whose outcome its POS could no longer learn if the account were deleted. Those in progress
 * are known to the terminals, the others to the account.
 */
import { mapConcurrently } from "../../../../protocol/map-concurrently.ts";
import { withTimeout } from "../../../lib/with-timeout.ts";
import { logError } from "../../../lib/log.ts";
import { PAGE_ROWS } from "../../../../protocol/limits.ts";
import { accountStub, listQuestion } from "../../../account/rpc.ts";
import { terminalStub } from "../../../terminal/rpc.ts";
import { listAccountTerminals } from "../../../d1/terminals.ts";
import type { Refusal } from "../../middleware/errors.ts";
import { inTime } from "../../middleware/time-limit.ts";
import { STATUS_CONCURRENCY, STATUS_WAIT } from "../../../binding/binding.ts";

/** A terminal has one payment at a time and a short queue: what is in progress is among its newest rows. */
const NEWEST_ROWS = 10;

/** Payments that the refusal names; of the others it has the number. */
const NAMED = 10;

/**
 * Asks the terminals first: a payment that stops being in progress meanwhile is then found at the account.
 *
 * @returns why the account must not be deleted yet; null: nothing is open
 */
export async function refusalWhileOpen(env: Env, posId: string): Promise<Refusal | null> {
  const terminals = await inTime(listAccountTerminals(env.DATABASE, posId));
  const found = await mapConcurrently(terminals, STATUS_CONCURRENCY, ({ terminalId }) =>
    inProgress(env, posId, terminalId),
  );
  const open = new Map(found.flat());
  const answer = await accountStub(env, posId).transactions(listQuestion({ statusCode: "22" }, { limit: PAGE_ROWS }));
  for (const { requestId, transType, referenceId, deviceId } of answer.kind === "page" ? answer.data : []) {
    if (!open.has(requestId))
      open.set(requestId, describePayment({ requestId, transType, referenceId }, deviceId, "pending"));
  }
  if (open.size === 0) return null;
  const named = [...open.values()].slice(0, NAMED);
  const more = open.size > NAMED ? `, and ${open.size - NAMED} more` : "";
  const message =
    "Do not delete this account yet: its POS could never learn the outcome of what is open. Wait until it is completed, or " +
    `resolve it. force=true deletes the account all the same. Open: ${named.join(", ")}${more}.`;
  return { kind: "conflict", message };
}

/**
 * Returns the payments by number. A terminal that does not answer is an entry of its own: a payment may be in progress
 * there.
 */
async function inProgress(env: Env, posId: string, terminalId: string): Promise<[string, string][]> {
  try {
    const { entries } = await withTimeout(STATUS_WAIT, terminalStub(env, terminalId).transactions(null, NEWEST_ROWS));
    return entries
      .filter((entry) => entry.posId === posId && entry.state !== "completed")
      .map((entry) => [
        entry.requestId,
        describePayment(entry, terminalId, entry.state === "pending" ? "pending" : "in progress"),
      ]);
  } catch (error) {
    logError("object_not_called", error, { terminal: terminalId });
    return [[terminalId, `whatever ${terminalId} is doing, which does not answer`]];
  }
}

interface OpenPayment {
  requestId: string;
  transType: string | null;
  referenceId: string;
}

function describePayment(
  { requestId, transType, referenceId }: OpenPayment,
  terminalId: string,
  state: string,
): string {
  return `${transType ?? "request"} ${requestId} (reference ${referenceId}) at ${terminalId}, ${state}`;
}
