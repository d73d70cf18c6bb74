/** What the operator finds in the log. */
import { afterEach, describe, it, vi } from "vitest";
import { log, logError } from "../../../../src/gateway/lib/log.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

describe("a line of the log", () => {
  it("is JSON with level, event and facts, written by its level", ({ expect }) => {
    const written: [output: string, line: unknown][] = [];
    for (const method of ["log", "error"] as const) {
      vi.spyOn(console, method).mockImplementation((line) => void written.push([method, JSON.parse(String(line))]));
    }
    log("info", "terminal_connected", { who: "T-1", what: undefined });
    log("warning", "d1_not_reached", {});
    logError("request_failed", new TypeError("no such thing"), { who: "T-1" });
    logError("request_failed", "a text");
    const error = { name: "TypeError", message: "no such thing", stack: expect.stringContaining("log.test.ts") };
    expect(written).toEqual([
      ["log", { level: "info", event: "terminal_connected", who: "T-1" }],
      ["log", { level: "warning", event: "d1_not_reached" }],
      ["error", { level: "error", event: "request_failed", who: "T-1", error }],
      ["error", { level: "error", event: "request_failed", error: { name: "string", message: "", stack: "" } }],
    ]);
  });
});
