import { createContext, type ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import { Notice } from "../../page/status.tsx";
import { usePolling } from "../../page/use-polling.ts";
import type { Polled } from "../../page/use-polling.ts";
import { Calls, isCallError } from "../calls.ts";
import type { NONE } from "../calls.ts";
import type { OperatorRole } from "../../../protocol/operator-roles.ts";
import { linkTo, SECTIONS } from "../route.ts";
import type { SectionName } from "../route.ts";

/** The signed-in operator's calls, for every part of the page. */
export const CallsContext = createContext(new Calls(null));

/** What this operator may do: the page offers no more. */
export const RoleContext = createContext<OperatorRole>("viewer");

export function useCalls(): Calls {
  return useContext(CallsContext);
}

/** Reads with the operator's calls, every `every` milliseconds while the page is visible; 0: once. */
export function useReading<Value>(
  read: (calls: Calls) => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
): Polled<Value> {
  const calls = useCalls();
  return usePolling(() => read(calls), every, [calls, ...inputs], isCallError);
}

export interface FoundProps<Value> {
  reading: Polled<Value | typeof NONE>;
  /** The section to which it belongs. */
  section: SectionName;
  /** What to say if it does not exist. */
  none: string;
  children: (value: Value) => ComponentChildren;
}

/** The page of one thing, with a link back to its section. */
export function Found<Value>({ reading: { value, problem }, section, none, children }: FoundProps<Value>) {
  if (value === null) return <p class="soft">{problem ?? "Loading…"}</p>;
  if (value === "none") return <Notice tone="bad">{none}</Notice>;
  return (
    <>
      <p>
        <a href={linkTo(section)}>{SECTIONS.find(({ name }) => name === section)?.label}</a>
      </p>
      {problem !== null && <Notice tone="pending">Not up to date. {problem}</Notice>}
      {children(value)}
    </>
  );
}
