import { useState } from "hono/jsx/dom";
import { Button } from "../../page/button.tsx";
import { Choice } from "../../page/choice.tsx";
import { TextField } from "../../page/field.tsx";
import { Tag } from "../../page/status.tsx";
import type { AccountAnswer } from "../answers.ts";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import { accountLink, linkTo } from "../route.ts";
import { go } from "../use-route.ts";
import { CreateAccount } from "./create.tsx";

export const ACCOUNT_TONES = { active: "good", suspended: "pending", deleted: "neutral" } as const;

const COLUMNS: Column<AccountAnswer>[] = [
  {
    head: "Account",
    cell: ({ posId, name }) => (
      <>
        <a href={accountLink(posId)} class="mono">
          {posId}
        </a>{" "}
        {name !== null && <span class="soft">{name}</span>}
      </>
    ),
  },
  { head: "Status", cell: ({ status }) => <Tag tone={ACCOUNT_TONES[status]}>{status}</Tag> },
  { head: "Merchant", cell: ({ merchantId }) => merchantId },
  { head: "Currency", cell: ({ currency }) => currency },
  { head: "Time zone", cell: ({ timezone }) => timezone },
];

const STATUSES = ["active", "suspended", "deleted"].map((value) => ({ value, label: value }));

export function Accounts({ query }: { query: Record<string, string> }) {
  const { text = "", status = "" } = query;
  const [wanted, setWanted] = useState(text);
  const byId = useList<AccountAnswer>("/accounts", { posId: text, status });
  const submit = (event: Event): void => {
    event.preventDefault();
    go(linkTo("accounts", [], { text: wanted.trim(), status }));
  };
  return (
    <Panel title="Accounts" id="accounts-title" aside={<CreateAccount onDone={byId.again} />}>
      <form class="search" role="search" onSubmit={submit} noValidate>
        <TextField label="Id or name" value={wanted} hint="The beginning is enough." onInput={setWanted} />
        <Button>Search</Button>
      </form>
      <Choice
        label="Status"
        value={status}
        options={[{ value: "", label: "All" }, ...STATUSES]}
        onChoose={(value) => go(linkTo("accounts", [], { text, status: value }))}
      />
      <ListTable label="Accounts" list={byId} none="None." columns={COLUMNS} keyOf={({ posId }) => posId} />
      {text !== "" && <ByName text={text} status={status} />}
    </Panel>
  );
}

function ByName({ text, status }: { text: string; status: string }) {
  const list = useList<AccountAnswer>("/accounts", { name: text, status });
  if (list.rows?.length === 0 && !list.more) return null;
  return (
    <>
      <h3>By name</h3>
      <ListTable label="Accounts by name" list={list} none="" columns={COLUMNS} keyOf={({ posId }) => posId} />
    </>
  );
}
