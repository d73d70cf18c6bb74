import { Button } from "../../page/button.tsx";
import { Choice } from "../../page/choice.tsx";
import { Dot } from "../../page/status.tsx";
import type { TerminalAnswer } from "../answers.ts";
import { Named } from "../part/named.tsx";
import { SearchForm } from "../part/search-form.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import type { List } from "../part/use-list.ts";
import { Since } from "../part/when.tsx";
import { accountLink, linkTo, terminalLink } from "../route.ts";
import { go } from "../use-route.ts";
import { duration } from "../words.ts";
import { filterOf, offlineFirst, STATES, terminalQuery } from "./filters.ts";
import type { TerminalFilter } from "./filters.ts";

const COLUMNS: Column<TerminalAnswer>[] = [
  {
    head: "Terminal",
    cell: ({ terminalId, name }) => <Named id={terminalId} name={name} link={terminalLink(terminalId)} />,
  },
  { head: "State", cell: (terminal) => <State terminal={terminal} /> },
  { head: "Last heartbeat", cell: ({ lastHeartbeat }) => <Since at={lastHeartbeat} /> },
  { head: "Shop", cell: ({ shopName, merchantId }) => shopName ?? merchantId ?? "–" },
  { head: "Account", cell: ({ posId }) => (posId === null ? "–" : <a href={accountLink(posId)}>{posId}</a>) },
];

function State({ terminal: { status, connected, offlineSince } }: { terminal: TerminalAnswer }) {
  if (status === "retired") return <span class="soft">retired</span>;
  if (connected) return stateWords("good", "connected");
  if (offlineSince === null) return stateWords("neutral", "never connected");
  return (
    <>
      <Dot tone="bad" /> offline for{" "}
      <time dateTime={offlineSince}>{duration(Date.now() - Date.parse(offlineSince))}</time>
    </>
  );
}

function stateWords(tone: "good" | "neutral", words: string) {
  return (
    <>
      <Dot tone={tone} /> {words}
    </>
  );
}

export function Terminals({ query }: { query: Record<string, string> }) {
  const filter = filterOf(query);
  const show = (change: Partial<TerminalFilter>): void => go(linkTo("terminals", [], { ...filter, ...change }));
  const only = [
    filter.merchantId === "" ? null : `of merchant ${filter.merchantId}`,
    filter.boundTo === "" ? null : `bound to ${filter.boundTo}`,
  ].filter((words) => words !== null);
  return (
    <Panel title="Terminals" id="terminals-title" aside={<a href={linkTo("enrol")}>Enrol terminals</a>}>
      <SearchForm text={filter.text} onSearch={(text) => show({ text })} />
      <Choice label="State" value={filter.state} options={[...STATES]} onChoose={(state) => show({ state })} />
      {only.length > 0 && (
        <p class="row">
          <span>Only terminals {only.join(" and ")}.</span>
          <Button look="plain" onClick={() => show({ merchantId: "", boundTo: "" })}>
            Show all
          </Button>
        </p>
      )}
      <TerminalList filter={filter} />
    </Panel>
  );
}

/**
 * Offline first. Without a filter by state, the offline ones are a separate list, because each list is in the order of
 * the ids.
 */
function TerminalList({ filter }: { filter: TerminalFilter }) {
  if (filter.state !== "") return <Found filter={filter} label="Terminals" />;
  return (
    <>
      <h3>Offline</h3>
      <Found filter={{ ...filter, state: "offline" }} label="Offline terminals" />
      <h3>Connected</h3>
      <Found filter={{ ...filter, state: "connected" }} label="Connected terminals" />
    </>
  );
}

function Found({ filter, label }: { filter: TerminalFilter; label: string }) {
  const list = useList<TerminalAnswer>("/terminals", terminalQuery(filter, "terminalId"));
  return (
    <>
      <Rows label={label} list={list} none={filter.text === "" ? "None." : "No id begins with this text."} />
      {filter.text !== "" && <FoundByName filter={filter} label={`${label} by name`} />}
    </>
  );
}

function FoundByName({ filter, label }: { filter: TerminalFilter; label: string }) {
  const list = useList<TerminalAnswer>("/terminals", terminalQuery(filter, "name"));
  return list.rows?.length === 0 && !list.more ? null : <Rows label={label} list={list} none="" />;
}

function Rows({ label, list, none }: { label: string; list: List<TerminalAnswer>; none: string }) {
  const rows = list.rows?.toSorted(offlineFirst) ?? null;
  return (
    <ListTable
      label={label}
      list={{ ...list, rows }}
      none={none}
      columns={COLUMNS}
      keyOf={({ terminalId }) => terminalId}
    />
  );
}
