import type { ComponentChildren, RenderableProps } from "preact";
import { useState } from "preact/hooks";
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
  /** The words of the button that asks: "Unbind". */
  action: string;
  /** That button's label for screen readers, if its words do not name what they apply to. */
  label?: string;
  look?: "quiet" | "danger" | "primary" | "plain";
  /** The question, with the name of what changes: "Unbind T-0007 from SHOP-12?" */
  title: string;
  /** The words of the button that makes the change; `action` by default. */
  confirm?: string;
  /** The change; null while the fields are incomplete. */
  change: () => Change<Answer> | null;
  /** The message after the change: "T-0007 is unbound." */
  done: string;
  /** The keys or secrets that the answer shows once. */
  show?: (answer: Answer) => ComponentChildren;
  /** Called when the question opens and after its answer was read. */
  onAsk?: () => void;
  onDone?: (answer: Answer) => void;
}

type State<Answer> =
  | { kind: "closed" }
  | { kind: "asking"; problem: string | null }
  | { kind: "running" }
  | { kind: "done"; answer: Answer; row: AuditAnswer | null };

/** A button that asks before it changes something. Its children describe the effect and hold the fields. */
export function Question<Answer>(props: RenderableProps<QuestionProps<Answer>>) {
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

type AskedProps<Answer> = RenderableProps<QuestionProps<Answer> & { onClose: () => void }>;

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
  // Escape does not close the dialog while a change is being made, or while a secret is shown once.
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
            {state.kind === "running" ? "Please wait…" : confirm}
          </Button>
        )}
        <Button look={state.kind === "done" ? "primary" : "quiet"} disabled={state.kind === "running"} onClick={close}>
          {state.kind === "done" ? "Close" : "Cancel"}
        </Button>
      </div>
    </Dialog>
  );
}
