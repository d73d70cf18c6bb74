/** Storage that breaks in the middle of a turn. */
import { vi } from "vitest";

/** A method that writes, of the prototype that has it. */
export type Write = readonly [of: object, method: string];

type Method = (...given: unknown[]) => unknown;

/** Does the work, in the course of which the write, once it is done, throws once: its turn must leave nothing of it. */
export async function whileBreaking<Result>([of, method]: Write, work: () => Promise<Result>): Promise<Result> {
  const write = Reflect.get(of, method) as Method;
  const spy = vi.spyOn(of as Record<string, Method>, method).mockImplementationOnce(function breaks(
    this: unknown,
    ...given: unknown[]
  ) {
    write.apply(this, given);
    throw new Error("broken on purpose");
  });
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
