import { useState } from "hono/jsx/dom";
import { Button } from "../../page/button.tsx";
import { SelectField, TextField } from "../../page/field.tsx";
import { AUDIT_ACTIONS } from "../../../storage/audit-actions.ts";
import type { AuditAnswer } from "../answers.ts";
import { changeWords } from "../part/audit-words.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { When } from "../part/when.tsx";
import { linkTo } from "../route.ts";
import { go } from "../use-route.ts";

const COLUMNS: Column<AuditAnswer>[] = [
  { head: "Time", cell: ({ at }) => <When at={at} /> },
  { head: "Actor", cell: ({ actor }) => actor },
  { head: "Action", cell: ({ action }) => <code>{action}</code> },
  { head: "Target", cell: ({ target }) => <code>{target}</code> },
  { head: "Change", cell: (row) => <span class="wrap">{changeWords(row)}</span> },
];

const ACTIONS = [{ value: "", label: "All" }, ...AUDIT_ACTIONS.map((value) => ({ value, label: value }))];

/** Who changed what, newest first. */
export function Audit({ query }: { query: Record<string, string> }) {
  const { actor = "", target = "", action = "" } = query;
  const [wanted, setWanted] = useState({ actor, target, action });
  const list = useList<AuditAnswer>("/audit", { actor, target, action });
  const set = (name: keyof typeof wanted) => (value: string) => setWanted((known) => ({ ...known, [name]: value }));
  const submit = (event: Event): void => {
    event.preventDefault();
    go(linkTo("audit", [], { ...wanted, actor: wanted.actor.trim(), target: wanted.target.trim() }));
  };
  return (
    <Panel title="Audit log" id="audit-title">
      <form class="stack" role="search" onSubmit={submit} noValidate>
        <div class="fields">
          <TextField
            label="Actor"
            value={wanted.actor}
            hint="An operator, account:ID or terminal:ID."
            onInput={set("actor")}
          />
          <TextField
            label="Target"
            value={wanted.target}
            mono
            hint="A terminal, an account, a channel."
            onInput={set("target")}
          />
          <SelectField label="Action" value={wanted.action} options={ACTIONS} onInput={set("action")} />
        </div>
        <div class="row">
          <Button>Show</Button>
        </div>
      </form>
      <ListTable label="Audit log" list={list} none="No changes." columns={COLUMNS} keyOf={({ id }) => String(id)} />
    </Panel>
  );
}
