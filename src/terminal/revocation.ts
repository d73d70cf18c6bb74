/** The end of a secret: it is replaced, or the terminal is retired. */
import { CLOSE } from "../protocol/close-codes.ts";
import { isHeld, oweBinding } from "./binding.ts";
import type { RetireOutcome, SecretOutcome } from "../rpc/terminal.ts";
import type { TerminalRecord } from "./storage/record.ts";
import { hangUpAll, type TerminalSide } from "./terminal-side.ts";

/** @param actor for the audit log */
export function changeSecret(side: TerminalSide, sealedSecret: string, actor: string, now: number): SecretOutcome {
  const { records, untold } = side;
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) return { kind: "retired" };
  replaceSecret(side, record, { sealedSecret }, now);
  untold.audit({ at: now, actor, action: "terminal.secret", details: {} });
  return { kind: "changed" };
}

/**
 * A retired terminal stays as it is and gets no second audit row.
 *
 * @param actor as for `changeSecret`
 */
export function retire(side: TerminalSide, actor: string, now: number): RetireOutcome {
  const { records, lane, untold } = side;
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) {
    // D1 may have been restored to an earlier time, so it is told again.
    untold.owe(now);
    return { kind: "retired" };
  }
  if (isHeld(lane.lane, now)) return { kind: "busy" };
  replaceSecret(side, record, { sealedSecret: null, binding: null }, now);
  oweBinding(side, { before: record.binding, after: null, by: "operator" }, now);
  const [before, after] = [{ status: "enrolled" }, { status: "retired" }];
  untold.audit({ at: now, actor, action: "terminal.retire", details: {}, before, after });
  return { kind: "retired" };
}

/** Closes the open sockets in the same turn. Frames that still arrive on them are ignored. */
function replaceSecret(
  side: TerminalSide,
  { secretVersion }: TerminalRecord,
  members: Partial<TerminalRecord>,
  now: number,
): void {
  side.records.update({ ...members, secretVersion: secretVersion + 1, enrolmentId: null });
  side.untold.owe(now);
  hangUpAll(side, CLOSE.revoked, "the terminal was retired or its secret changed", now);
}
