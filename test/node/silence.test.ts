/** A run that reports nothing is ended, but not while a test may still take its time. */
import { afterEach, beforeEach, describe, it, vi } from "vitest";
import type { TestCase, TestModule, Vitest } from "vitest/node";
import Silence from "../support/silence.ts";

const MINUTE = 60_000;

const { exitCode } = process;
let exit = vi.fn<() => Promise<void>>();
let silence: Silence;

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
  exit = vi.fn(async () => undefined);
  silence = new Silence();
  silence.onInit({ exit } as unknown as Vitest);
  silence.onTestRunStart();
  silence.onTestModuleStart({ moduleId: "long.test.ts" } as TestModule);
});

afterEach(() => {
  process.exitCode = exitCode;
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a test run without a report", () => {
  it("is ended after five minutes as failed, and names the files that have not ended", ({ expect }) => {
    vi.advanceTimersByTime(5 * MINUTE - 1);
    expect(exit).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(exit).toHaveBeenCalledWith(true);
    expect(process.exitCode).toBe(1);
    expect(vi.mocked(console.error).mock.lastCall?.[0]).toContain("long.test.ts");
  });

  it("continues while a test runs that may take longer, and not after it", ({ expect }) => {
    const test = { id: "1", options: { timeout: 15 * MINUTE } } as TestCase;
    silence.onTestCaseReady(test);
    vi.advanceTimersByTime(15 * MINUTE);
    expect(exit).not.toHaveBeenCalled();
    silence.onTestCaseResult(test);
    vi.advanceTimersByTime(5 * MINUTE);
    expect(exit).toHaveBeenCalledOnce();
  });

  it("is left alone when it has ended", ({ expect }) => {
    silence.onTestRunEnd();
    vi.advanceTimersByTime(60 * MINUTE);
    expect(exit).not.toHaveBeenCalled();
  });
});
