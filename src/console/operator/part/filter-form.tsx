import type { ComponentChildren } from "preact";
import { Button } from "../../page/button.tsx";
import { Disclosure } from "../../page/disclosure.tsx";
import { TextField } from "../../page/field.tsx";
import { useWanted } from "./use-wanted.ts";

export interface FilterField {
  name: string;
  label: string;
  hint: string;
  mono?: boolean;
}

export interface FilterFormProps {
  /** Always shown. Without any, the whole form is folded. */
  fields: readonly FilterField[];
  /** Folded below them. */
  more?: readonly FilterField[];
  /** Other filters, folded with `more`. */
  children?: ComponentChildren;
  /** Whether one of the folded filters is set. */
  isMoreSet?: boolean;
  /** What the list is filtered by now, by the fields' names. */
  values: Record<string, string>;
  action?: string;
  /** Gets the fields' texts without surrounding spaces. */
  onShow: (values: Record<string, string>) => void;
  /** Removes every filter; undefined if there is none. */
  onClear: (() => void) | undefined;
}

/** Filters of a list that are typed. */
export function FilterForm(props: FilterFormProps) {
  const { fields, more = [], children, isMoreSet = false, values, action = "Search", onShow, onClear } = props;
  const [wanted, change] = useWanted(values);
  const submit = (event: Event): void => {
    event.preventDefault();
    onShow(Object.fromEntries(Object.entries(wanted).map(([name, text]) => [name, text.trim()])));
  };
  const shown = (some: readonly FilterField[]): ComponentChildren => (
    <div class="filters">
      {some.map(({ name, ...field }) => (
        <TextField key={name} {...field} value={wanted[name] ?? ""} onInput={(text) => change({ [name]: text })} />
      ))}
    </div>
  );
  const isOpen = isMoreSet || more.some(({ name }) => values[name] !== "");
  const isFolded = fields.length === 0;
  const buttons = (
    <div class="row">
      <Button>{action}</Button>
      {onClear !== undefined && (
        <Button look="plain" onClick={onClear}>
          Show all
        </Button>
      )}
    </div>
  );
  return (
    <form class="stack" role="search" onSubmit={submit} noValidate>
      {!isFolded && shown(fields)}
      {(more.length > 0 || children !== undefined) && (
        <Disclosure summary={isFolded ? "Filters" : "More filters"} open={isOpen}>
          <div class="stack">
            {more.length > 0 && shown(more)}
            {children}
            {isFolded && buttons}
          </div>
        </Disclosure>
      )}
      {!isFolded && buttons}
    </form>
  );
}

/** Finds rows by the beginning of an id or a name. */
export const BY_ID_OR_NAME: FilterField = { name: "text", label: "Id or name", hint: "The beginning is enough." };
