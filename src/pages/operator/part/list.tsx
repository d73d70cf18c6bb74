import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Filters } from "../../../protocol/operator-filters.ts";
import { saveFile } from "../../page/browser.ts";
import { Button, Controls, FormFrame, useCall } from "../../page/controls.tsx";
import type { Field, Option, Tone } from "../../page/declared.ts";
import { Disclosure, Notice, ToneTag } from "../../page/shown.tsx";
import type { Place } from "../address.ts";
import { callProblem } from "../operator-calls.ts";
import { BROWSERS_ZONE, countText, shortTime } from "../words.ts";
import { Panel, Updated } from "./panel.tsx";
import { PanelTable, type TableProps } from "./table.tsx";
import { useCalls, useList, Waiting, type List, type ListPage } from "./reading.tsx";

export const BY_ID_OR_NAME: Field = { name: "text", label: "Id or name", hint: "The beginning is enough." };

/** @param words by value; the values themselves by default */
export function makeOptions(values: readonly string[], words: Readonly<Record<string, string>> = {}): Option[] {
  return [{ value: "", label: "All" }, ...values.map((value) => ({ value, label: words[value] ?? value }))];
}

/** Omits filters without a field. */
export function filterFields(filters: Filters): Field[] {
  return Object.entries(filters).flatMap(([name, filter]): Field[] => {
    if (filter.field === undefined) return [];
    const { options, ...field } = filter.field;
    if (options !== undefined)
      return [{ kind: "choice", name, ...field, options: makeOptions(Object.keys(options), options) }];
    if (filter.kind === "choice") return [{ kind: "select", name, ...field, options: makeOptions(filter.of) }];
    return [{ kind: filter.kind === "time" ? "time" : "text", name, ...field }];
  });
}

interface FilterFormProps {
  place: Place;
  /** They are always shown. Without any, the whole form is folded. */
  fields?: readonly Field[] | undefined;
  /** Folded below `fields`, unless one is set. */
  more?: readonly Field[];
  action?: string | undefined;
}

/** A choice applies at once, all other filters with the form's button. */
export function FilterForm({ place, fields = [], more = [], action = "Search" }: FilterFormProps) {
  const [wanted, change] = useWanted(place.values);
  const submit = (): void =>
    place.show(Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, text.trim()])));
  const controls = (shown: readonly Field[]) => (
    <Groups fields={shown} values={wanted} onInput={change} onChoose={place.show} />
  );
  const isFolded = fields.length === 0;
  const buttons = (
    <div class="row filter-buttons">
      <Button>{action}</Button>
      {place.clear !== undefined && (
        <Button look="plain" onClick={place.clear}>
          Show all
        </Button>
      )}
    </div>
  );
  return (
    <FormFrame look="stack" role="search" onSubmit={submit}>
      {!isFolded && (
        <div class="filter-line">
          {controls(fields)}
          {buttons}
        </div>
      )}
      <Chips place={place} fields={more} />
      {more.length > 0 && (
        <Disclosure summary={isFolded ? "Filters" : "More filters"}>
          <div class="stack">
            {controls(more)}
            {isFolded && buttons}
          </div>
        </Disclosure>
      )}
    </FormFrame>
  );
}

/** The filters that are set and folded; each can be taken away. */
function Chips({ place, fields }: { place: Place; fields: readonly Field[] }) {
  const set = fields.filter(({ name }) => (place.values[name] ?? "") !== "");
  if (set.length === 0) return null;
  return (
    <p class="row">
      {set.map((field) => {
        const words = `${field.label}: ${valueWords(field, place.values[field.name] ?? "")}`;
        return (
          <Button
            key={field.name}
            look="chip"
            label={`Remove ${words}`}
            onClick={() => place.show({ [field.name]: "" })}
          >
            {words} ×
          </Button>
        );
      })}
    </p>
  );
}

function valueWords({ kind, options }: Field, value: string): string {
  if (kind === "time") return Number.isNaN(Date.parse(value)) ? value : shortTime(value);
  return options?.find((option) => option.value === value)?.label ?? value;
}

/** Lists of one section, or parts of one list, each with its address. */
export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ words, href, isPresent, count, tone }) => (
        <a key={words} href={href} aria-current={isPresent ? "page" : undefined}>
          {words}{" "}
          {count !== undefined && (
            <ToneTag tone={count === 0 ? "neutral" : (tone ?? "neutral")}>{count.toLocaleString("en")}</ToneTag>
          )}
        </a>
      ))}
    </nav>
  );
}

export interface Tab {
  words: string;
  href: string;
  isPresent: boolean;
  count?: number | undefined;
  tone?: Tone | undefined;
}

interface GroupsProps {
  fields: readonly Field[];
  values: Record<string, string>;
  onInput: (change: Record<string, string>) => void;
  onChoose: (change: Record<string, string>) => void;
}

function Groups({ fields, values, onInput, onChoose }: GroupsProps) {
  return ["filters", "choice", "time"].map((group) => {
    const shown = fields.filter(({ kind }) => (kind === "choice" || kind === "time" ? kind : "filters") === group);
    if (shown.length === 0) return null;
    return (
      <div key={group} class={group === "filters" ? group : "row"}>
        <Controls fields={shown} values={values} onInput={group === "choice" ? onChoose : onInput} />
      </div>
    );
  });
}

/**
 * What the form contains: the filters of the page's address, until the user changes them. Another address, such as
 * after Back, replaces them.
 */
function useWanted(named: Place["values"]) {
  const key = JSON.stringify(named);
  const [state, setState] = useState({ key, wanted: named });
  const wanted = state.key === key ? state.wanted : named;
  const change = (changes: Record<string, string>): void => setState({ key, wanted: { ...wanted, ...changes } });
  return [wanted, change] as const;
}

/** More rows do not fit in the memory of every browser. */
const MOST_ROWS = 100_000;

interface Saved<Row> {
  /** The file's name, without its ending. */
  name: string;
  csv: (rows: readonly Row[]) => string;
}

/** Every page of the list in one file. */
export function Save<Row>({
  list: { path, query, timed },
  name,
  csv,
}: Saved<Row> & { list: Pick<List<Row>, "path" | "query" | "timed"> }) {
  const calls = useCalls();
  const { state, make } = useCall((error) => `Nothing is saved. ${callProblem(error)}`);
  const save = async (): Promise<string | null> => {
    const rows: Row[] = [];
    const asked = { ...query, ...timed(Date.now()) };
    let cursor: string | undefined;
    do {
      const page: ListPage<Row> = await calls.get(path, { ...asked, cursor });
      rows.push(...page.data);
      cursor = page.next ?? undefined;
    } while (cursor !== undefined && rows.length < MOST_ROWS);
    // Excel reads a file without a byte order mark in the code page of its machine.
    saveFile(`${name}.csv`, "text/csv", `\uFEFF${csv(rows)}`);
    if (cursor === undefined) return null;
    return `The file has only the first ${countText(rows.length, "row")}. Choose a shorter time.`;
  };
  return (
    <div class="row" role="status">
      <Button disabled={state.busy} onClick={() => void make(save)}>
        {state.busy ? "Reading…" : "Save all as CSV"}
      </Button>
      {state.problem !== null && <Notice tone="pending">{state.problem}</Notice>}
    </div>
  );
}

type ListTableProps<Row> = TableProps<Row> & {
  list: List<Row>;
  /** For an empty list. */
  none: string;
};

function ListTable<Row>({ list, none, ...table }: ListTableProps<Row>) {
  const { rows, previous, readAt, isPaged, problem, busy, more, readMore, again } = list;
  const { keyOf } = table;
  const changed = useMemo(() => changedRows(rows ?? [], previous, keyOf), [rows, previous]);
  return (
    <div class="stack" aria-busy={busy}>
      {(rows === null || problem !== null) && <Waiting problem={problem} again={again} />}
      {rows?.length === 0 && !more && !busy && <p class="soft">{none}</p>}
      {rows !== null && rows.length > 0 && <PanelTable {...table} rows={rows} changed={changed} />}
      {rows !== null && (
        <div class="row spread">
          {more && (
            <Button disabled={busy} onClick={readMore}>
              {busy ? "Loading…" : "More"}
            </Button>
          )}
          <span class="row">
            <Updated at={readAt} changed={changed.size} zone={table.zone ?? BROWSERS_ZONE} />
            {isPaged && (
              <Button look="plain" onClick={again}>
                Back to the first page
              </Button>
            )}
          </span>
        </div>
      )}
    </div>
  );
}

/** The keys of the rows that are new, or differ from the previous ones. */
export function changedRows<Row>(
  rows: readonly Row[],
  previous: readonly Row[] | null,
  keyOf: (row: Row) => string,
): ReadonlySet<string> {
  if (previous === null) return new Set();
  const known = new Map(previous.map((row) => [keyOf(row), JSON.stringify(row)]));
  return new Set(rows.filter((row) => known.get(keyOf(row)) !== JSON.stringify(row)).map(keyOf));
}

type SearchedProps<Row> = Omit<ListTableProps<Row>, "none"> & {
  /** The member that begins with the text. */
  id: string;
  text: string;
  order?: (one: Row, other: Row) => number;
};

/** Rows whose id begins with a text, then those whose name does. */
export function Searched<Row>({ id, text, ...list }: SearchedProps<Row>) {
  return (
    <>
      <Ordered {...list} none={text === "" ? "None." : "No id begins with this text."} />
      {text !== "" && <ByName {...list} id={id} text={text} />}
    </>
  );
}

function ByName<Row>({ id, text, list, label, ...table }: SearchedProps<Row>) {
  const { path, query, timed } = list;
  const named = useList<Row>(path, { ...query, [id]: "", name: text }, { timed });
  if (named.rows?.length === 0 && !named.more) return null;
  return (
    <>
      <h3>By name</h3>
      <Ordered {...table} list={named} label={`${label} by name`} none="" />
    </>
  );
}

function Ordered<Row>({ list, order, ...table }: ListTableProps<Row> & Pick<SearchedProps<Row>, "order">) {
  const rows = useMemo(() => (order === undefined ? list.rows : (list.rows?.toSorted(order) ?? null)), [list.rows]);
  return <ListTable {...table} list={{ ...list, rows }} />;
}

type ListPanelProps<Row> = Omit<ListTableProps<Row>, "label"> &
  Partial<FilterFormProps> & {
    title: string;
    /** The table's label, if it is not the title. */
    label?: string;
    aside?: ComponentChildren;
    save?: Saved<Row>;
    /** Above the filters; `children` is below them, `below` below the rows. */
    about?: ComponentChildren;
    children?: ComponentChildren;
    below?: ComponentChildren;
  };

export function ListPanel<Row>(props: ListPanelProps<Row>) {
  const { title, aside, about, place, children, below, save, list } = props;
  return (
    <Panel title={title} aside={aside}>
      {about}
      {place !== undefined && <FilterForm {...props} place={place} />}
      {children}
      {save !== undefined && <Save list={list} {...save} />}
      <ListTable {...props} label={props.label ?? title} />
      {below}
    </Panel>
  );
}
