import { useId, useRef } from "hono/jsx/dom";
import type { PropsWithChildren } from "hono/jsx/dom";
import { useEffect } from "./use-effect.ts";

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
export function Dialog({ title, onSubmit, onCancel, children }: PropsWithChildren<DialogProps>) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
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
