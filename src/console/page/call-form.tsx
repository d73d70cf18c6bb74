import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Notice } from "./status.tsx";

export interface FormProps {
  look: string;
  /** Its name for screen readers, or the id of its heading. */
  label?: string;
  labelledBy?: string;
  role?: "search";
  /** Gets the form. */
  onSubmit: (form: HTMLFormElement) => unknown;
  children: ComponentChildren;
}

/** A form that stays on the page. The page itself says what is wrong with its fields. */
export function Form({ look, label, labelledBy, role, onSubmit, children }: FormProps) {
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

/** What has become of the form's call. */
export interface CallState {
  busy: boolean;
  problem: string | null;
}

export interface CallFormProps {
  look: string;
  state: CallState;
  /** The button's text. */
  action: string;
  /** Its text while the call is made. */
  busyAction: string;
  onSubmit: () => Promise<void>;
  children: ComponentChildren;
}

/** A form that makes a call, and shows why it failed. */
export function CallForm({ look, state: { busy, problem }, action, busyAction, onSubmit, children }: CallFormProps) {
  return (
    <Form look={look} onSubmit={onSubmit}>
      {children}
      <div class="row">
        <Button look="primary" disabled={busy}>
          {busy ? busyAction : action}
        </Button>
      </div>
      <div role="status">{problem !== null && <Notice tone="bad">{problem}</Notice>}</div>
    </Form>
  );
}
