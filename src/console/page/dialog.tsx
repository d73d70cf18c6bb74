import type { RenderableProps } from "preact";
import { Button } from "./button.tsx";
import { useId, useLayoutEffect, useRef } from "preact/hooks";

export interface DialogProps {
  title: string;
  /** Its form is submitted. */
  onSubmit: () => void;
  /** Escape was pressed. */
  onCancel: () => void;
}

/**
 * A modal dialog: nothing else on the page can be used while it is open. Stop rendering it to close it; the focus then
 * returns to where it was.
 */
export function Dialog({ title, onSubmit, onCancel, children }: RenderableProps<DialogProps>) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  // Closed while it is still part of the page: the browser then returns the focus.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const submit = (event: Event): void => {
    event.preventDefault();
    onSubmit();
  };
  const cancel = (event: Event): void => {
    event.preventDefault();
    onCancel();
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onCancel={cancel}>
      <form class="stack" onSubmit={submit} noValidate>
        <h2 id={id}>{title}</h2>
        {children}
      </form>
    </dialog>
  );
}

export interface QuestionProps {
  title: string;
  /** The button that says yes. */
  action: string;
  onYes: () => void;
  onNo: () => void;
}

/** Asks before something that cannot be undone; the children say what it means. */
export function Question({ title, action, onYes, onNo, children }: RenderableProps<QuestionProps>) {
  return (
    <Dialog title={title} onSubmit={onYes} onCancel={onNo}>
      <p>{children}</p>
      <div class="row">
        <Button look="primary">{action}</Button>
        <Button onClick={onNo}>Cancel</Button>
      </div>
    </Dialog>
  );
}
