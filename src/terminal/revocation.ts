/** The end of a secret: it is replaced, or the terminal is retired. */
import { CLOSE } from "../protocol/close-codes.ts";
import { isHeld, writeNews } from "./binding.ts";
import type { RetireOutcome, SecretOutcome } from "./calls.ts";
import type { TerminalRecord } from "./storage/record.ts";
import { hangUpAll, type TerminalSide } from "./terminal-side.ts";

/** @param actor for the audit log; undefined if the caller writes the row */
export function changeSecret(
  side: TerminalSide,
  sealedSecret: string,
  actor: string | undefined,
  now: number,
): SecretOutcome {
  const { records, outbox } = side;
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) return { kind: "retired" };
  replaceSecret(side, record, { sealedSecret }, now);
  if (actor !== undefined) outbox.add({ at: now, actor, action: "terminal.secret", details: {} });
  return { kind: "changed" };
}

/**
 * A retired terminal stays as it is and gets no second audit row.
 *
 * @param actor as for `changeSecret`
 */
export function retire(side: TerminalSide, actor: string | undefined, now: number): RetireOutcome {
  const { records, lane, outbox } = side;
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) {
    // D1 may have been restored to an earlier time, so it is told again.
    records.update({ notedBindingVersion: record.bindingVersion - 1 });
    return { kind: "retired" };
  }
  if (isHeld(lane.lane, now)) return { kind: "busy" };
  const bindingVersion = record.bindingVersion + 1;
  replaceSecret(side, record, { sealedSecret: null, binding: null, bindingVersion }, now);
  writeNews(side, record.binding, null, bindingVersion, now);
  if (actor !== undefined) {
    const [before, after] = [{ status: "enrolled" }, { status: "retired" }];
    outbox.add({ at: now, actor, action: "terminal.retire", details: {}, before, after });
  }
  return { kind: "retired" };
}

/** Closes the open sockets in the same turn. Frames that still arrive on them are ignored. */
function replaceSecret(
  side: TerminalSide,
  { secretVersion }: TerminalRecord,
  members: Partial<TerminalRecord>,
  now: number,
): void {
  side.records.update({ ...members, secretVersion: secretVersion + 1 });
  hangUpAll(side, CLOSE.revoked, "the terminal was retired or its secret changed", now);
}
