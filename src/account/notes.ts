/**
 * What D1 is told of an account after the fact: a copy for listings, and the outbox. What D1 was told last is in the
 * record, so what it has to be told yet is as durable as the change itself.
 */
import { sealedUnder } from "../keys/sealing.ts";
import { NoteWriter } from "../objects/note-writer.ts";
import type { Outbox } from "../objects/storage/outbox.ts";
import type { Turns } from "../objects/turns.ts";
import { writeAccountNote } from "../storage/account-notes.ts";
import { viewOf } from "./sessions.ts";
import type { AccountRecord, AccountRecordStore } from "./storage/record.ts";

export interface NotesParts {
  context: Pick<DurableObjectState, "waitUntil">;
  database: D1Database;
  records: AccountRecordStore;
  outbox: Outbox;
  turns: Turns;
}

export function accountNotes({ context, database, records, outbox, turns }: NotesParts): NoteWriter<AccountRecord> {
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
    write: (record, audit) =>
      writeAccountNote(database, { ...viewOf(record), sealedUnder: sealedUnder(record.signingKey) }, audit),
    written: ({ version }) => records.update({ notedVersion: version }),
    about: () => ({ account: records.record?.posId ?? "" }),
  });
}
