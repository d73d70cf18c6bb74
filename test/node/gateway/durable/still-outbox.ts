/** An outbox of an object, at a moment that stands still; what is logged is not shown. */
import { afterEach, beforeEach, vi } from "vitest";
import { Outbox, OUTBOX_TABLES } from "../../../../src/gateway/durable/storage/outbox.ts";
import { memoryStorage } from "../../../support/memory-storage.ts";

export const NOW = Date.parse("2031-05-10T12:00:00Z");

/** For the tests of the file. */
export function useStillClock(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: NOW });
    vi.spyOn(console, "log").mockImplementation(() => undefined);
    vi.spyOn(console, "error").mockImplementation(() => undefined);
    vi.spyOn(Math, "random").mockReturnValue(0.5);
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  });
}

export function newOutbox(): Outbox {
  return new Outbox(memoryStorage([{ id: "0001_test", additive: false, sql: OUTBOX_TABLES }]), () => "T-1");
}

export function audit(outbox: Outbox, count: number): void {
  for (let entry = 0; entry < count; entry++) {
    outbox.enqueueAudit({ at: NOW, actor: "tester", action: "terminal.secret", details: { entry } });
  }
}
