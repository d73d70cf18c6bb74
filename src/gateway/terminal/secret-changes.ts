/** How a terminal gets another secret: an operator replaces it, or the terminal exchanges an activation code for it. */
import { PREVIOUS_TERMINAL_SECRET_LIFE } from "../../protocol/limits.ts";
import { utc } from "../../protocol/time/zone.ts";
import type { EpochMs } from "../../protocol/time/units.ts";
import type { TerminalContext } from "./context.ts";
import { isHeld } from "./lane/index.ts";
import { enqueueTerminalState } from "./outbox-entries.ts";
import type { ActivationCodeDigest, ActivationCodeOutcome, ActivationOutcome, SecretOutcome } from "./rpc.ts";
import { closeOutdated } from "./secret-end.ts";
import type { TerminalRecord } from "./storage/record.ts";

export interface SecretChange {
  /** Sealed for the terminalId. */
  sealedSecret: string;
  /** true: the replaced secret ends at once. */
  revokePrevious: boolean;
  /** For the audit log. */
  actor: string;
}

/**
 * Replaces the secret. Unless it is revoked, the replaced one stays valid until the terminal logs in with the new one,
 * so that the terminal sells on until somebody has set it up.
 */
export function changeSecret(
  context: TerminalContext,
  { sealedSecret, revokePrevious, actor }: SecretChange,
  now: EpochMs,
): SecretOutcome {
  const { records, outbox, secretStore } = context;
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) return { kind: "retired" };
  const previousSecret = revokePrevious ? null : secretStore.keepPrevious(now + PREVIOUS_TERMINAL_SECRET_LIFE);
  replaceSecret(context, record, { sealedSecret, previousSecret }, now);
  outbox.enqueueAudit({ at: now, actor, action: "terminal.secret", details: { revokePrevious } });
  return { kind: "changed", previousValidUntil: previousSecret?.until ?? null };
}

/** A terminal has one code: a new one replaces the last, used or not. */
export function createActivationCode(
  { records, outbox }: TerminalContext,
  { digest, expiresAt }: ActivationCodeDigest,
  actor: string,
  now: EpochMs,
): ActivationCodeOutcome {
  const { record } = records;
  if (record === null) return { kind: "not-enrolled" };
  if (record.sealedSecret === null) return { kind: "retired" };
  records.update({ activationCode: { digest, expiresAt, usedAt: null } });
  const details = { expiresAt: utc(expiresAt) };
  outbox.enqueueAudit({ at: now, actor, action: "terminal.activation-code", details });
  return { kind: "created" };
}

/**
 * Uses up the code, and replaces the secret. The replaced one ends at once: the device that had it may be stolen, and the
 * device with the code needs no other. While a payment is in progress, the code stays valid: the outcome of that payment
 * would be left to the operator.
 *
 * @param digests of the code, under every accepted master key
 * @param sealedSecret sealed for the terminalId
 */
export function activate(
  context: TerminalContext,
  digests: readonly string[],
  sealedSecret: string,
  now: EpochMs,
): ActivationOutcome {
  const { records, outbox, lane } = context;
  const { record } = records;
  const code = record?.activationCode ?? null;
  if (record === null || code === null || !digests.includes(code.digest)) return { kind: "wrong" };
  if (code.usedAt !== null) return { kind: "used" };
  if (code.expiresAt <= now) return { kind: "expired" };
  if (isHeld(lane.lane, now)) return { kind: "busy" };
  replaceSecret(context, record, { sealedSecret, activationCode: { ...code, usedAt: now } }, now);
  outbox.enqueueAudit({ at: now, actor: `terminal:${record.terminalId}`, action: "terminal.activate", details: {} });
  return { kind: "activated" };
}

/**
 * Connections that were opened with a secret that is no longer valid are closed in the same turn. Frames that still arrive
 * on them are ignored. An activation code that is not used yet ends, too: it may have been seen with the secret.
 *
 * @param members without `previousSecret`, the replaced secret ends at once
 */
export function replaceSecret(
  context: TerminalContext,
  { secretVersion }: TerminalRecord,
  members: Partial<TerminalRecord>,
  now: EpochMs,
): void {
  const ended = { enrolmentId: null, previousSecret: null, activationCode: null };
  const replaced = { secretVersion: secretVersion + 1, secretChangedAt: now, ...ended, ...members };
  context.records.update(replaced);
  // Logins that nobody can repeat any more must not keep the new secret's from being remembered.
  if (replaced.previousSecret === null) context.usedLogins.forgetBefore(Infinity);
  enqueueTerminalState(context.outbox, now);
  closeOutdated(context, now);
}
