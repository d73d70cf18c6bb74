import { useMemo } from "preact/hooks";
import { shortDuration } from "../../../time/duration.ts";
import { Choice } from "../../page/choice.tsx";
import { Dot } from "../../page/status.tsx";
import type { TerminalAnswer } from "../answers.ts";
import { Named } from "../part/named.tsx";
import { BY_ID_OR_NAME, FilterForm } from "../part/filter-form.tsx";
import { Panel } from "../part/section.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import type { List } from "../part/use-list.ts";
import { Since } from "../part/when.tsx";
import { accountLink, linkTo, terminalLink } from "../route.ts";
import { clearing, go } from "../address.ts";
import { EnrolOne } from "./enrol-one.tsx";
import { BINDINGS, filterOf, OFFLINE_FOR, offlineFirst, STATES, terminalQuery } from "./filters.ts";
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
      <time dateTime={offlineSince}>{shortDuration(Date.now() - Date.parse(offlineSince))}</time>
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

const MORE = [
  { name: "shop", label: "Shop", hint: "Its merchant id.", mono: true },
  { name: "boundTo", label: "Account", hint: "The posId that it is bound to.", mono: true },
];

export function Terminals({ query }: { query: Record<string, string> }) {
  const filter = filterOf(query);
  const { text, shop, boundTo, state, bound, offlineFor } = filter;
  const show = (change: Record<string, string>): void => go(linkTo("terminals", [], { ...filter, ...change }));
  const aside = (
    <span class="row">
      <EnrolOne />
      <a href={linkTo("enrol")}>Enrol many</a>
    </span>
  );
  return (
    <Panel title="Terminals" id="terminals-title" aside={aside}>
      <FilterForm
        fields={[BY_ID_OR_NAME]}
        more={MORE}
        isMoreSet={bound !== "" || offlineFor !== ""}
        values={{ text, shop, boundTo }}
        onShow={show}
        onClear={clearing({ ...filter }, linkTo("terminals"))}
      >
        <div class="row">
          <Choice label="Binding" value={bound} options={[...BINDINGS]} onChoose={(value) => show({ bound: value })} />
          {state === "offline" && (
            <Choice
              label="Offline for"
              value={offlineFor}
              options={[...OFFLINE_FOR]}
              onChoose={(value) => show({ offlineFor: value })}
            />
          )}
        </div>
      </FilterForm>
      <Choice label="State" value={state} options={[...STATES]} onChoose={(value) => show({ state: value })} />
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

/** All pages of a list use the same time. */
function useTerminals(filter: TerminalFilter, textIs: "terminalId" | "name"): List<TerminalAnswer> {
  const query = useMemo(() => terminalQuery(filter, textIs, Date.now()), [JSON.stringify(filter)]);
  return useList<TerminalAnswer>("/terminals", query);
}

function Found({ filter, label }: { filter: TerminalFilter; label: string }) {
  const list = useTerminals(filter, "terminalId");
  return (
    <>
      <Rows label={label} list={list} none={filter.text === "" ? "None." : "No id begins with this text."} />
      {filter.text !== "" && <FoundByName filter={filter} label={`${label} by name`} />}
    </>
  );
}

function FoundByName({ filter, label }: { filter: TerminalFilter; label: string }) {
  const list = useTerminals(filter, "name");
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
