/**
 * The limits of a terminal's object in plain numbers. How long tills and operators wait, how long the gateway sells without
 * its keeper, and how much a quiet terminal costs follows from them.
 */
import { describe, it } from "vitest";
import * as lane from "../../src/terminal/lane/limits.ts";
import * as limits from "../../src/terminal/limits.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 86_400 * SECOND;

describe("a terminal's object", () => {
  it("has these limits", ({ expect }) => {
    expect({ ...limits }).toEqual({
      PRUNE_ROWS: 1_000,
      PRUNE_PAUSE: SECOND,
      PRUNE_AHEAD: 30 * DAY,
      PRESENCE_DELAY: 10 * SECOND,
      CONNECT_NOTE_WAIT: SECOND,
      CHANGE_NOTE_WAIT: 10 * SECOND,
      BIND_NEWS_WAIT: 5 * SECOND,
      RECORD_ENTRIES: 50,
      UNNEEDED_NAMES: 20,
      RESENT_FOR: 399 * DAY,
      CONTESTED_TAKEOVERS: 3,
      CONTESTED_WITHIN: 10 * MINUTE,
      KEPT_REPORTS: 100,
      STRAY_REPORTS: 1_000,
      LOGIN_MEMORY: 16 * MINUTE,
      LOGINS_REMEMBERED: 1_000,
      STATISTICS_ROWS: 2_000,
      STATISTICS_PAGE: 500,
      NUMBER_DAYS: 30,
      NUMBER_DAYS_LOW: 3,
      NUMBERS_AT_LEAST: 100,
      NUMBERS_LOW: 20,
      NUMBERS_AT_MOST: 1_000_000,
      KEEPER_WAIT: 5 * SECOND,
    });
  });

  it("waits and asks in these times for what it has sent", ({ expect }) => {
    expect({ ...lane }).toEqual({
      LANE_AFTER_END: 10 * SECOND,
      SEND_BEFORE_END: 30 * SECOND,
      UNDELIVERED_AFTER_DELIVER_BY: 15 * SECOND,
      PROBE_AFTER_SILENCE: 10 * SECOND,
      WAITER_MARGIN: 5 * SECOND,
    });
  });
});
