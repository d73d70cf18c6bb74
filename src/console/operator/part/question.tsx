import { useState } from "hono/jsx/dom";
import type { Child, PropsWithChildren } from "hono/jsx/dom";
import { Button } from "../../page/button.tsx";
import { Dialog } from "../../page/dialog.tsx";
import { Notice } from "../../page/status.tsx";
import type { AuditAnswer } from "../answers.ts";
import { isCallError, problemOf } from "../calls.ts";
import { AuditRow } from "./audit-row.tsx";
import { makeChange } from "./change.ts";
import type { Change } from "./change.ts";
import { useCalls } from "./use-calls.ts";

export interface QuestionProps<Answer> {
  /** Of the button that asks: "Unbind". */
  action: string;
  /** Of that button, where its words do not say what with. */
  label?: string;
  look?: "quiet" | "danger" | "primary" | "plain";
  /** What is asked, with what is changed: "Unbind T-0007 from SHOP-12?" */
  title: string;
  /** Of the button that does it; `action` unless given. */
  confirm?: string;
  /** The change; null as long as the fields do not make one. */
  change: () => Change<Answer> | null;
  /** After it, in the words of the past: "T-0007 is unbound." */
  done: string;
  /** What the answer shows once: keys, secrets. */
  show?: (answer: Answer) => Child;
  /** When the question is put, and when its answer was read. */
  onAsk?: () => void;
  onDone?: (answer: Answer) => void;
}

type State<Answer> =
  | { kind: "closed" }
  | { kind: "asking"; problem: string | null }
  | { kind: "running" }
  | { kind: "done"; answer: Answer; row: AuditAnswer | null };

/** A button that asks before it changes something. The effect, and fields, are its children. */
export function Question<Answer>(props: PropsWithChildren<QuestionProps<Answer>>) {
  const { action, label, look = "quiet", onAsk } = props;
  const [isOpen, setOpen] = useState(false);
  const ask = (): void => {
    onAsk?.();
    setOpen(true);
  };
  return (
    <>
      <Button look={look} {...(label === undefined ? {} : { label })} onClick={ask}>
        {action}
      </Button>
      {isOpen && <Asked {...props} onClose={() => setOpen(false)} />}
    </>
  );
}

type AskedProps<Answer> = PropsWithChildren<QuestionProps<Answer> & { onClose: () => void }>;

function Asked<Answer>({
  action,
  look,
  title,
  confirm = action,
  change,
  done,
  show,
  onDone,
  onClose,
  children,
}: AskedProps<Answer>) {
  const calls = useCalls();
  const [state, setState] = useState<State<Answer>>({ kind: "asking", problem: null });
  const make = async (): Promise<void> => {
    if (state.kind === "running") return;
    const wanted = change();
    if (wanted === null) return;
    setState({ kind: "running" });
    try {
      const { answer, row } = await makeChange(calls, wanted);
      setState({ kind: "done", answer, row });
    } catch (error) {
      if (!isCallError(error)) throw error;
      setState({ kind: "asking", problem: problemOf(error) });
    }
  };
  const close = (): void => {
    if (state.kind === "running") return;
    onClose();
    if (state.kind === "done") onDone?.(state.answer);
  };
  // A change that is being made is waited for, and a secret that is shown once is not lost by a key.
  const cancel = (): void => {
    if (state.kind === "asking") close();
  };
  return (
    <Dialog title={title} onSubmit={() => void make()} onCancel={cancel}>
      {state.kind !== "done" && <div class="stack">{children}</div>}
      <div role="status" class="stack">
        {state.kind === "asking" && state.problem !== null && <Notice tone="bad">{state.problem}</Notice>}
        {state.kind === "done" && <Notice tone="good">{done}</Notice>}
        {state.kind === "done" && <AuditRow row={state.row} />}
      </div>
      {state.kind === "done" && show?.(state.answer)}
      <div class="row">
        {state.kind !== "done" && (
          <Button look={look === "danger" ? "danger" : "primary"} disabled={state.kind === "running"}>
            {state.kind === "running" ? "One moment …" : confirm}
          </Button>
        )}
        <Button look={state.kind === "done" ? "primary" : "quiet"} disabled={state.kind === "running"} onClick={close}>
          {state.kind === "done" ? "Close" : "Cancel"}
        </Button>
      </div>
    </Dialog>
  );
}
