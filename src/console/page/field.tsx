import { useId } from "hono/jsx/dom";
import type { Child } from "hono/jsx/dom";

interface FieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  /** One short sentence below the field. */
  hint?: string | undefined;
  /** What is wrong with the value; stands in the hint's place. */
  problem?: string | undefined;
  optional?: boolean;
}

export interface TextFieldProps extends FieldProps {
  kind?: "text" | "password" | "decimal" | "digits";
  /** For codes and identifiers. */
  mono?: boolean;
  placeholder?: string;
  autocomplete?: string;
  /** Names of values to choose from, which are no rule. */
  suggestions?: string[];
}

/** A line of text with its label. */
export function TextField({
  kind = "text",
  mono = false,
  placeholder,
  autocomplete = "off",
  suggestions,
  ...field
}: TextFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} {...field}>
      <input
        id={id}
        class={mono ? "input mono" : "input"}
        type={kind === "password" ? "password" : "text"}
        inputmode={kind === "decimal" ? "decimal" : kind === "digits" ? "numeric" : undefined}
        value={field.value}
        placeholder={placeholder}
        autocomplete={autocomplete}
        autocapitalize="off"
        spellcheck={false}
        list={suggestions === undefined ? undefined : `${id}-list`}
        aria-invalid={field.problem === undefined ? undefined : "true"}
        aria-describedby={`${id}-words`}
        onInput={(event: Event) => field.onInput(valueOf(event))}
      />
      {suggestions !== undefined && (
        <datalist id={`${id}-list`}>
          {suggestions.map((suggestion) => (
            <option key={suggestion} value={suggestion} />
          ))}
        </datalist>
      )}
    </Labelled>
  );
}

export interface SelectFieldProps extends FieldProps {
  options: { value: string; label: string }[];
}

/** A choice of one, with its label. */
export function SelectField({ options, ...field }: SelectFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} {...field}>
      <select
        id={id}
        class="input"
        value={field.value}
        aria-invalid={field.problem === undefined ? undefined : "true"}
        aria-describedby={`${id}-words`}
        onChange={(event: Event) => field.onInput(valueOf(event))}
      >
        {options.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled({
  id,
  label,
  hint,
  problem,
  optional = false,
  children,
}: FieldProps & { id: string; children: Child }) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {optional && <span class="field-optional"> optional</span>}
      </label>
      {children}
      <p id={`${id}-words`} class={problem === undefined ? "field-hint" : "field-problem"}>
        {problem ?? hint ?? ""}
      </p>
    </div>
  );
}

function valueOf(event: Event): string {
  const { target } = event;
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement ? target.value : "";
}
