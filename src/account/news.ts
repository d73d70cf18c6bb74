/** What the account's terminals must know of its terms. */
import { applyPrebinding } from "../binding/prebinding.ts";
import type { Untold } from "../objects/storage/untold.ts";
import type { Answer } from "../objects/untold/decisions.ts";
import { terminalObject } from "../storage/untold.ts";
import { terminalStub } from "../rpc/terminal.ts";
import { termsOf } from "./admission.ts";
import type { TermsNews } from "../rpc/account.ts";
import type { Devices } from "./storage/devices.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

/** The topic of the account's terms, which terminals are told. */
export const TERMS = "terms";

/** Every bound terminal must know the terms as they are from this turn on. */
export function oweTerms(
  { records, devices, untold }: { records: AccountRecordStore; devices: Devices; untold: Untold },
  now: number,
): void {
  records.update({ termsVersion: untold.owe(now) });
  for (const terminalId of devices.bound()) untold.put(terminalObject(terminalId), TERMS, null, now);
}

/** What a terminal of the account must know now. */
export function newsOf(record: AccountRecord | null): TermsNews {
  // No account: the data were lost. Version 1 is the lowest, so an account that is created later is newer.
  if (record === null) return { kind: "deleted", version: 1 };
  if (record.status === "deleted") {
    const { termsVersion: version, deletedBy } = record;
    return { kind: "deleted", version, ...(deletedBy === null ? {} : { actor: deletedBy }) };
  }
  return { kind: "terms", terms: termsOf(record), status: record.status };
}

export async function tellTerms(
  env: Env,
  record: AccountRecord | null,
  terminalId: string,
): Promise<(now: number) => Answer> {
  if (record === null) return () => "refused";
  const { kind } = await terminalStub(env, terminalId).accountNews(record.posId, newsOf(record));
  // Another account's prebind list may be waiting for the terminal.
  if (kind === "done" && record.status === "deleted") await applyPrebinding(env, [terminalId]);
  return () => (kind === "busy" ? "later" : "taken");
}
