import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { Button } from "../../page/button.tsx";
import type { ButtonProps } from "../../page/button.tsx";
import { Code } from "../../page/code.tsx";
import { CopyButton } from "../../page/copy.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Qr } from "../../page/qr.tsx";
import { Notice } from "../../page/status.tsx";
import { mayDo, type OperatorRole } from "../../../protocol/operator-roles.ts";
import { enrolmentText } from "../../../protocol/enrolment.ts";
import { problemOf } from "../calls.ts";
import { changeWords, makeChange } from "./change.ts";
import type { Change, Changed } from "./change.ts";
import { When } from "./panel.tsx";
import { RoleContext, useCalls } from "./reading.tsx";

/** What the fields of a question contain, by their names. */
type Values = Record<string, string>;

/** Why the fields cannot be used yet, by their names; empty: nothing is changed yet. */
export interface Unusable<Fields> {
  problems: { [Name in keyof Fields]?: string };
}

/** What a question's children use to show its fields. */
export interface Form<Fields> {
  /** As entered. */
  values: Fields;
  set: (name: keyof Fields) => (value: string) => void;
  /** The properties of a text field. */
  field: (name: keyof Fields) => { value: string; problem: string | undefined; onInput: (value: string) => void };
}

export interface QuestionProps<Answer, Fields extends Values> {
  /** The words of the button that asks: "Unbind". */
  action: string;
  /** That button's label for screen readers, if its words do not name what they apply to. */
  label?: string | undefined;
  look?: ButtonProps["look"];
  /** The question, with the name of what changes: "Unbind T-0007 from SHOP-12?" */
  title: string;
  /** The words of the button that makes the change; `action` by default. */
  confirm?: string | ((values: Fields) => string);
  /** What the fields contain when the question opens. */
  fields?: Fields;
  /** The change, or the one that the fields describe: their texts come without surrounding spaces. */
  change: Change | ((values: Fields) => Change | Unusable<Fields>);
  /** The message after the change: "T-0007 is unbound." */
  done: string | ((values: Fields, answer: Answer) => string);
  /** The role that it needs, if not that of an admin. */
  role?: OperatorRole;
  /** The keys or secrets that the answer shows once. */
  show?: ((answer: Answer) => ComponentChildren) | undefined;
  /** Called when the question opens and after its answer was read. */
  onAsk?: () => void;
  onDone?: (answer: Answer) => void;
  /** The effect of the change, and the fields. */
  children: ComponentChildren | ((form: Form<Fields>) => ComponentChildren);
}

/** A button that asks before it changes something. */
export function Question<Answer, Fields extends Values = Values>(props: QuestionProps<Answer, Fields>) {
  const [isOpen, setOpen] = useState(false);
  const { role: needed = "admin" } = props;
  if (!mayDo(useContext(RoleContext), needed)) {
    return (
      <Button
        look="quiet"
        label={`${props.label ?? props.action}: needs the role ${needed}`}
        disabled
        onClick={() => {}}
      >
        {props.action}
      </Button>
    );
  }
  const ask = (): void => {
    props.onAsk?.();
    setOpen(true);
  };
  return (
    <>
      <Button look={props.look ?? "quiet"} label={props.label} onClick={ask}>
        {props.action}
      </Button>
      {isOpen && <Asked {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

type State<Answer> =
  { kind: "asking"; problem: string | null } | { kind: "running" } | { kind: "done"; changed: Changed<Answer> };

type AskedProps<Answer, Fields extends Values> = QuestionProps<Answer, Fields> & { onClose: () => void };

function Asked<Answer, Fields extends Values>(props: AskedProps<Answer, Fields>) {
  const { title, look, confirm = props.action, change, done, onDone, onClose, children } = props;
  const { form, given, setProblems } = useForm(props.fields ?? ({} as Fields));
  const { state, make } = useMaking<Answer>();
  const submit = (): void => {
    if (state.kind !== "asking") return;
    const wanted = typeof change === "function" ? change(given) : change;
    setProblems("problems" in wanted ? wanted.problems : {});
    if (!("problems" in wanted)) void make(wanted);
  };
  const close = (): void => {
    onClose();
    if (state.kind === "done") onDone?.(state.changed.answer);
  };
  // Escape does not close the dialog while a change is being made, or while a secret is shown once.
  const cancel = (): void => {
    if (state.kind === "asking") close();
  };
  return (
    <Dialog title={title} onSubmit={submit} onCancel={cancel}>
      {state.kind !== "done" && <div class="stack">{typeof children === "function" ? children(form) : children}</div>}
      <Outcome state={state} done={(answer) => wordsAfter(done, given, answer)} show={props.show} />
      <Buttons kind={state.kind} look={look} confirm={wordsOf(confirm, given)} onClose={close} />
    </Dialog>
  );
}

function useMaking<Answer>() {
  const calls = useCalls();
  const [state, setState] = useState<State<Answer>>({ kind: "asking", problem: null });
  const make = async (change: Change): Promise<void> => {
    setState({ kind: "running" });
    try {
      setState({ kind: "done", changed: await makeChange(calls, change) });
    } catch (error) {
      setState({ kind: "asking", problem: problemOf(error) });
    }
  };
  return { state, make };
}

interface OutcomeProps<Answer> {
  state: State<Answer>;
  done: (answer: Answer) => string;
  show: QuestionProps<Answer, Values>["show"];
}

/** A reader of the screen says what appears in the part with `role="status"`. */
function Outcome<Answer>({ state, done, show }: OutcomeProps<Answer>) {
  return (
    <>
      <div role="status" class="stack">
        {state.kind === "asking" && state.problem !== null && <Notice tone="bad">{state.problem}</Notice>}
        {state.kind === "done" && <Notice tone="good">{done(state.changed.answer)}</Notice>}
        {state.kind === "done" && <AuditRow row={state.changed.row} />}
      </div>
      {state.kind === "done" && show?.(state.changed.answer)}
    </>
  );
}

interface ButtonsProps {
  kind: State<unknown>["kind"];
  look: ButtonProps["look"];
  confirm: string;
  onClose: () => void;
}

function Buttons({ kind, look, confirm, onClose }: ButtonsProps) {
  const [isDone, isRunning] = [kind === "done", kind === "running"];
  return (
    <div class="row">
      {!isDone && (
        <Button look={look === "danger" ? "danger" : "primary"} disabled={isRunning}>
          {isRunning ? "Please wait…" : confirm}
        </Button>
      )}
      <Button look={isDone ? "primary" : "quiet"} disabled={isRunning} onClick={onClose}>
        {isDone ? "Close" : "Cancel"}
      </Button>
    </div>
  );
}

function useForm<Fields extends Values>(fields: Fields) {
  const [values, setValues] = useState(fields);
  const [problems, setProblems] = useState<Unusable<Fields>["problems"]>({});
  const set: Form<Fields>["set"] = (name) => (value) => setValues((known) => ({ ...known, [name]: value }));
  const form: Form<Fields> = {
    values,
    set,
    field: (name) => ({ value: values[name] ?? "", problem: problems[name], onInput: set(name) }),
  };
  const given = Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim()])) as Fields;
  return { form, given, setProblems };
}

/** The first of these mandatory fields that is empty; null: none is. */
export function missing<Fields extends Values>(
  values: Fields,
  names: readonly (keyof Fields & string)[],
): Unusable<Fields> | null {
  const name = names.find((mandatory) => values[mandatory] === "");
  if (name === undefined) return null;
  const problems: Unusable<Fields>["problems"] = {};
  problems[name] = "This field is required.";
  return { problems };
}

function wordsOf<Fields>(words: string | ((values: Fields) => string), values: Fields): string {
  return typeof words === "string" ? words : words(values);
}

function wordsAfter<Fields extends Values, Answer>(
  words: QuestionProps<Answer, Fields>["done"],
  values: Fields,
  answer: Answer,
): string {
  return typeof words === "string" ? words : words(values, answer);
}

/** The row that a change has added to the audit log. */
function AuditRow({ row }: { row: Changed<unknown>["row"] }) {
  if (row === null) return <p class="small soft">The audit log does not have its row yet.</p>;
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

/** A key or secret that the gateway shows once. */
export function ShownOnce({ name, text }: { name: string; text: string }) {
  return (
    <div class="stack">
      <Notice tone="pending">{name}: shown once. Copy it now.</Notice>
      <Code text={text} label={name} wrap />
      <CopyButton text={text} label={`Copy ${name.toLowerCase()}`} />
    </div>
  );
}

/** A terminal's secret, with a code that a device can scan. */
export function TerminalSecretView({ terminalId, secret }: { terminalId: string; secret: string }) {
  const text = enrolmentText({ gateway: location.origin, terminalId, secret });
  return (
    <div class="stack">
      <ShownOnce name="Secret" text={secret} />
      <Qr text={text} label={`QR code with the address of the gateway, the id ${terminalId} and the secret`} />
    </div>
  );
}
