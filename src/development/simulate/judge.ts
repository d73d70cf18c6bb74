/**
 * Whether the promises were kept: compares what tills were told with what terminals did and what the accounts recorded.
 */
import type { StatusCode } from "../../client/pos.ts";
import type { Ledger } from "../../simulator/ledger.ts";
import type { Entry } from "./book.ts";

export interface Evidence {
  entries: readonly Entry[];
  /** The actual charges, by terminal. */
  ledgers: ReadonlyMap<string, Ledger>;
  /** The transactions that the accounts list, by `recordKey`. */
  recorded: ReadonlyMap<string, StatusCode>;
}

export function recordKey({ posId, referenceId }: { posId: string; referenceId: string }): string {
  return `${posId} ${referenceId}`;
}

/** A sentence for every broken promise; empty if all were kept. Open entries are judged as far as they are known. */
export function brokenPromises({ entries, ledgers, recorded }: Evidence): string[] {
  const told = new Set(entries.map(recordKey));
  const broken = entries.flatMap((entry) => [
    ...moneyProblems(entry, ledgers.get(entry.deviceId)),
    ...recordProblems(entry, recorded.get(recordKey(entry))),
  ]);
  for (const [terminalId, { charges }] of ledgers) {
    for (const charge of charges) {
      if (!told.has(recordKey(charge)))
        broken.push(`${terminalId} charged ${charge.referenceId}, which no till has sent.`);
    }
  }
  return broken;
}

function moneyProblems(entry: Entry, ledger: Ledger | undefined): string[] {
  const { posId, referenceId, statusCode, transType, voids } = entry;
  if (ledger === undefined) return [];
  if (transType === "void") {
    const isVoided = ledger.of(posId, voids ?? "").some((charge) => charge.voidedBy !== null);
    if (statusCode === "00" && !isVoided) return [`The void ${referenceId} is 00, but the charge stands.`];
    if (statusCode === "11" && isVoided) return [`The void ${referenceId} is 11, but the charge is reversed.`];
    return [];
  }
  const charges = ledger.of(posId, referenceId).length;
  if (charges > 1) return [`${referenceId} was charged ${charges} times (at most once).`];
  if (statusCode === "00" && charges === 0) return [`${referenceId} is 00, but no money moved.`];
  if (statusCode === "11" && charges > 0) return [`${referenceId} is 11, but money moved.`];
  return [];
}

function recordProblems({ referenceId, statusCode }: Entry, recorded: StatusCode | undefined): string[] {
  if (statusCode !== "00" && statusCode !== "11") return [];
  if (recorded === statusCode) return [];
  return [`${referenceId} is ${statusCode}, but the account has recorded ${recorded ?? "nothing"}.`];
}
