import type { ComponentChildren, RenderableProps } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  label: string;
  /** The field's name in the interface, if it differs from the label. */
  name?: string | undefined;
  value: string;
  onInput: (value: string) => void;
  /** One short sentence below the field. */
  hint?: string | undefined;
  /** What is wrong with the value; shown instead of the hint. */
  problem?: string | undefined;
}

export interface TextFieldProps extends FieldProps {
  kind?: "text" | "password" | "decimal" | "digits" | "date";
  /** For codes and identifiers. */
  mono?: boolean;
  placeholder?: string;
  /** Suggested values. Others can be typed as well. */
  suggestions?: string[];
  /** A small button next to the label. */
  action?: ComponentChildren;
}

/** A labelled line of text. */
export function TextField({ kind = "text", mono = false, placeholder, suggestions, action, ...field }: TextFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} action={action} {...field}>
      <input
        id={id}
        class={mono ? "input mono" : "input"}
        {...(kind === "password" || kind === "date" ? { type: kind } : { list: suggestions && `${id}-list` })}
        inputmode={kind === "decimal" ? "decimal" : kind === "digits" ? "numeric" : undefined}
        value={field.value}
        placeholder={placeholder}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        aria-invalid={field.problem === undefined ? undefined : "true"}
        aria-describedby={`${id}-words`}
        onInput={({ currentTarget }) => field.onInput(currentTarget.value)}
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

/** A labelled choice of one option. */
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
        onChange={({ currentTarget }) => field.onInput(currentTarget.value)}
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

type LabelledProps = Omit<FieldProps, "value" | "onInput"> & { id: string; action?: ComponentChildren };

function Labelled({ id, label, name, hint, problem, action, children }: RenderableProps<LabelledProps>) {
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          {label}
          {name !== undefined && <code class="field-name"> {name}</code>}
        </label>
        {action}
      </div>
      {children}
      <p id={`${id}-words`} class={problem === undefined ? "field-hint" : "field-problem"}>
        {problem ?? hint ?? ""}
      </p>
    </div>
  );
}
