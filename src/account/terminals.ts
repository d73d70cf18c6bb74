/**
 * The account and its terminals: what they must know of its terms, and what the feed says about them. A stolen token can
 * unbind them and replace the prebind list.
 */
import { maskCardNumbers } from "../card-data/card-numbers.ts";
import { terminalObject } from "../storage/untold.ts";
import type { DeviceNews, TermsNews } from "../rpc/account.ts";
import type { CallOrigin } from "../rpc/standing.ts";
import type { AccountStores } from "./stores.ts";
import type { AccountRecord } from "./storage/record.ts";
import { applyPrebinding } from "../binding/prebinding.ts";
import type { Answer } from "../objects/untold/decisions.ts";
import { terminalStub } from "../rpc/terminal.ts";
import { termsOf } from "./admission.ts";

type TerminalStores = Pick<AccountStores, "records" | "devices" | "events" | "untold">;

/** Notes whether a terminal is bound to the account, unless newer news are known. */
export function takeDeviceNews(stores: TerminalStores, record: AccountRecord, news: DeviceNews, now: number): void {
  const { devices, untold } = stores;
  const { terminalId, bindingVersion, bound, unboundBy } = news;
  const known = devices.find(terminalId);
  if (known !== null && known.bindingVersion >= bindingVersion) return;
  devices.save(news);
  // The answer says it.
  untold.remove(terminalObject(terminalId), TERMS);
  // Nobody reads a deleted account's feed.
  const isLost = known?.bound === true && !bound && record.status !== "deleted";
  if (isLost && unboundBy !== undefined) {
    stores.events.append(record, { type: "terminal.unbound", data: { terminalId, unboundBy } }, now);
  }
}

/**
 * Notes that a call replaces the account's prebind list. Before D1 has the list: no failure hides a change that was made.
 */
export function takePrebindList(stores: TerminalStores, list: string[], origin: CallOrigin, now: number): void {
  const { records, untold } = stores;
  const { record } = records;
  if (record === null) return;
  const uniqueIds = list.map(maskCardNumbers);
  const values = { details: { ...origin }, after: { uniqueIds } };
  untold.audit({ at: now, actor: `account:${record.posId}`, action: "prebind.replace", ...values });
  stores.events.append(record, { type: "prebind.replaced", data: { uniqueIds } }, now);
}

/** The topic of the account's terms, which terminals are told. */
export const TERMS = "terms";

/** Every bound terminal must know the terms as they are from this turn on. */
export function oweTerms(
  { records, devices, untold }: Pick<AccountStores, "records" | "devices" | "untold">,
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
