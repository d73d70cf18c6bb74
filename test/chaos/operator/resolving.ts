/** The operator resolves what no terminal can: it looks into the terminal's book and asks the acquirer. */
import type { Wire } from "../journal.ts";
import type { Random } from "../random.ts";
import type { Kept } from "../terminal/book.ts";
import type { Terminal } from "../terminal/terminal.ts";
import type { World } from "../world.ts";
import { until } from "../turns.ts";

type Outcome = "00" | "11";

/** Completes up to `most` of those whose outcome can be known. */
export async function resolveSome(world: World, most: number, isQuiet: boolean): Promise<void> {
  const rows = await world.operator.list("/unresolved");
  const decided = (rows ?? []).flatMap((row) => {
    // The list begins with those that are completed and contradicted.
    const statusCode = row["contrary"] === null ? outcomeOf(world, row, isQuiet) : null;
    return statusCode === null ? [] : [{ row, statusCode }];
  });
  for (const { row, statusCode } of decided.slice(0, most)) await resolve(world, row, statusCode);
}

/** Completes one without waiting for its terminal, which may contradict it later. */
export async function resolveHastily(world: World, random: Random): Promise<void> {
  const rows = await world.operator.list("/unresolved");
  const open = (rows ?? []).filter(({ requestId, terminalId }) => knownOf(world, requestId, terminalId) === "open");
  if (open.length > 0) await resolve(world, random.pick(open), random.pick(["00", "11"]));
}

/** Tries to change one that is completed. Resolves to whether it was told that it cannot. */
export async function resolveAgain(world: World, random: Random): Promise<boolean> {
  const { terminalId } = random.pick(world.terminals);
  const reply = await world.operator.call("GET", `/terminals/${terminalId}/transactions`);
  const rows = (reply.body["data"] ?? []) as Wire[];
  const completed = rows.filter(({ state }) => state === "completed");
  if (completed.length === 0) return false;
  const status = await resolve(world, { ...random.pick(completed), terminalId }, random.pick(["00", "11"]));
  return status !== null && status >= 400 && status < 500;
}

/** Decides one that its terminal knows otherwise, and will say so. Throws if the decision is not taken. */
export async function resolveAgainst(world: World, { terminalId }: Terminal, { requestId }: Kept): Promise<void> {
  const statusCode = world.host.decided(requestId)?.statusCode === "00" ? "11" : "00";
  // It is not open before the request's end.
  await until(`the decision about ${requestId} is taken`, 60_000, async () =>
    (await resolve(world, { requestId, terminalId }, statusCode)) === 200 ? true : null,
  );
}

/** Resolves to the HTTP status; null: no answer came. */
async function resolve(world: World, row: Wire, statusCode: Outcome): Promise<number | null> {
  const requestId = String(row["requestId"]);
  const target = String(row["terminalId"]);
  const path = `/terminals/${target}/transactions/${requestId}/resolve`;
  const body = { statusCode, reason: "The acquirer's list says so." };
  const reply = await world.operator.act({ action: "resolve", target, requestId, statusCode }, "POST", path, body);
  return reply.status;
}

/** Null: it is not for the operator to decide, or not yet. */
function outcomeOf(world: World, { requestId, terminalId }: Wire, isQuiet: boolean): Outcome | null {
  const terminal = world.terminals.find((one) => one.terminalId === terminalId);
  if (terminal === undefined) return null;
  const known = knownOf(world, requestId, terminalId);
  if (known === "open") return null;
  if (known !== null) return known;
  const decided = world.host.decided(String(requestId));
  if (decided !== null) return decided.statusCode;
  // The terminal has not got it, and the host has never heard of it. It might still be on its way.
  return isQuiet && (terminal.hasForgotten || world.retired.has(terminal)) ? "11" : null;
}

/** What its terminal knows; null: it does not hold it. */
function knownOf({ terminals }: World, requestId: unknown, terminalId: unknown): Outcome | "open" | null {
  const known = terminals.find((one) => one.terminalId === terminalId)?.knows(String(requestId)) ?? null;
  return known === null || known === "open" ? known : known.statusCode;
}
