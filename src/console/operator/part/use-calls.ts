import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { usePolling } from "../../page/use-polling.ts";
import type { Polled } from "../../page/use-polling.ts";
import { Calls, isCallError } from "../calls.ts";

/** The signed-in operator's calls, for every part of the page. */
export const CallsContext = createContext(new Calls(null));

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
