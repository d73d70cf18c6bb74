/** When an event is sent to an endpoint, and what its answer means. */
import { describe, it } from "vitest";
import {
  dueAt,
  judgeAnswer,
  restarted,
  type Sent,
  type Verdict,
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

function answered(endpoint: Endpoint | null, status: number | null, of: Sent = sent(), now = NOW): Verdict {
  return judgeAnswer(endpoint, of, { status, milliseconds: 20 }, now);
}

function after(verdict: Verdict): Endpoint {
  if (verdict.kind === "stale") throw new Error("the answer is stale");
  return verdict.endpoint;
}

describe("an endpoint", () => {
  it("is due at once while events are left to deliver, and never otherwise", ({ expect }) => {
    expect(dueAt(ENDPOINT, 11)).toBe(0);
    expect(dueAt(ENDPOINT, 10)).toBeNull();
    expect(dueAt({ ...ENDPOINT, retryAt: NOW }, 11)).toBe(NOW);
    expect(dueAt({ ...ENDPOINT, disabledBy: "account" }, 11)).toBeNull();
  });

  it("that answers 2xx has received the event", ({ expect }) => {
    for (const status of [200, 201, 204, 299]) {
      expect(answered(ENDPOINT, status)).toMatchObject({ kind: "taken", endpoint: { cursor: 11, skipped: 0 } });
    }
  });

  it("that answers anything else, or nothing, has not", ({ expect }) => {
    for (const status of [null, 100, 199, 300, 301, 302, 307, 400, 404, 429, 500, 503]) {
      expect(answered(ENDPOINT, status)).toMatchObject({ kind: "failed", endpoint: { cursor: 10, failures: 1 } });
    }
  });

  it("is tried again after 5 s, 30 s, 2 min, 10 min, 1 h, then every 3 h, and disabled after 3 days", ({ expect }) => {
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

  it("that answers 410 is disabled at once, and its cursor stays", ({ expect }) => {
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

  it("that has failed for three days is disabled, and not a moment earlier", ({ expect }) => {
    const failing = { ...ENDPOINT, failures: 9, failingSince: NOW - 3 * DAY };
    expect(answered(failing, 500, sent(), NOW - 1).kind).toBe("failed");
    expect(answered(failing, 500, sent(), NOW).kind).toBe("given-up");
  });

  it("that is changed starts again: no answer of before counts, and the next event is sent at once", ({ expect }) => {
    const failing = after(answered(ENDPOINT, 500));
    expect(failing.attempts).toEqual([{ number: 11, at: NOW, status: 500, milliseconds: 20 }]);
    expect(restarted(failing)).toEqual({
      ...failing,
      generation: 4,
      failures: 0,
      failingSince: null,
      retryAt: null,
    });
  });

  it("that receives an event after failures starts the schedule from the beginning with the next failure", ({
    expect,
  }) => {
    const failing = after(answered(after(answered(ENDPOINT, 500)), 500));
    const well = after(answered(failing, 200));
    expect(well).toMatchObject({ failures: 0, failingSince: null, retryAt: null });
    expect(after(answered(well, 500, sent({ cursor: 11, number: 12 }))).retryAt).toBe(NOW + 5 * SECOND);
  });

  it("that is sent an event after a gap has skipped what was pruned", ({ expect }) => {
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

describe("an answer counts for nothing", () => {
  it("if its endpoint was changed, moved or deleted meanwhile", ({ expect }) => {
    for (const status of [200, 410, 500, null]) {
      expect(answered(null, status)).toEqual({ kind: "stale" });
      expect(answered(restarted(ENDPOINT), status)).toEqual({ kind: "stale" });
      expect(answered({ ...ENDPOINT, cursor: 5 }, status)).toEqual({ kind: "stale" });
    }
  });
});
