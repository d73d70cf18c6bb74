/** What the feed says about the account's terminals: a stolen token can unbind them and replace the prebind list. */
import { maskCardNumbers } from "../card-data/card-numbers.ts";
import type { Untold } from "../objects/storage/untold.ts";
import { terminalObject } from "../storage/untold.ts";
import { append } from "./append.ts";
import type { DeviceNews } from "../rpc/account.ts";
import type { CallOrigin } from "../rpc/signed-call.ts";
import { TERMS } from "./news.ts";
import type { Devices } from "./storage/devices.ts";
import type { Events } from "./storage/events.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface TerminalParts {
  records: AccountRecordStore;
  devices: Devices;
  events: Events;
  untold: Untold;
}

/** Notes whether a terminal is bound to the account, unless newer news are known. */
export function takeDeviceNews(parts: TerminalParts, record: AccountRecord, news: DeviceNews, now: number): void {
  const { devices, untold } = parts;
  const { terminalId, bindingVersion, bound, unboundBy } = news;
  const known = devices.find(terminalId);
  if (known !== null && known.bindingVersion >= bindingVersion) return;
  devices.save(news);
  // The answer says it.
  untold.remove(terminalObject(terminalId), TERMS);
  // Nobody reads a deleted account's feed.
  const isLost = known?.bound === true && !bound && record.status !== "deleted";
  if (isLost && unboundBy !== undefined) {
    append(parts, record, { type: "terminal.unbound", data: { terminalId, unboundBy } }, now);
  }
}

/**
 * Notes that a call replaces the account's prebind list. Before D1 has the list: no failure hides a change that was made.
 */
export function takePrebindList(parts: TerminalParts, list: string[], origin: CallOrigin, now: number): void {
  const { records, untold } = parts;
  const { record } = records;
  if (record === null) return;
  const uniqueIds = list.map(maskCardNumbers);
  const values = { details: { ...origin }, after: { uniqueIds } };
  untold.audit({ at: now, actor: `account:${record.posId}`, action: "prebind.replace", ...values });
  append(parts, record, { type: "prebind.replaced", data: { uniqueIds } }, now);
}
