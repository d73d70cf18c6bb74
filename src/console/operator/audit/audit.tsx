import { SelectField } from "../../page/field.tsx";
import { AUDIT_ACTIONS } from "../../../storage/audit-actions.ts";
import type { AuditAnswer } from "../answers.ts";
import { changeWords } from "../part/audit-words.ts";
import { Period } from "../part/period.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { When } from "../part/when.tsx";
import { FilterForm } from "../part/filter-form.tsx";
import { useWanted } from "../part/use-wanted.ts";
import { accountLink, linkTo, terminalLink } from "../route.ts";
import { clearing, go } from "../address.ts";

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

const ACTIONS = [{ value: "", label: "All" }, ...AUDIT_ACTIONS.map((value) => ({ value, label: value }))];

const FIELDS = [
  { name: "actor", label: "Actor", hint: "An operator, account:ID or terminal:ID." },
  { name: "target", label: "Target", hint: "A terminal, an account, a channel, a merchant.", mono: true },
];

/** Who changed what, newest first. */
export function Audit({ query }: { query: Record<string, string> }) {
  const { actor = "", target = "", action = "", from = "", to = "" } = query;
  const list = useList<AuditAnswer>("/audit", { actor, target, action, from, to });
  const [wanted, change] = useWanted({ action, from, to });
  return (
    <Panel title="Audit log" id="audit-title">
      <FilterForm
        fields={FIELDS}
        values={{ actor, target }}
        isMoreSet={[action, from, to].some((value) => value !== "")}
        action="Show"
        onClear={clearing({ actor, target, action, from, to }, linkTo("audit"))}
        onShow={(texts) => go(linkTo("audit", [], { ...texts, ...wanted }))}
      >
        <div class="filters">
          <SelectField
            label="Action"
            value={wanted.action}
            options={ACTIONS}
            onInput={(value) => change({ action: value })}
          />
        </div>
        <Period times={wanted} onChoose={change} />
      </FilterForm>
      <ListTable label="Audit log" list={list} none="No changes." columns={COLUMNS} keyOf={({ id }) => String(id)} />
    </Panel>
  );
}
