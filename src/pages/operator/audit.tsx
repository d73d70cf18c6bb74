import { auditCsv } from "../../protocol/csv.ts";
import { AUDIT_FILTERS } from "../../protocol/operator-filters.ts";
import { makePlace } from "./address.ts";
import type { AuditAnswer } from "./answers.ts";
import { changeWords } from "./part/change.ts";
import { filterFields, ListPanel } from "./part/list.tsx";
import { When } from "./part/panel.tsx";
import { type Column } from "./part/table.tsx";
import { useList } from "./part/reading.tsx";
import { auditedLink, readTexts, type PlaceQuery } from "./route.ts";

const COLUMNS: Column<AuditAnswer>[] = [
  { head: "Time", cell: ({ at }) => <When at={at} /> },
  { head: "Actor", cell: ({ actor }) => actor },
  { head: "Action", cell: ({ action }) => <code>{action}</code> },
  { head: "Target", cell: ({ target }) => <code>{target}</code>, href: auditedLink },
  { head: "Change", cell: (row) => <span class="wrap">{changeWords(row)}</span> },
];

const { actor, target, ...OTHERS } = AUDIT_FILTERS;

export function Audit({ query }: { query: PlaceQuery }) {
  const filter = readTexts(query, Object.keys(AUDIT_FILTERS));
  return (
    <ListPanel<AuditAnswer>
      title="Audit log"
      list={useList("/audit", filter)}
      place={makePlace(filter)}
      fields={filterFields({ actor, target })}
      more={filterFields(OTHERS)}
      action="Show"
      save={{ name: "audit-log", csv: auditCsv }}
      none="No changes."
      columns={COLUMNS}
      keyOf={({ id }) => String(id)}
    />
  );
}
