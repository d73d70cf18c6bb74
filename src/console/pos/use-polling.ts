import { PosError } from "../../client/pos.ts";
import { usePolling as usePollingOf } from "../page/use-polling.ts";
import type { Polled } from "../page/use-polling.ts";

export type { Polled };

/** Reads again and again with a till's client. */
export function usePolling<Value>(
  read: () => Promise<Value>,
  every: number,
  inputs: readonly unknown[],
): Polled<Value> {
  return usePollingOf(read, every, inputs, isPosError);
}

function isPosError(error: unknown): error is PosError {
  return error instanceof PosError;
}
