/**
 * The binding is changed, stored and sent to the terminal in one turn. An update that is older than the stored terms
 * changes nothing.
 */
import type { AccountStub, CallOrigin, AccountUpdate } from "../account/rpc.ts";
import type { AccountTerms } from "../../protocol/transfer-message.ts";
import type { Binding } from "../../protocol/binding.ts";
import type { UnboundBy } from "../../protocol/events.ts";
import type { BindOutcome, UnbindOutcome, UpdateOutcome, RetireOutcome } from "./rpc.ts";
import { accountObject } from "../d1/objects.ts";
import type { Connections } from "./connections.ts";
import { BINDING, enqueueTerminalState } from "./outbox-entries.ts";
import { bindingMembers } from "./frames.ts";
import { isHeld, type Lane } from "./lane/index.ts";
import type { TerminalRecord } from "./storage/record.ts";
import type { TerminalContext } from "./context.ts";
import { replaceSecret } from "./secret-changes.ts";
import type { DeliveryAnswer, OutboxEntry } from "../durable/storage/outbox.ts";
import type { EpochMs } from "../../protocol/time/units.ts";

export function judgeBind(
  { record, lane }: { record: TerminalRecord | null; lane: Lane },
  wanted: Binding,
  mode: "move" | "only-unbound",
  now: EpochMs,
): BindOutcome {
  if (record === null || record.sealedSecret === null) return { kind: "not-enrolled" };
  const bound = record.binding;
  if (bound?.posId === wanted.posId) return { kind: "bound" };
  if (bound !== null && mode === "only-unbound") return { kind: "bound-otherwise", posId: bound.posId };
  return isHeld(lane, now) ? { kind: "busy" } : { kind: "bound" };
}

function judgeUnbind(record: TerminalRecord | null, lane: Lane, posId: string | null, now: EpochMs): UnbindOutcome {
  const bound = record?.binding ?? null;
  if (bound === null || (posId !== null && bound.posId !== posId)) return { kind: "not-bound" };
  return isHeld(lane, now) ? { kind: "busy" } : { kind: "unbound" };
}

function sameBinding(one: Binding | null, other: Binding | null): boolean {
  if (one === null || other === null) return one === other;
  return (
    one.posId === other.posId &&
    one.merchantId === other.merchantId &&
    one.currency === other.currency &&
    one.timezone === other.timezone
  );
}

/** Each new account gets an audit row. */
export function bind(
  context: TerminalContext,
  wanted: Binding,
  mode: "move" | "only-unbound",
  now: EpochMs,
): BindOutcome {
  const { records, lane, outbox } = context;
  const { record } = records;
  const outcome = judgeBind({ record, lane: lane.lane }, wanted, mode, now);
  if (outcome.kind !== "bound") return outcome;
  // The account's own update is newer than D1's copy.
  const isKnown = record !== null && record.binding?.posId === wanted.posId && record.termsVersion > 0;
  if (!isKnown) changeBinding(context, wanted, "terminal", now);
  const { posId } = wanted;
  if (record !== null && record.binding?.posId !== posId) {
    const values = { details: { posId }, before: { posId: record.binding?.posId ?? null }, after: { posId } };
    outbox.enqueueAudit({ at: now, actor: `terminal:${record.terminalId}`, action: "terminal.bind", ...values });
  }
  return outcome;
}

export interface Unbinding {
  /** The account to unbind from; null for any. */
  posId: string | null;
  actor: string;
  origin?: CallOrigin | undefined;
}

export function unbind(context: TerminalContext, { posId, actor, origin }: Unbinding, now: EpochMs): UnbindOutcome {
  const { records, lane, outbox } = context;
  const bound = records.record?.binding ?? null;
  const outcome = judgeUnbind(records.record, lane.lane, posId, now);
  if (bound === null || outcome.kind !== "unbound") return outcome;
  changeBinding(context, null, actor === `account:${bound.posId}` ? "account" : "operator", now);
  const before = { posId: bound.posId };
  const details = { ...before, ...origin };
  outbox.enqueueAudit({ at: now, actor, action: "terminal.unbind", details, before, after: { posId: null } });
  return outcome;
}

/** @param termsVersion the version of the account's terms that has these details */
export function changeDetails(context: TerminalContext, details: Binding, termsVersion: number, now: EpochMs): void {
  const { records, connections, outbox } = context;
  const { record } = records;
  if (record === null) return;
  records.update({ termsVersion });
  if (sameBinding(record.binding, details)) return;
  records.update({ binding: details });
  enqueueTerminalState(outbox, now);
  sendBinding(connections, details);
}

/** @param by who ends the present binding */
function changeBinding(context: TerminalContext, next: Binding | null, by: UnboundBy, now: EpochMs): void {
  const { records, connections } = context;
  const { record } = records;
  if (record === null || sameBinding(record.binding, next)) return;
  // Another account has its own count of versions, so none of it is valid here yet.
  records.update({ binding: next, termsVersion: 0 });
  enqueueBinding(context, { before: record.binding, after: next, by }, now);
  sendBinding(connections, next);
}

/** Enqueues the binding for D1, for the account that loses the terminal and for the one that gets it. */
function enqueueBinding(
  { outbox }: Pick<TerminalContext, "outbox">,
  { before, after, by }: { before: Binding | null; after: Binding | null; by: UnboundBy },
  now: EpochMs,
): void {
  enqueueTerminalState(outbox, now);
  for (const binding of [before, after]) {
    if (binding !== null) outbox.enqueue({ target: accountObject(binding.posId), kind: BINDING, payload: by }, now);
  }
}

function sendBinding(connections: Connections, binding: Binding | null): void {
  for (const { socket } of connections.terminals())
    connections.send(socket, { type: "binding", ...bindingMembers(binding) });
}

export function applyTerms(context: TerminalContext, { version, ...details }: AccountTerms, now: EpochMs): void {
  const { record } = context.records;
  if (record?.binding?.posId !== details.posId || version <= record.termsVersion) return;
  changeDetails(context, details, version, now);
}

/** Returns `busy` if the terminal cannot be unbound yet. */
export function handleAccountUpdate(
  context: TerminalContext,
  posId: string,
  update: AccountUpdate,
  now: EpochMs,
): UpdateOutcome {
  const { record } = context.records;
  const version = update.kind === "deleted" ? update.version : update.terms.version;
  if (record?.binding?.posId !== posId || version < record.termsVersion) return { kind: "done" };
  if (update.kind === "terms") {
    applyTerms(context, update.terms, now);
    if (update.status === "suspended") stop(context, posId, version, now);
    return { kind: "done" };
  }
  stop(context, posId, version, now);
  return unbind(context, { posId, actor: update.actor ?? `account:${posId}` }, now).kind === "busy"
    ? { kind: "busy" }
    : { kind: "done" };
}

/**
 * Cancels what is queued for the account; what was sent continues. The version is stored because a request that the
 * account admitted before may still be in transit.
 */
function stop({ records, lane }: TerminalContext, posId: string, version: number, now: EpochMs): void {
  const { record } = records;
  if (record?.stoppedPosId !== posId || record.stoppedVersion < version) {
    records.update({ stoppedPosId: posId, stoppedVersion: version, termsVersion: version });
  }
  lane.take({ kind: "suspended", posId }, now);
}

/** The account answers with the terms that the terminal needs. */
export async function deliverBinding(
  context: TerminalContext,
  account: AccountStub,
  posId: string,
  { version, payload }: Pick<OutboxEntry, "version" | "payload">,
): Promise<(now: EpochMs) => DeliveryAnswer> {
  const { record } = context.records;
  if (record === null) return () => "refused";
  const { terminalId, binding } = record;
  const bound = binding?.posId === posId;
  const unboundBy = bound ? {} : { unboundBy: payload as UnboundBy };
  const update = await account.deviceChanged({ terminalId, bindingVersion: version, bound, ...unboundBy });
  return (now) => (handleAccountUpdate(context, posId, update, now).kind === "busy" ? "busy" : "delivered");
}

/**
 * A terminal that is retired already gets no second audit row.
 *
 * @param actor for the audit log
 */
export function retire(context: TerminalContext, actor: string, now: EpochMs): RetireOutcome {
  const { records, lane, outbox } = context;
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) {
    // D1 may have been restored to an earlier time.
    enqueueTerminalState(outbox, now);
    return { kind: "retired" };
  }
  if (isHeld(lane.lane, now)) return { kind: "busy" };
  replaceSecret(context, record, { sealedSecret: null, binding: null }, now);
  enqueueBinding(context, { before: record.binding, after: null, by: "operator" }, now);
  const [before, after] = [{ status: "enrolled" }, { status: "retired" }];
  outbox.enqueueAudit({ at: now, actor, action: "terminal.retire", details: {}, before, after });
  return { kind: "retired" };
}
