import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { enrolmentText } from "../../../protocol/enrolment.ts";
import { mayDo, type OperatorRole } from "../../../protocol/operator-roles.ts";
import { Button, Controls, CopyButton, Dialog, TextField, type Look } from "../../page/controls.tsx";
import type { Field } from "../../page/declared.ts";
import { Code, Notice, Qr } from "../../page/shown.tsx";
import { callProblem } from "../operator-calls.ts";
import { changeWords, makeChange, type Change, type Changed } from "./change.ts";
import { When } from "./panel.tsx";
import { RoleContext, useCalls } from "./reading.tsx";

export interface QuestionField<Name extends string> extends Field<Name> {
  /** The initial text. */
  value?: string | undefined;
  /** The problem of an empty field. If it is missing, the field may be empty. */
  required?: string;
}

export const REQUIRED = "This field is required.";

/** The values without surrounding spaces. */
type Values<Name extends string> = Record<Name, string>;

interface QuestionProps<Answer, Name extends string> {
  /** The button that asks: "Unbind". */
  action: string;
  /** For screen readers, if the button's words do not name what they apply to. */
  label?: string | undefined;
  look?: Look;
  /** With the name of what changes: "Unbind T-0007 from SHOP-12?" */
  title: string;
  /** The button that makes the change; `action` by default. */
  confirm?: string | ((values: Values<Name>) => string);
  fields?: readonly QuestionField<Name>[];
  /** For a change that cannot be undone: the id of what it ends, which the user types; null: nothing is ended. */
  ends?: string | ((values: Values<Name>) => string | null);
  /** It returns null if the fields change nothing. */
  change: Change | ((values: Values<Name>) => Change | null);
  /** "T-0007 is unbound." */
  done: string | ((values: Values<Name>, answer: Answer) => string);
  /** The needed role, which is an admin by default. */
  role?: OperatorRole;
  /** The keys or secrets that the answer shows once. */
  show?: (answer: Answer) => ComponentChildren;
  /** When the question opens, and after the user has read the answer. */
  onAsk?: () => void;
  onDone?: (answer: Answer) => void;
  /** Stands above the fields. */
  about?: ComponentChildren;
  /** The effect of the change, below the fields. */
  children?: ComponentChildren | ((values: Values<Name>) => ComponentChildren);
}

export function Question<Answer, Name extends string = never>(props: QuestionProps<Answer, Name>) {
  const [isOpen, setOpen] = useState(false);
  const { action, label, role: needed = "admin" } = props;
  if (!mayDo(useContext(RoleContext), needed)) {
    return (
      <Button label={`${label ?? action}: needs the role ${needed}`} disabled onClick={() => {}}>
        {action}
      </Button>
    );
  }
  const ask = (): void => {
    props.onAsk?.();
    setOpen(true);
  };
  return (
    <>
      <Button look={props.look} label={label} onClick={ask}>
        {action}
      </Button>
      {isOpen && <OpenQuestion {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

type State<Answer> =
  { kind: "asking"; problem: string | null } | { kind: "running" } | { kind: "done"; changed: Changed<Answer> };

function OpenQuestion<Answer, Name extends string>(props: QuestionProps<Answer, Name> & { onClose: () => void }) {
  const { title, confirm = props.action, change, done, onDone, onClose, about, children } = props;
  const form = useForm(props.fields ?? []);
  const typing = useTyping(resolved(props.ends ?? null, form.values));
  const { state, make } = useMaking<Answer>();
  const submit = (): void => {
    if (state.kind === "asking" && form.isComplete() && typing.isRight()) void make(resolved(change, form.values));
  };
  const close = (): void => {
    onClose();
    if (state.kind === "done") onDone?.(state.changed.answer);
  };
  // Escape does not close the dialog during a change, or while a secret is shown once.
  const cancel = (): void => {
    if (state.kind === "asking") close();
  };
  const isRunning = state.kind === "running";
  if (state.kind === "done") {
    const { answer, row } = state.changed;
    return (
      <Dialog title={title} onSubmit={submit} onCancel={cancel}>
        <div key="status" role="status" class="stack">
          <Notice tone="good">{typeof done === "string" ? done : done(form.values, answer)}</Notice>
          <AuditRow row={row} />
        </div>
        {props.show?.(answer)}
        <div class="row">
          <Button look="primary" onClick={close}>
            Close
          </Button>
        </div>
      </Dialog>
    );
  }
  return (
    <Dialog title={title} onSubmit={submit} onCancel={cancel}>
      <div class="stack">
        {about}
        {form.controls}
        {resolved(children, form.values)}
        {typing.control}
      </div>
      <div key="status" role="status" class="stack">
        {state.kind === "asking" && state.problem !== null && <Notice tone="bad">{state.problem}</Notice>}
      </div>
      <div class="row">
        <Button look={typing.control === false ? "primary" : "danger"} disabled={isRunning}>
          {isRunning ? "Please wait…" : resolved(confirm, form.values)}
        </Button>
        <Button disabled={isRunning} onClick={close} autofocus={props.fields === undefined || props.ends !== undefined}>
          Cancel
        </Button>
      </div>
    </Dialog>
  );
}

function resolved<Given, Result>(of: Result | ((given: Given) => Result), given: Given): Result {
  return typeof of === "function" ? (of as (given: Given) => Result)(given) : of;
}

function useMaking<Answer>() {
  const calls = useCalls();
  const [state, setState] = useState<State<Answer>>({ kind: "asking", problem: null });
  const make = async (change: Change | null): Promise<void> => {
    if (change === null) return setState({ kind: "asking", problem: "Nothing is changed yet." });
    setState({ kind: "running" });
    try {
      setState({ kind: "done", changed: await makeChange(calls, change) });
    } catch (error) {
      setState({ kind: "asking", problem: callProblem(error) });
    }
  };
  return { state, make };
}

/** @param id what the user types to confirm; null: nothing */
function useTyping(id: string | null) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | undefined>(undefined);
  return {
    isRight: (): boolean => {
      const isRight = id === null || text.trim() === id;
      setProblem(isRight ? undefined : `Type ${id}.`);
      return isRight;
    },
    control: id !== null && (
      <TextField mono label={`Type ${id} to confirm`} value={text} problem={problem} onInput={setText} />
    ),
  };
}

function useForm<Name extends string>(fields: readonly QuestionField<Name>[]) {
  const [entered, setEntered] = useState<Record<string, string>>({});
  const [problems, setProblems] = useState<Record<string, string | undefined>>({});
  const texts = Object.fromEntries(fields.map(({ name, value = "" }) => [name, entered[name] ?? value]));
  const values = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, text.trim()])) as Values<Name>;
  return {
    values,
    /** Whether every required field has a text. Shows the problem of the first one without. */
    isComplete: (): boolean => {
      const missing = fields.find(({ name, required }) => required !== undefined && values[name] === "");
      setProblems(missing === undefined ? {} : { [missing.name]: missing.required });
      return missing === undefined;
    },
    controls: fields.length > 0 && (
      <div class="fields">
        <Controls
          fields={fields}
          values={texts}
          problems={problems}
          onInput={(text) => setEntered((known) => ({ ...known, ...text }))}
        />
      </div>
    ),
  };
}

function AuditRow({ row }: { row: Changed<unknown>["row"] }) {
  if (row === null) return <p class="small soft">The audit log does not have its row yet, or nothing has changed.</p>;
  const { at, actor, action, target } = row;
  const words = changeWords(row);
  return (
    <p class="audit-row small">
      <span class="soft">Audit log:</span> <When at={at} /> <strong>{actor}</strong> <code>{action}</code>{" "}
      <code>{target}</code>
      {words !== "" && <span class="soft"> {words}</span>}
    </p>
  );
}

export function SecretOnce({ name, text }: { name: string; text: string }) {
  return (
    <div class="stack">
      <Notice tone="pending">{name}: shown once. Copy it now.</Notice>
      <Code text={text} label={name} wrap />
      <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} />
    </div>
  );
}

/** Makes the texts of a question with fields: about a new thing, or with its id about one of a list. */
export function editing(id: string | undefined, newAction: string, newTitle: string, title: string) {
  return id === undefined
    ? { action: newAction, title: newTitle, confirm: "Save" }
    : { ...rowQuestion("Change", id), title, confirm: "Save" };
}

/** A question about one row of a list, whose button does not name the row. */
export function rowQuestion(action: string, id: string) {
  return { action, label: `${action} ${id}`, look: "plain" } as const;
}

/** With a code that a device can scan. */
export function TerminalSecretView({ terminalId, secret }: { terminalId: string; secret: string }) {
  const text = enrolmentText({ gateway: location.origin, terminalId, secret });
  return (
    <div class="stack">
      <SecretOnce name="Secret" text={secret} />
      <Qr text={text} label={`QR code with the address of the gateway, the id ${terminalId} and the secret`} />
    </div>
  );
}
