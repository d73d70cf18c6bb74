/** What is counted by the hour, as it is kept: the hours of a day together. */
import { describe, it } from "vitest";
import { Hours } from "../../../../../src/gateway/account/storage/days.ts";
import { ACCOUNT_MIGRATIONS } from "../../../../../src/gateway/account/storage/schema.ts";
import type { CountedDay } from "../../../../../src/gateway/statistics/tally.ts";
import { memoryStorage } from "../../../../support/memory-storage.ts";

const DAY = 20_000;

function sold(count: number): Map<string, number> {
  return new Map([["00 terminal sale 00", count]]);
}

function counted(event: number, sales = 1): CountedDay {
  return {
    event,
    hours: new Map([
      [0, sold(sales)],
      [23, sold(sales + 1)],
    ]),
  };
}

function hoursWith(...saved: [day: number, counted: CountedDay][]): Hours {
  const hours = new Hours(memoryStorage(ACCOUNT_MIGRATIONS));
  for (const [day, counts] of saved) hours.save(day, counts);
  return hours;
}

describe("the hours of a day", () => {
  it("are found with everything that was counted in them", ({ expect }) => {
    const hours = hoursWith([DAY, counted(3)], [DAY + 1, counted(4, 2)]);
    expect([hours.find(DAY), hours.find(DAY + 1)]).toEqual([counted(3), counted(4, 2)]);
    expect([...hours.between(DAY, DAY).keys()]).toEqual([DAY]);
    expect([...hours.between(DAY - 5, DAY + 5).keys()]).toEqual([DAY, DAY + 1]);
  });

  it("are none where nothing was counted", ({ expect }) => {
    expect(hoursWith([DAY, counted(3)]).find(DAY + 1)).toEqual({ event: 0, hours: new Map() });
  });

  it("are replaced when the day changes", ({ expect }) => {
    const hours = hoursWith([DAY, counted(3)], [DAY + 1, counted(4)]);
    hours.save(DAY, counted(9, 5));
    expect([hours.find(DAY), hours.find(DAY + 1)]).toEqual([counted(9, 5), counted(4)]);
  });

  it("are forgotten with those before", ({ expect }) => {
    const hours = hoursWith([DAY - 1, counted(1)], [DAY, counted(1)], [DAY + 1, counted(1)]);
    hours.removeBefore(DAY);
    expect([...hours.between(0, 2 * DAY).keys()]).toEqual([DAY, DAY + 1]);
  });
});
