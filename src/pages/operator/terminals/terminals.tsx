import { terminalsCsv } from "../../../protocol/csv.ts";
import { TERMINAL_FILTERS } from "../../../protocol/operator-filters.ts";
import { Choice } from "../../page/controls.tsx";
import { Dot, ToneTag } from "../../page/shown.tsx";
import { go, makePlace } from "../address.ts";
import type { TerminalAnswer, TerminalWithSecret } from "../answers.ts";
import { BY_ID_OR_NAME, filterFields, FilterForm, makeOptions, Save, Searched } from "../part/list.tsx";
import { Elapsed, Named, Panel, Since } from "../part/panel.tsx";
import { type Column } from "../part/table.tsx";
import { Question, REQUIRED, TerminalSecretView, type QuestionField } from "../part/question.tsx";
import { useList } from "../part/reading.tsx";
import { accountLink, terminalLink, type PlaceQuery } from "../route.ts";
import { isLossUnseen } from "./effects.ts";
import { readFilter, OFFLINE_FOR, offlineFirst, offlineQuery, filterQuery, type TerminalFilter } from "./filters.ts";

export const TERMINAL_COLUMNS: Column<TerminalAnswer>[] = [
  {
    head: "Terminal",
    cell: ({ terminalId, name }) => <Named id={terminalId} name={name} link={terminalLink(terminalId)} />,
  },
  { head: "State", cell: (terminal) => <State terminal={terminal} />, place: "first" },
  { head: "Last heartbeat", cell: ({ lastHeartbeat }) => <Since at={lastHeartbeat} /> },
  { head: "Shop", cell: ({ shopName, merchantId }) => shopName ?? merchantId ?? "–", place: "plain" },
  { head: "Software", cell: ({ softwareVersion }) => softwareVersion ?? "–" },
  { head: "Account", cell: ({ posId }) => (posId === null ? "–" : <a href={accountLink(posId)}>{posId}</a>) },
];

/** Red only if it was connected before. */
export function State({
  terminal,
}: {
  terminal: Pick<TerminalAnswer, "status" | "connected" | "offlineSince" | "lastHeartbeat" | "contested">;
}) {
  const { status, connected, offlineSince, contested } = terminal;
  if (status === "retired") return <span class="soft">retired</span>;
  return (
    <>
      <Dot tone={connected ? "good" : offlineSince === null ? "neutral" : "bad"} />{" "}
      {connected ? (
        <>connected {contested && <ToneTag tone="bad">two devices</ToneTag>}</>
      ) : offlineSince === null ? (
        "never connected"
      ) : (
        <>
          offline for {isLossUnseen(terminal) && "at least "}
          <Elapsed since={offlineSince} />
        </>
      )}
    </>
  );
}

const STATES = makeOptions(["offline", "connected", "retired"], {
  offline: "Offline",
  connected: "Connected",
  retired: "Retired",
});

/** People know a shop rather than an account. */
const { boundTo, ...OTHERS } = TERMINAL_FILTERS;
const FIELDS = filterFields({ ...OTHERS, boundTo });
const BY_TIME = {
  kind: "choice",
  name: "offlineFor",
  label: "Offline for",
  options: makeOptions(Object.keys(OFFLINE_FOR), OFFLINE_FOR),
} as const;

/** Without a filter by state, offline terminals are a separate list, because each list is in the order of the ids. */
export function Terminals({ query }: { query: PlaceQuery }) {
  const filter = readFilter(query);
  const { state } = filter;
  const place = makePlace(filter);
  return (
    <Panel title="Terminals" aside={<EnrolOne />}>
      <FilterForm place={place} fields={[BY_ID_OR_NAME]} more={state === "offline" ? [...FIELDS, BY_TIME] : FIELDS} />
      <Save
        list={{ path: "/terminals", query: filterQuery(filter), timed: (now) => offlineQuery(filter, now) }}
        name="terminals"
        csv={terminalsCsv}
      />
      <Choice label="State" value={state} options={STATES} onChoose={(chosen) => place.show({ state: chosen })} />
      {state === "" ? (
        <>
          <h3>Offline</h3>
          <TerminalList filter={{ ...filter, state: "offline" }} label="Offline terminals" />
          <h3>Connected</h3>
          <TerminalList filter={{ ...filter, state: "connected" }} label="Connected terminals" />
        </>
      ) : (
        <TerminalList filter={filter} label="Terminals" />
      )}
    </Panel>
  );
}

function TerminalList({ filter, label }: { filter: TerminalFilter; label: string }) {
  return (
    <Searched<TerminalAnswer>
      label={label}
      list={useList("/terminals", filterQuery(filter), { timed: (now) => offlineQuery(filter, now) })}
      id="terminalId"
      text={filter.text}
      order={offlineFirst}
      columns={TERMINAL_COLUMNS}
      keyOf={({ terminalId }) => terminalId}
    />
  );
}

const NEW: QuestionField<"terminalId" | "isVT" | "name" | "merchantId">[] = [
  {
    name: "terminalId",
    label: "Terminal id",
    code: "terminalId",
    mono: true,
    hint: "Cannot be changed, and is never used again.",
    required: REQUIRED,
  },
  {
    name: "isVT",
    kind: "choice",
    label: "Kind",
    value: "0",
    options: [
      { value: "0", label: "Device" },
      { value: "1", label: "Virtual" },
    ],
  },
  { name: "name", label: "Name", hint: "Optional. Shown in lists, such as Counter 3." },
  {
    name: "merchantId",
    label: "Merchant id",
    mono: true,
    hint: "Optional. Only accounts of this merchant can bind it, also without a key.",
  },
];

function EnrolOne() {
  return (
    <Question<TerminalWithSecret, (typeof NEW)[number]["name"]>
      action="New terminal"
      title="Enrol a terminal"
      confirm="Enrol"
      fields={NEW}
      change={(values) => ({
        action: "terminal.enrol",
        target: values.terminalId,
        call: ["POST", "/terminals", { ...values, isVT: Number(values.isVT) }],
      })}
      done={({ terminalId }) => `${terminalId} is enrolled.`}
      show={({ terminalId, secret }) => <TerminalSecretView terminalId={terminalId} secret={secret} />}
      onDone={({ terminalId }) => go(terminalLink(terminalId))}
    >
      <p class="soft">The gateway makes its secret, and shows it once, also as a code for the device to scan.</p>
    </Question>
  );
}
