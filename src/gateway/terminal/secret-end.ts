/** How a secret ends that another has replaced, and with it the connections that were opened with it. */
import { CLOSE } from "../../protocol/close-codes.ts";
import type { EpochMs } from "../../protocol/time/units.ts";
import type { Connections } from "./connections.ts";
import type { LaneRunner } from "./lane-runner.ts";
import type { SecretStore } from "./secret.ts";
import type { TerminalRecordStore } from "./storage/record.ts";
import type { UsedLogins } from "./storage/stored-reports.ts";

interface SecretParts {
  records: TerminalRecordStore;
  connections: Connections;
  lane: LaneRunner;
  secretStore: SecretStore;
}

interface ExpiryParts extends SecretParts {
  usedLogins: UsedLogins;
}

/**
 * The terminal has logged in with the current secret, so it has no use for the one that it replaced. What was sent until
 * now was sent to the device with the replaced one.
 */
export function endPreviousSecret(parts: SecretParts, now: EpochMs): void {
  const { previousSecret = null } = parts.records.record ?? {};
  if (previousSecret === null) return;
  parts.records.update({ previousSecret: null, secretChangedAt: now });
  closeOutdated(parts, now);
}

/** Every turn begins with this. */
export function endExpiredSecret(parts: ExpiryParts, now: EpochMs): void {
  const { previousSecret = null } = parts.records.record ?? {};
  if (previousSecret === null || previousSecret.until > now) return;
  endPreviousSecret(parts, now);
  // All were made with the replaced secret, and must not keep the new one's from being remembered.
  parts.usedLogins.forgetBefore(Infinity);
}

/** Closes all of them first: what the lane sends next must not go to one that is about to be closed. */
export function closeOutdated({ connections, lane, secretStore }: Omit<SecretParts, "records">, now: EpochMs): void {
  const current = lane.currentConnection;
  const outdated = connections.terminals().filter(({ attachment }) => !secretStore.isValid(attachment.secretVersion));
  for (const { socket } of outdated) {
    connections.close(socket, CLOSE.revoked, "the terminal was retired or its secret changed");
  }
  const lost = outdated.find(({ attachment }) => attachment.number === current);
  if (lost !== undefined) lane.take({ kind: "lost", connection: lost.attachment.number }, now);
}
