import { useMemo } from "preact/hooks";
import { TERMINAL_FILTERS } from "../../../protocol/operator-filters.ts";
import { shortDuration } from "../../../time/duration.ts";
import { Choice } from "../../page/choice.tsx";
import { TextField } from "../../page/field.tsx";
import { Dot } from "../../page/status.tsx";
import { go, placeOf } from "../address.ts";
import type { TerminalAnswer, TerminalWithSecret } from "../answers.ts";
import { BY_ID_OR_NAME, fieldsOf, FilterForm, optionsOf } from "../part/filters.tsx";
import { Named, Panel, Since } from "../part/panel.tsx";
import { missing, Question, TerminalSecretView } from "../part/question.tsx";
import { ListTable } from "../part/table.tsx";
import type { Column } from "../part/table.tsx";
import { useList } from "../part/use-list.ts";
import type { List } from "../part/use-list.ts";
import { accountLink, linkTo, terminalLink, type PlaceQuery } from "../route.ts";
import { filterOf, OFFLINE_FOR, offlineFirst, terminalQuery } from "./filters.ts";
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

const STATES = optionsOf(["offline", "connected", "retired"], {
  offline: "Offline",
  connected: "Connected",
  retired: "Retired",
});

/** People know a shop rather than an account. */
const { boundTo, ...OTHERS } = TERMINAL_FILTERS;
const FIELDS = fieldsOf({ ...OTHERS, boundTo });
const BY_TIME = {
  kind: "choice",
  name: "offlineFor",
  label: "Offline for",
  options: optionsOf(Object.keys(OFFLINE_FOR), OFFLINE_FOR),
} as const;

export function Terminals({ query }: { query: PlaceQuery }) {
  const filter = filterOf(query);
  const { state } = filter;
  const place = placeOf((wanted) => linkTo("terminals", [], wanted), filter);
  const aside = (
    <span class="row">
      <EnrolOne />
      <a href={linkTo("enrol")}>Enrol many</a>
    </span>
  );
  return (
    <Panel title="Terminals" id="terminals-title" aside={aside}>
      <FilterForm place={place} fields={[BY_ID_OR_NAME]} more={state === "offline" ? [...FIELDS, BY_TIME] : FIELDS} />
      <Choice label="State" value={state} options={STATES} onChoose={(chosen) => place.show({ state: chosen })} />
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

const NEW = { terminalId: "", isVT: "0", name: "", merchantId: "" };

const KINDS = [
  { value: "0", label: "Device" },
  { value: "1", label: "Virtual" },
];

/** A new terminal, with a secret that its device can scan. Opens it afterwards. */
function EnrolOne() {
  return (
    <Question<TerminalWithSecret, typeof NEW>
      action="New terminal"
      title="Enrol a terminal"
      confirm="Enrol"
      fields={NEW}
      change={(values) =>
        missing(values, ["terminalId"]) ?? {
          action: "terminal.enrol",
          target: values.terminalId,
          call: ["POST", "/terminals", { ...values, isVT: Number(values.isVT) }],
        }
      }
      done={({ terminalId }) => `${terminalId} is enrolled.`}
      show={({ terminalId, secret }) => <TerminalSecretView terminalId={terminalId} secret={secret} />}
      onDone={({ terminalId }) => go(terminalLink(terminalId))}
    >
      {({ values, set, field }) => (
        <>
          <TextField
            label="Terminal id"
            name="terminalId"
            mono
            hint="Cannot be changed, and is never used again."
            {...field("terminalId")}
          />
          <Choice label="Kind" value={values.isVT} options={KINDS} onChoose={set("isVT")} />
          <TextField label="Name" hint="Optional. Shown in lists, such as Counter 3." {...field("name")} />
          <TextField
            label="Merchant id"
            mono
            hint="Optional. Only accounts of this merchant can bind it, also without a key."
            {...field("merchantId")}
          />
          <p class="soft">The gateway makes its secret, and shows it once, also as a code for the device to scan.</p>
        </>
      )}
    </Question>
  );
}
