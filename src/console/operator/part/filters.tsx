import { useId, useState } from "preact/hooks";
import type { Filters } from "../../../protocol/operator-filters.ts";
import { MINUTE } from "../../../time/units.ts";
import { Button } from "../../page/button.tsx";
import { Choice } from "../../page/choice.tsx";
import { Disclosure } from "../../page/disclosure.tsx";
import { SelectField, TextField } from "../../page/field.tsx";
import type { Place } from "../address.ts";

export interface FilterField {
  /** A text by default. A `choice` applies at once, all others with the form's button. */
  kind?: "text" | "choice" | "select" | "time";
  name: string;
  label: string;
  hint?: string | undefined;
  mono?: boolean;
  options?: { value: string; label: string }[];
}

/** Finds rows by the beginning of an id or a name. */
export const BY_ID_OR_NAME: FilterField = { name: "text", label: "Id or name", hint: "The beginning is enough." };

const ALL = { value: "", label: "All" };

/** The choice of one of a few values, or of all. @param words by value; the values themselves by default */
export function optionsOf(values: readonly string[], words: Readonly<Record<string, string>> = {}) {
  return [ALL, ...values.map((value) => ({ value, label: words[value] ?? value }))];
}

/** The fields of the filters that have one. */
export function fieldsOf(filters: Filters): FilterField[] {
  return Object.entries(filters).flatMap(([name, filter]): FilterField[] => {
    if (filter.field === undefined) return [];
    const { options, ...field } = filter.field;
    if (options !== undefined)
      return [{ kind: "choice", name, ...field, options: optionsOf(Object.keys(options), options) }];
    if (filter.kind === "choice") return [{ kind: "select", name, ...field, options: optionsOf(filter.of) }];
    return [{ kind: filter.kind === "time" ? "time" : "text", name, ...field }];
  });
}

export interface FilterFormProps {
  place: Place;
  /** Always shown. Without any, the whole form is folded. */
  fields?: readonly FilterField[];
  /** Folded below them, unless one is set. */
  more: readonly FilterField[];
  action?: string;
}

/** The filters of a list. */
export function FilterForm({ place, fields = [], more, action = "Search" }: FilterFormProps) {
  const [wanted, change] = useWanted(place.values);
  const submit = (event: Event): void => {
    event.preventDefault();
    place.show(Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, text.trim()])));
  };
  const controls = { wanted, change, place };
  const isFolded = fields.length === 0;
  const buttons = (
    <div class="row">
      <Button>{action}</Button>
      {place.clear !== undefined && (
        <Button look="plain" onClick={place.clear}>
          Show all
        </Button>
      )}
    </div>
  );
  return (
    <form class="stack" role="search" onSubmit={submit} noValidate>
      {!isFolded && <Fields fields={fields} {...controls} />}
      {more.length > 0 && (
        <Disclosure
          summary={isFolded ? "Filters" : "More filters"}
          open={more.some(({ name }) => place.values[name] !== "")}
        >
          <div class="stack">
            <Fields fields={more} {...controls} />
            {isFolded && buttons}
          </div>
        </Disclosure>
      )}
      {!isFolded && buttons}
    </form>
  );
}

/**
 * What a form for filters contains: the filters that the page's address names, until its user changes them. Another
 * address, such as after Back, replaces them.
 */
function useWanted(named: Place["values"]) {
  const key = JSON.stringify(named);
  const [state, setState] = useState({ key, wanted: named });
  const wanted = state.key === key ? state.wanted : named;
  const change = (changes: Record<string, string>): void => setState({ key, wanted: { ...wanted, ...changes } });
  return [wanted, change] as const;
}

interface Controls {
  wanted: Place["values"];
  change: (changes: Record<string, string>) => void;
  place: Place;
}

function Fields({ fields, ...controls }: Controls & { fields: readonly FilterField[] }) {
  const rows = [
    { kinds: ["text", "select"], look: "filters" },
    { kinds: ["choice"], look: "row" },
    { kinds: ["time"], look: "row" },
  ];
  return rows.map(({ kinds: [first, second], look }) => {
    const shown = fields.filter(({ kind = "text" }) => kind === first || kind === second);
    if (shown.length === 0) return null;
    return (
      <div key={first} class={look}>
        {shown.map((field) => (
          <Control key={field.name} field={field} {...controls} />
        ))}
      </div>
    );
  });
}

function Control({ field, wanted, change, place }: Controls & { field: FilterField }) {
  const { kind = "text", name, options = [], ...shown } = field;
  const value = wanted[name] ?? "";
  const onInput = (text: string): void => change({ [name]: text });
  switch (kind) {
    case "text":
      return <TextField {...shown} value={value} onInput={onInput} />;
    case "select":
      return <SelectField {...shown} value={value} options={options} onInput={onInput} />;
    case "time":
      return <TimeField {...shown} value={value} onChoose={onInput} />;
    case "choice":
      return (
        <Choice {...shown} value={value} options={options} onChoose={(chosen) => place.show({ [name]: chosen })} />
      );
  }
}

/** The fields for the two ends of a period. */
export const PERIOD: FilterField[] = [
  { kind: "time", name: "from", label: "From" },
  { kind: "time", name: "to", label: "To" },
];

export interface TimeFieldProps {
  label: string;
  /** ISO 8601, or empty. */
  value: string;
  onChoose: (iso: string) => void;
}

/** A field for a point in time in the browser's zone. */
export function TimeField({ label, value, onChoose }: TimeFieldProps) {
  const id = useId();
  return (
    <span class="row">
      <label for={id} class="soft small">
        {label}
      </label>
      <input
        id={id}
        class="input time-input"
        type="datetime-local"
        value={fieldTime(value)}
        onChange={({ currentTarget }) => onChoose(isoTime(currentTarget.value))}
      />
    </span>
  );
}

/** The value of a time field: `2026-11-20T14:05`, in the browser's zone; empty for an invalid time. */
function fieldTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE);
  return local.toISOString().slice(0, 16);
}

/** Empty for an empty field. */
function isoTime(field: string): string {
  const at = new Date(field);
  return field === "" || Number.isNaN(at.getTime()) ? "" : at.toISOString();
}
