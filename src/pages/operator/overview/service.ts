import { signal } from "@preact/signals";
import type { Milliseconds } from "../../../protocol/time/units.ts";
import type { Polled } from "../../page/use-polling.ts";
import type { Overview } from "../answers.ts";
import { useReading } from "../part/reading.tsx";

/** The service as it was when the overview was read last; null before. */
export const service = signal<Overview | null>(null);

/** @param every by default as often as everything on the page */
export function useOverview(every?: Milliseconds): Polled<Overview> {
  return useReading(
    async (calls) => {
      const overview = await calls.get<Overview>("/overview");
      service.value = overview;
      return overview;
    },
    [],
    every,
  );
}
