/**
 * Copies an account to D1 after the fact, for lists, with the rows of the outbox. The record stores the version that D1
 * has, so the duty to update it is as durable as the change itself.
 */
import { NoteWriter } from "../objects/note-writer.ts";
import type { Outbox } from "../objects/storage/outbox.ts";
import type { Turns } from "../objects/turns.ts";
import { writeAccountNote } from "../storage/account-notes.ts";
import { accountObject, noteUndelivered } from "../storage/undelivered.ts";
import { commonKid } from "./changes.ts";
import { viewOf } from "./sessions.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";
import type { Webhooks } from "./storage/webhooks.ts";

export interface NotesParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  records: AccountRecordStore;
  webhooks: Webhooks;
  outbox: Outbox;
  turns: Turns;
}

export function accountNotes(parts: NotesParts): NoteWriter<AccountRecord> {
  const { context, database, records, webhooks, outbox, turns } = parts;
  const due = (): AccountRecord | null => {
    const { record } = records;
    if (record === null) return null;
    return record.version !== record.notedVersion || !outbox.isEmpty ? record : null;
  };
  return new NoteWriter({
    context,
    outbox,
    turns,
    due,
    since: () => null,
    write: (record, audit) =>
      writeAccountNote(database, { ...viewOf(record), sealedUnder: commonKid(record, webhooks) }, audit),
    failed: (audit, now) => noteUndelivered(database, accountObject(records.posId), audit[0]?.at ?? now, now),
    written: ({ version }) => records.update({ notedVersion: version }),
    about: () => ({ account: records.posId }),
  });
}
