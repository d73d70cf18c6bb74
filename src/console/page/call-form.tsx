import type { ComponentChildren } from "preact";
import { Button } from "./button.tsx";
import { Notice } from "./status.tsx";

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
  const submit = (event: Event): void => {
    event.preventDefault();
    void onSubmit();
  };
  return (
    <form class={look} onSubmit={submit} noValidate>
      {children}
      <div class="row">
        <Button look="primary" disabled={busy}>
          {busy ? busyAction : action}
        </Button>
      </div>
      <div role="status">{problem !== null && <Notice tone="bad">{problem}</Notice>}</div>
    </form>
  );
}
