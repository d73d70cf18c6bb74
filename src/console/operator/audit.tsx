import { AUDIT_FILTERS } from "../../protocol/operator-filters.ts";
import { auditCsv } from "../../protocol/csv.ts";
import { placeOf } from "./address.ts";
import type { AuditAnswer } from "./answers.ts";
import { changeWords } from "./part/change.ts";
import { fieldsOf, FilterForm } from "./part/filters.tsx";
import { Panel, When } from "./part/panel.tsx";
import { Save } from "./part/save.tsx";
import { ListTable } from "./part/table.tsx";
import type { Column } from "./part/table.tsx";
import { useList } from "./part/use-list.ts";
import { accountLink, linkTo, terminalLink, textsOf, type PlaceQuery } from "./route.ts";

/** What was changed, if it has a page. */
function targetLink({ action, target }: AuditAnswer): string | undefined {
  if (/^(?:account|webhook)\./u.test(action)) return accountLink(target);
  return /^(?:terminal|transaction)\./u.test(action) ? terminalLink(target) : undefined;
}

const COLUMNS: Column<AuditAnswer>[] = [
  { head: "Time", cell: ({ at }) => <When at={at} /> },
  { head: "Actor", cell: ({ actor }) => actor },
  { head: "Action", cell: ({ action }) => <code>{action}</code> },
  { head: "Target", cell: ({ target }) => <code>{target}</code>, href: targetLink },
  { head: "Change", cell: (row) => <span class="wrap">{changeWords(row)}</span> },
];

const FIELDS = fieldsOf(AUDIT_FILTERS);
const isTyped = ({ kind }: (typeof FIELDS)[number]): boolean => kind === "text";

/** Who changed what, newest first. */
export function Audit({ query }: { query: PlaceQuery }) {
  const filter = textsOf(query, ["actor", "target", "action", "from", "to"]);
  const list = useList<AuditAnswer>("/audit", filter);
  return (
    <Panel title="Audit log" id="audit-title">
      <FilterForm
        place={placeOf((wanted) => linkTo("audit", [], wanted), filter)}
        fields={FIELDS.filter(isTyped)}
        more={FIELDS.filter((field) => !isTyped(field))}
        action="Show"
      />
      <Save<AuditAnswer> name="audit-log" path="/audit" query={filter} csv={auditCsv} />
      <ListTable label="Audit log" list={list} none="No changes." columns={COLUMNS} keyOf={({ id }) => String(id)} />
    </Panel>
  );
}
