/**
 * Every file begins as if it were alone: the files share a workerd, whose start costs more than most of them, so what a
 * file leaves behind is removed here. Its rows and objects before the next one, its mocks and false timers after it.
 */
import { afterAll, vi } from "vitest";
import { freshStorage } from "./fresh-storage.ts";

await freshStorage();

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
