import type { Fault } from "../journal.ts";
import type { JournalFile } from "../journal-file.ts";

/** Writes into the journal that a fault is active while something happens. Throws what that throws. */
export async function journaled(
  journal: JournalFile,
  about: { fault: Fault; target?: string },
  happen: () => Promise<void>,
): Promise<void> {
  const id = journal.count("fault.began") + 1;
  journal.write({ kind: "fault.began", ...about, id });
  try {
    await happen();
  } finally {
    journal.write({ kind: "fault.ended", ...about, id });
  }
}
