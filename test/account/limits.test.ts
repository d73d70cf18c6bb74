/**
 * The limits of an account's object in plain numbers. How much a payment and a quiet account cost, and how soon something
 * that failed is tried again, follows from them: see src/docs/cost.md before one is changed.
 */
import { describe, it } from "vitest";
import * as limits from "../../src/account/limits.ts";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

describe("an account's object", () => {
  it("waits for others and tries again in these times", ({ expect }) => {
    const { FOLLOW_WAIT, SUMS_RETRY } = limits;
    expect({ FOLLOW_WAIT, SUMS_RETRY }).toEqual({ FOLLOW_WAIT: 10 * SECOND, SUMS_RETRY: 5 * SECOND });
  });

  it("writes and deletes this seldom", ({ expect }) => {
    const { CLAIM_REFRESH, TALLY_EVENTS, PRUNE_EVERY, PRUNE_PAUSE, CURSOR_EVERY } = limits;
    expect({ CLAIM_REFRESH, TALLY_EVENTS, PRUNE_EVERY, PRUNE_PAUSE, CURSOR_EVERY }).toEqual({
      CLAIM_REFRESH: DAY,
      TALLY_EVENTS: 500,
      PRUNE_EVERY: 30 * DAY,
      PRUNE_PAUSE: SECOND,
      CURSOR_EVERY: 5 * SECOND,
    });
  });

  it("remembers so much, and does so much at a time", ({ expect }) => {
    const { REMEMBERED, LIST_EVENTS, PRUNE_ROWS } = limits;
    expect({ REMEMBERED, LIST_EVENTS, PRUNE_ROWS }).toEqual({
      REMEMBERED: 1_000,
      LIST_EVENTS: 1_000,
      PRUNE_ROWS: 2_000,
    });
  });

  it("delivers so many events in a row, and pauses so long", ({ expect }) => {
    const { DELIVERIES_AT_ONCE, DELIVERIES_PAUSE, DELIVERY_MARGIN, ALERT_FAILURES, NOT_STARTED_RETRY } = limits;
    expect({ DELIVERIES_AT_ONCE, DELIVERIES_PAUSE, DELIVERY_MARGIN, ALERT_FAILURES, NOT_STARTED_RETRY }).toEqual({
      DELIVERIES_AT_ONCE: 50,
      DELIVERIES_PAUSE: SECOND / 10,
      DELIVERY_MARGIN: SECOND,
      ALERT_FAILURES: 3,
      NOT_STARTED_RETRY: 5 * SECOND,
    });
  });
});
