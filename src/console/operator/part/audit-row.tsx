import type { AuditAnswer } from "../answers.ts";
import { changeWords } from "./audit-words.ts";
import { When } from "./when.tsx";

/** The row that a change has added to the audit log. */
export function AuditRow({ row }: { row: AuditAnswer | null }) {
  if (row === null) return <p class="small soft">The audit log does not have its row yet.</p>;
  const { at, actor, action, target } = row;
  const words = changeWords(row);
  return (
    <p class="audit-row small">
      <span class="soft">Audit log:</span> <When at={at} /> <strong>{actor}</strong> <code>{action}</code>{" "}
      <code>{target}</code>
      {words !== "" && <span class="soft"> {words}</span>}
    </p>
  );
}
