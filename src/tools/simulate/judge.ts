/** Compares the answers that the POS got with what the terminals did and what the accounts recorded. */
import type { StatusCode } from "../../sdk/client/pos.ts";
import type { Ledger } from "../../sdk/simulator/ledger.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

/** A transaction as the POS sees it. */
export interface SimulatedEntry {
  posId: string;
  deviceId: string;
  referenceId: string;
  /** The reference of the voided sale; null for a sale. */
  voids: string | null;
  /** If it is null, the POS does not know the outcome, and somebody must ask again. */
  statusCode: StatusCode | null;
  responseCode: string;
  /** From the request to the answer. */
  took: Milliseconds;
}

export interface Evidence {
  entries: readonly SimulatedEntry[];
  /** The actual charges, by terminal. */
  ledgers: ReadonlyMap<string, Ledger>;
  /** The transactions that the accounts list, by `recordKey`. */
  recorded: ReadonlyMap<string, StatusCode>;
}

export function recordKey({ posId, referenceId }: { posId: string; referenceId: string }): string {
  return `${posId} ${referenceId}`;
}

/** A sentence for each; empty if all were kept. Open entries are judged as far as they are known. */
export function brokenPromises({ entries, ledgers, recorded }: Evidence): string[] {
  const sent = new Set(entries.map(recordKey));
  const broken = entries.flatMap((entry) => [
    ...moneyProblems(entry, ledgers.get(entry.deviceId)),
    ...recordProblems(entry, recorded.get(recordKey(entry))),
  ]);
  for (const [terminalId, { charges }] of ledgers) {
    const strange = charges.filter((charge) => !sent.has(recordKey(charge)));
    broken.push(...strange.map(({ referenceId }) => `${terminalId} charged ${referenceId}, which no POS has sent.`));
  }
  return broken;
}

function moneyProblems({ posId, referenceId, statusCode, voids }: SimulatedEntry, ledger?: Ledger): string[] {
  const charges = ledger?.of(posId, voids ?? referenceId) ?? [];
  if (voids !== null) {
    const isVoided = charges.some((charge) => charge.voidedBy !== null);
    if (statusCode === "00" && !isVoided) return [`The void ${referenceId} is 00, but the charge stands.`];
    return statusCode === "11" && isVoided ? [`The void ${referenceId} is 11, but the charge is reversed.`] : [];
  }
  if (charges.length > 1) return [`${referenceId} was charged ${charges.length} times (at most once).`];
  if (statusCode === "00" && charges.length === 0) return [`${referenceId} is 00, but no money moved.`];
  return statusCode === "11" && charges.length > 0 ? [`${referenceId} is 11, but money moved.`] : [];
}

function recordProblems({ referenceId, statusCode }: SimulatedEntry, recorded?: StatusCode): string[] {
  if (statusCode === null || statusCode === "22" || recorded === statusCode) return [];
  return [`${referenceId} is ${statusCode}, but the account has recorded ${recorded ?? "nothing"}.`];
}
