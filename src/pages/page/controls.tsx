import type { ComponentChildren, RenderableProps } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { MINUTE, SECOND } from "../../protocol/time/units.ts";
import type { Field, FieldLook, Option, TextKind } from "./declared.ts";
import { Notice } from "./shown.tsx";

export type Look = "primary" | "quiet" | "danger" | "plain" | "chip";

interface ButtonProps {
  look?: Look | undefined;
  /** Without it the button submits its form. */
  onClick?: () => void;
  /** The disabled button keeps the focus and its place in the tab order, so that a keyboard user stays in the form. */
  disabled?: boolean;
  /** For screen readers, if the words do not name the target: "Unbind T-1001". */
  label?: string | undefined;
  expanded?: boolean;
  /** The dialog that has this button opens with the focus on it. */
  autofocus?: boolean;
}

export function Button(props: RenderableProps<ButtonProps>) {
  const { look = "quiet", onClick, disabled, label, expanded, autofocus, children } = props;
  const press = (event: Event): void => {
    if (disabled === true) event.preventDefault();
    else onClick?.();
  };
  return (
    <button
      type={onClick === undefined ? "submit" : "button"}
      class="button"
      data-look={look}
      aria-disabled={disabled === true ? "true" : undefined}
      aria-label={label}
      aria-expanded={expanded}
      autofocus={autofocus}
      onClick={press}
      onKeyDown={ignoreRepeatedEnter}
    >
      {children}
    </button>
  );
}

/** A key that is held down must not press what the first press has opened. */
function ignoreRepeatedEnter(event: KeyboardEvent): void {
  if (event.repeat && event.key === "Enter") event.preventDefault();
}

/**
 * Confirms for a moment.
 *
 * @param label the text before, "Copy as curl"
 */
export function CopyButton({ text, label }: { text: string | (() => string); label: string }) {
  const [said, setSaid] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => setSaid(""), 2 * SECOND);
    return () => clearTimeout(timer);
  }, [said]);
  const copy = (): void => {
    navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setSaid("Copied"),
      () => setSaid("The browser did not allow it"),
    );
  };
  return (
    <span class="copy">
      <Button look="plain" onClick={copy}>
        {label}
      </Button>
      <span class="copy-said small soft" role="status">
        {said}
      </span>
    </span>
  );
}

export function Choice<Value extends string>({
  label,
  value,
  options,
  onChoose,
}: {
  label: string;
  value: Value;
  options: readonly Option<Value>[];
  onChoose: (value: Value) => void;
}) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} class="choice-option">
          <input
            type="radio"
            name={name}
            value={option.value}
            checked={option.value === value}
            onChange={() => onChoose(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface Entered {
  value: string;
  onInput: (value: string) => void;
  /** Is shown instead of the hint. */
  problem?: string | undefined;
  /** A small button next to the label. */
  action?: ComponentChildren;
}

interface TextFieldProps extends FieldLook, Entered {
  kind?: TextKind;
  /** Other values can be typed as well. */
  suggestions?: string[];
}

export function TextField({ kind = "text", mono = false, placeholder, suggestions, ...field }: TextFieldProps) {
  const id = useId();
  return (
    <Labelled id={id} {...field}>
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

export function SelectField({ options, ...field }: FieldLook & Entered & { options: readonly Option[] }) {
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

type LabelledProps = FieldLook & Pick<Entered, "problem" | "action"> & { id: string };

function Labelled({ id, label, code, hint, problem, action, children }: RenderableProps<LabelledProps>) {
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          {label}
          {code !== undefined && <code class="field-name"> {code}</code>}
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

/**
 * Shows the time in the browser's zone.
 *
 * @param value ISO 8601 or empty
 */
function TimeField({ label, value, onInput }: { label: string; value: string; onInput: (iso: string) => void }) {
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
        onChange={({ currentTarget }) => onInput(isoTime(currentTarget.value))}
      />
    </span>
  );
}

/** Writes `2026-11-20T14:05`, in the browser's zone; empty for an invalid time. */
function fieldTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return "";
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE);
  return local.toISOString().slice(0, 16);
}

/** Returns an empty text for an empty field. */
function isoTime(field: string): string {
  const at = new Date(field);
  return field === "" || Number.isNaN(at.getTime()) ? "" : at.toISOString();
}

export function Control({ field, ...entered }: Entered & { field: Field }) {
  const { kind = "text", label, options = [] } = field;
  switch (kind) {
    case "select":
      return <SelectField {...field} {...entered} options={options} />;
    case "time":
      return <TimeField label={label} {...entered} />;
    case "choice":
      return (
        <>
          <Choice label={label} value={entered.value} options={options} onChoose={entered.onInput} />
          {entered.problem !== undefined && <p class="field-problem">{entered.problem}</p>}
        </>
      );
    default:
      return <TextField {...field} {...entered} kind={kind} />;
  }
}

interface ControlsProps {
  fields: readonly Field[];
  /** By name, as `problems`; empty if missing. */
  values: Readonly<Record<string, string>>;
  problems?: Readonly<Record<string, string | undefined>>;
  onInput: (change: Record<string, string>) => void;
}

export function Controls({ fields, values, problems = {}, onInput }: ControlsProps) {
  return fields.map((field) => (
    <Control
      key={field.name}
      field={field}
      value={values[field.name] ?? ""}
      problem={problems[field.name]}
      onInput={(text) => onInput({ [field.name]: text })}
    />
  ));
}

interface FormProps {
  look: string;
  /** What screen readers read: a name, or the id of the heading. */
  label?: string;
  labelledBy?: string;
  role?: "search";
  onSubmit: (form: HTMLFormElement) => unknown;
}

/** Stays on the page, and leaves the checks of fields to the page, not the browser. */
export function FormFrame({ look, label, labelledBy, role, onSubmit, children }: RenderableProps<FormProps>) {
  const submit = (event: Event & { currentTarget: HTMLFormElement }): void => {
    event.preventDefault();
    onSubmit(event.currentTarget);
  };
  return (
    <form class={look} role={role} aria-label={label} aria-labelledby={labelledBy} onSubmit={submit} noValidate>
      {children}
    </form>
  );
}

interface CallState {
  busy: boolean;
  problem: string | null;
}

/** One call at a time. A text that the call returns is shown like a problem. */
export function useCall(problemOf: (error: unknown) => string) {
  const [state, setState] = useState<CallState>({ busy: false, problem: null });
  const make = async (call: () => Promise<string | null>): Promise<void> => {
    if (state.busy) return;
    setState({ busy: true, problem: null });
    try {
      setState({ busy: false, problem: await call() });
    } catch (error) {
      setState({ busy: false, problem: problemOf(error) });
    }
  };
  return { state, make };
}

interface CallFormProps {
  look: string;
  state: CallState;
  /** `busyAction` is shown while the call is made. */
  action: string;
  busyAction: string;
  onSubmit: () => Promise<void>;
}

export function CallForm({ look, state, action, busyAction, onSubmit, children }: RenderableProps<CallFormProps>) {
  const { busy, problem } = state;
  return (
    <FormFrame look={look} onSubmit={onSubmit}>
      {children}
      <div class="row">
        <Button look="primary" disabled={busy}>
          {busy ? busyAction : action}
        </Button>
      </div>
      <div role="status">{problem !== null && <Notice tone="bad">{problem}</Notice>}</div>
    </FormFrame>
  );
}

interface DialogProps {
  title: string;
  onSubmit: () => void;
  onCancel: () => void;
}

/**
 * A modal dialog. If it confirms something, its Cancel has `autofocus`: otherwise Enter, pressed twice, would open and
 * confirm it. Stop rendering it to close it; the focus then returns to where it was. */
export function Dialog({ title, onSubmit, onCancel, children }: RenderableProps<DialogProps>) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Closes before its removal: the browser then returns the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const cancel = (event: Event): void => {
    event.preventDefault();
    onCancel();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onCancel={cancel} onKeyDown={ignoreRepeatedEnter}>
      <FormFrame look="stack" onSubmit={onSubmit}>
        <h2 id={id}>{title}</h2>
        {children}
      </FormFrame>
    </dialog>
  );
}
