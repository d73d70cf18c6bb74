/** When an event is sent to an endpoint, and what its answer means. */
import { describe, it } from "vitest";
import {
  dueAt,
  judgeAnswer,
  resetSchedule,
  type Sent,
  type DeliveryVerdict,
} from "../../../../../src/gateway/account/webhooks/endpoint.ts";
import type { Endpoint } from "../../../../../src/gateway/account/storage/webhooks.ts";
import { newEndpoint } from "../../../../support/gateway/account/samples.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 20);

const ENDPOINT = newEndpoint({ generation: 3, cursor: 10 });

function sent(changes: Partial<Sent> = {}): Sent {
  return { generation: 3, cursor: 10, number: 11, at: NOW, ...changes };
}

function answered(endpoint: Endpoint | null, status: number | null, of: Sent = sent(), now = NOW): DeliveryVerdict {
  return judgeAnswer(endpoint, of, { status, milliseconds: 20 }, now);
}

function after(verdict: DeliveryVerdict): Endpoint {
  if (verdict.kind === "stale") throw new Error("the answer is stale");
  return verdict.endpoint;
}

describe("an endpoint", () => {
  it("is due at once while events are left, and never otherwise", ({ expect }) => {
    expect(dueAt(ENDPOINT, 11)).toBe(0);
    expect(dueAt(ENDPOINT, 10)).toBeNull();
    expect(dueAt({ ...ENDPOINT, retryAt: NOW }, 11)).toBe(NOW);
    expect(dueAt({ ...ENDPOINT, disabledBy: "account" }, 11)).toBeNull();
  });

  it("has received the event if it answers 2xx", ({ expect }) => {
    for (const status of [200, 201, 204, 299]) {
      expect(answered(ENDPOINT, status)).toMatchObject({ kind: "taken", endpoint: { cursor: 11, skipped: 0 } });
    }
  });

  it("has not received the event if it answers anything else, or nothing", ({ expect }) => {
    for (const status of [null, 100, 199, 300, 301, 302, 307, 400, 404, 429, 500, 503]) {
      expect(answered(ENDPOINT, status)).toMatchObject({ kind: "failed", endpoint: { cursor: 10, failures: 1 } });
    }
  });

  it("is retried with growing waits, and disabled after three days", ({ expect }) => {
    let endpoint = ENDPOINT;
    let now = NOW;
    const pauses: number[] = [];
    for (;;) {
      const verdict = answered(endpoint, 500, sent({ at: now }), now);
      endpoint = after(verdict);
      if (verdict.kind === "given-up") break;
      pauses.push((endpoint.retryAt ?? 0) - now);
      now = endpoint.retryAt ?? 0;
    }
    const first = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR];
    expect(pauses.slice(0, 5)).toEqual(first);
    expect(new Set(pauses.slice(5))).toEqual(new Set([3 * HOUR]));
    expect(now - NOW).toBeGreaterThanOrEqual(3 * DAY);
    expect(now - NOW).toBeLessThan(3 * DAY + 3 * HOUR);
    expect(endpoint).toMatchObject({ disabledBy: "failing", cursor: 10, failures: 0, retryAt: null });
  });

  it("is disabled at once by a 410, and keeps its cursor", ({ expect }) => {
    expect(answered(ENDPOINT, 410, sent(), NOW + SECOND)).toEqual({
      kind: "given-up",
      endpoint: {
        ...ENDPOINT,
        attempts: [{ number: 11, at: NOW, status: 410, milliseconds: 20 }],
        generation: 4,
        disabledBy: "gone",
        disabledAt: NOW + SECOND,
      },
    });
  });

  it("is disabled after three days of failures, not a moment earlier", ({ expect }) => {
    const failing = { ...ENDPOINT, failures: 9, failingSince: NOW - 3 * DAY };
    expect(answered(failing, 500, sent(), NOW - 1).kind).toBe("failed");
    expect(answered(failing, 500, sent(), NOW).kind).toBe("given-up");
  });

  it("starts again after a change, with the next event at once", ({ expect }) => {
    const failing = after(answered(ENDPOINT, 500));
    expect(failing.attempts).toEqual([{ number: 11, at: NOW, status: 500, milliseconds: 20 }]);
    expect(resetSchedule(failing)).toEqual({
      ...failing,
      generation: 4,
      failures: 0,
      failingSince: null,
      retryAt: null,
    });
  });

  it("starts its retries from the beginning after a successful delivery", ({ expect }) => {
    const failing = after(answered(after(answered(ENDPOINT, 500)), 500));
    const well = after(answered(failing, 200));
    expect(well).toMatchObject({ failures: 0, failingSince: null, retryAt: null });
    expect(after(answered(well, 500, sent({ cursor: 11, number: 12 }))).retryAt).toBe(NOW + 5 * SECOND);
  });

  it("skips what was pruned when it gets an event after a gap", ({ expect }) => {
    expect(after(answered(ENDPOINT, 200, sent({ number: 50 })))).toMatchObject({ cursor: 50, skipped: 39 });
  });

  it("shows the last twenty attempts, the newest first", ({ expect }) => {
    let endpoint = ENDPOINT;
    for (let number = 11; number <= 40; number++) {
      endpoint = after(answered(endpoint, 200, sent({ cursor: number - 1, number })));
    }
    expect(endpoint.attempts.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => 40 - index));
  });
});

describe("an endpoint's answer", () => {
  it("counts for nothing if its endpoint was changed, moved or deleted meanwhile", ({ expect }) => {
    for (const status of [200, 410, 500, null]) {
      expect(answered(null, status)).toEqual({ kind: "stale" });
      expect(answered(resetSchedule(ENDPOINT), status)).toEqual({ kind: "stale" });
      expect(answered({ ...ENDPOINT, cursor: 5 }, status)).toEqual({ kind: "stale" });
    }
  });
});
