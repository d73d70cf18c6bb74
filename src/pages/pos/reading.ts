import { PosError, type CallOptions } from "../../sdk/client/pos.ts";
import { usePolling as usePollingOf, type Polled } from "../page/use-polling.ts";
import type { Milliseconds } from "../../protocol/time/units.ts";

/** A reading has failed after it, and earlier values no longer count as current. */
const LOOK_WITHIN: Milliseconds = 5_000;

export function usePosPolling<Value>(
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

/** The gateway's message, of the first invalid field if it names one. Throws any other error. */
export function readingProblem(error: unknown): string {
  if (!(error instanceof PosError)) throw error;
  return error.problem.details?.[0]?.message ?? error.message;
}
