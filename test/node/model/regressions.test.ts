/**
 * Histories that are kept by name: the shortest that tell a gateway with a certain rule from one without it. Each broke
 * a promise when the rule was taken out. `npm run model` prints a history that fails in this form.
 */
import { describe, it, type ExpectStatic } from "vitest";
import { playActions } from "../../model/history.ts";
import type { Action, Message, Work } from "../../model/vocabulary.ts";
import type { Setting } from "../../model/world.ts";

const PLAIN: Setting = { life: 90_000, leaky: false, hushed: false };
const LEAKY: Setting = { ...PLAIN, leaky: true };
const START = 1_800_000_000_000;
const FIRST = 1_000_000_000;

const sale = (reference: string): Message => ({ kind: "sale", pos: "P", reference, amount: "10.00" });
const voidOf = (reference: string, transId: number): Message => ({ kind: "void", pos: "P", reference, transId });
const ask = (message: Message): Action => ({ do: "ask", message });
const cancel = (reference: string): Action => ask({ kind: "cancel", pos: "P", reference });
const inquiry = (named: string): Action => ask({ kind: "inquiry", pos: "P", reference: `i-${named}`, named });
const down = (device = 0): Action => ({ do: "down", device });
const up = (connection: number): Action => ({ do: "up", connection });
const work = (what: Work, requestId = FIRST, device = 0): Action => ({ do: "work", device, requestId, what });
const after = (milliseconds: number): Action => ({ do: "time", to: START + milliseconds });
const alarm: Action = { do: "alarm" };

/** The device opens its connection with this number, and its hello holds. */
const hello = (connection: number, device = 0): Action[] => [
  { do: "connect", device, skew: 0 },
  down(device),
  up(connection),
  down(device),
];

/** The history keeps every promise, and `reaches` what it is about. */
function keeps(expect: ExpectStatic, setting: Setting, reaches: string[], actions: Action[]): void {
  const noticed = new Set<string>();
  const { violation } = playActions(setting, actions, (what) => noticed.add(what));
  expect(violation).toBeNull();
  expect([...noticed]).toEqual(expect.arrayContaining(reaches));
}

describe("a request whose outcome is open", () => {
  it("stays open while a lagging terminal may read it and accept late", ({ expect }) => {
    keeps(
      expect,
      LEAKY,
      ["undelivered decided, not yet believed", "shown to be delivered after all", "completed: 00 terminal"],
      [
        ...hello(0),
        ask(sale("a")),
        cancel("a"),
        ...hello(1),
        inquiry("a"),
        { do: "leak", connection: 0 },
        work("present"),
        after(26_000),
        alarm,
        work("approve"),
        up(1),
      ],
    );
  });

  it("is not ended by a cancel's answer on another connection", ({ expect }) => {
    keeps(
      expect,
      LEAKY,
      ["log: refusal_ignored", "undelivered decided, not yet believed"],
      [...hello(0), ask(sale("a")), cancel("a"), after(6_000), ...hello(1), cancel("a"), down(), up(1), inquiry("a")],
    );
  });

  it("completes without a report, never sent again, once cancelled and over", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["shown: 22 IN_PROGRESS", "completed: 11 CANCELLED"],
      [
        ...hello(0),
        ask(sale("a")),
        { do: "abandon", device: 0 },
        cancel("a"),
        ...hello(1),
        after(24_999),
        alarm,
        inquiry("a"),
        after(25_000),
        alarm,
      ],
    );
  });

  it("is not ended by a refusal of an earlier attempt", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["stale refusal", "sent again", "completed: 00 terminal"],
      [
        ...hello(0),
        ask(sale("a")),
        ...hello(1),
        { do: "stale-refusal", connection: 0, reason: "expired" },
        up(1),
        down(),
        work("present"),
        work("approve"),
        up(1),
        up(1),
      ],
    );
  });

  it("is not ended by the hello of a long-abandoned connection", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["closed with 4001"],
      [
        { do: "connect", device: 0, skew: 0 },
        down(),
        ...hello(1),
        ask(sale("a")),
        down(),
        { do: "end", connection: 1 },
        cancel("a"),
        up(0),
        after(33_000),
        alarm,
        inquiry("a"),
      ],
    );
  });

  it("stays open after an acknowledged 22 that no hello lists", ({ expect }) => {
    keeps(
      expect,
      { ...PLAIN, hushed: true },
      ["pending: reported", "shown: 22", "completed from pending: 00"],
      [
        ...hello(0),
        ask(sale("a")),
        down(),
        { do: "end", connection: 0 },
        ...hello(1),
        work("present"),
        work("approve-unheard"),
        up(1),
        down(),
        down(),
        ...hello(2),
        after(26_000),
        alarm,
        inquiry("a"),
        down(),
        up(2),
        work("clear-00"),
        up(2),
      ],
    );
  });

  it("stays open if another device came between, even if unlisted afterwards", ({ expect }) => {
    keeps(
      expect,
      { ...PLAIN, hushed: true },
      ["pending: other-memory", "shown: 22 UNCONFIRMED", "completed from pending: 00"],
      [
        ...hello(0),
        ask(sale("a")),
        down(),
        up(0),
        ...hello(1, 1),
        ...hello(2),
        after(26_000),
        alarm,
        inquiry("a"),
        work("present"),
        work("approve"),
        up(2),
        down(),
        up(2),
      ],
    );
  });

  it("continues only at the device that accepted it, despite a twin", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["pending: other-memory", "completed from pending: 00"],
      [
        ...hello(0),
        ask(sale("a")),
        down(),
        ...hello(1, 1),
        down(1),
        ...hello(2),
        work("present"),
        work("approve"),
        up(2),
      ],
    );
  });

  it("ends when the device that it was sent to reconnects without it", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["pending: other-memory", "completed: 11 NOT_DELIVERED", "completed from pending: 11"],
      [...hello(0), ask(sale("a")), ...hello(1, 1), ...hello(2), after(25_000), alarm],
    );
  });
});

describe("a sale", () => {
  it("is voided once: no second void while one is open or done", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["shown: 11 NOT_VOIDABLE", "shown: 11 ALREADY_VOIDED"],
      [
        ...hello(0),
        ask(sale("a")),
        down(),
        work("present"),
        work("approve"),
        up(0),
        up(0),
        down(),
        ask(voidOf("b", FIRST)),
        ask(voidOf("c", FIRST)),
        down(),
        work("present", FIRST + 1),
        work("approve", FIRST + 1),
        up(0),
        up(0),
        ask(voidOf("d", FIRST)),
      ],
    );
  });

  it("is never sent if it was cancelled before it arrived", ({ expect }) => {
    keeps(expect, PLAIN, ["tombstone", "shown: 11 CANCELLED"], [...hello(0), cancel("a"), ask(sale("a")), down()]);
  });
});

describe("the lane", () => {
  it("is held by one transaction, while others end as busy", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["completed: 11 TERMINAL_BUSY", "completed: 00 terminal"],
      [
        ...hello(0),
        ask(sale("a")),
        ask(sale("b")),
        down(),
        up(0),
        work("present"),
        after(10_000),
        alarm,
        work("approve"),
        up(0),
      ],
    );
  });

  it("is lost by a request that finds the terminal still busy", ({ expect }) => {
    keeps(
      expect,
      PLAIN,
      ["shown: 22 TERMINAL_TIMEOUT", "refused as busy", "shown: 11 TERMINAL_BUSY"],
      [
        { do: "connect", device: 0, skew: 14_000 },
        down(),
        up(0),
        down(),
        ask(sale("a")),
        down(),
        up(0),
        work("present"),
        after(80_000),
        alarm,
        down(),
        after(90_000),
        alarm,
        after(95_000),
        { do: "heartbeat", device: 0 },
        up(0),
        ask(sale("b")),
        after(100_000),
        alarm,
        down(),
        down(),
        up(0),
        work("time-over"),
        up(0),
      ],
    );
  });
});
