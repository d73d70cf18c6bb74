import type { ComponentChildren, RenderableProps } from "preact";
import { useState } from "preact/hooks";
import { PosError, type CallOptions } from "../../client/pos.ts";
import { Button, CopyButton, Dialog } from "../page/controls.tsx";
import { Notice } from "../page/shown.tsx";
import type { Tone } from "../page/declared.ts";
import { usePolling as usePollingOf, type Polled } from "../page/use-polling.ts";
import { curlOf } from "./curl.ts";
import type { Till } from "./till.ts";

/** Milliseconds after which a reading has failed: earlier values then no longer count as current. */
const LOOK_WITHIN = 5_000;

export function usePolling<Value>(
  read: (options: CallOptions) => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
): Polled<Value> {
  return usePollingOf(
    () => read({ within: LOOK_WITHIN }),
    every,
    inputs,
    (error) => error instanceof PosError,
  );
}

interface PanelProps {
  till: Till;
  id: string;
  title: string;
  /** Of the GET whose answer the panel shows. */
  path: string;
  prefer?: string;
}

/** A part with its heading, and its call as a shell command. */
export function Panel({ children, ...head }: RenderableProps<PanelProps>) {
  return (
    <section class="panel" aria-labelledby={head.id}>
      <PanelHead {...head} />
      {children}
    </section>
  );
}

export function PanelHead({ till: { baseUrl }, id, title, path, prefer }: PanelProps) {
  return (
    <div class="row spread">
      <h3 id={id} tabindex={-1}>
        {title}
      </h3>
      <CopyButton text={curlOf({ baseUrl, method: "GET", path, prefer: prefer ?? null })} label="Copy as curl" />
    </div>
  );
}

export function ReadingState({ value, problem }: { value: unknown; problem: string | null }) {
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  return problem === null ? null : <Notice tone="pending">Not up to date. {problem}</Notice>;
}

interface RowsProps<Item> {
  /** Null: not known yet. */
  items: readonly Item[] | null;
  /** For an empty list. */
  empty: string;
  labelledBy?: string;
  row: (item: Item) => ComponentChildren;
}

export function Rows<Item>({ items, empty, labelledBy, row }: RowsProps<Item>) {
  if (items === null) return null;
  if (items.length === 0) return <p class="soft">{empty}</p>;
  return (
    <ul class="list" aria-labelledby={labelledBy}>
      {items.map(row)}
    </ul>
  );
}

/** The gateway's message, of the first invalid field if it names one. Throws any other error. */
export function problemOf(error: unknown): string {
  if (!(error instanceof PosError)) throw error;
  return error.problem.details?.[0]?.message ?? error.message;
}

/** One call of the user and its result. A text that the call returns confirms its success. */
export function useAttempt() {
  const [said, setSaid] = useState<{ tone: Tone; words: string } | null>(null);
  const attempt = async (call: () => Promise<string>, meanwhile = ""): Promise<void> => {
    if (meanwhile !== "") setSaid({ tone: "neutral", words: meanwhile });
    try {
      setSaid({ tone: "good", words: await call() });
    } catch (error) {
      setSaid({ tone: "bad", words: problemOf(error) });
    }
  };
  const isSaid = said !== null && said.words !== "";
  const notice = (look = "") => (
    <div class={isSaid ? look : ""} role="status">
      {isSaid && <Notice tone={said.tone}>{said.words}</Notice>}
    </div>
  );
  return { attempt, notice };
}

interface AskingProps {
  action: string;
  /** For screen readers. */
  target: string;
  title: string;
  onYes: () => void;
}

/** For an action that cannot be undone. The children explain its consequences. */
export function Asking({ action, target, title, onYes, children }: RenderableProps<AskingProps>) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const confirm = (): void => {
    close();
    onYes();
  };
  return (
    <>
      <Button look="plain" label={`${action} ${target}`} onClick={() => setOpen(true)}>
        {action}
      </Button>
      {isOpen && (
        <Dialog title={title} onSubmit={confirm} onCancel={close}>
          <p>{children}</p>
          <div class="row">
            <Button look="primary">{action}</Button>
            <Button onClick={close}>Cancel</Button>
          </div>
        </Dialog>
      )}
    </>
  );
}
