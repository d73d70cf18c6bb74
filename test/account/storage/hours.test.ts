/** What is counted by the hour, as it is kept: the hours of a day together. */
import { describe, it } from "vitest";
import { type CountedHour, Hours } from "../../../src/account/storage/hours.ts";
import { MIGRATIONS } from "../../../src/account/storage/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

/** The first hour of a day. */
const MIDNIGHT = 24 * 20_000;

function counted(event: number, sales = 1): CountedHour {
  return {
    event,
    tally: { counts: new Map([["00 terminal sale 00", sales]]), times: new Map([["customer 12", sales + 1]]) },
  };
}

const NOTHING: CountedHour = { event: 0, tally: { counts: new Map(), times: new Map() } };

function hoursWith(...saved: [hour: number, counted: CountedHour][]): Hours {
  const hours = new Hours(memoryStorage(MIGRATIONS));
  hours.save(new Map(saved));
  return hours;
}

describe("an hour", () => {
  it("is found with everything that was counted in it", ({ expect }) => {
    const hours = hoursWith([MIDNIGHT, counted(3)], [MIDNIGHT + 24, counted(4, 2)]);
    expect(hours.find(MIDNIGHT)).toEqual(counted(3));
    expect(hours.find(MIDNIGHT + 24)).toEqual(counted(4, 2));
  });

  it("is empty where nothing was counted", ({ expect }) => {
    const hours = hoursWith([MIDNIGHT, counted(3)]);
    expect([MIDNIGHT + 1, MIDNIGHT - 1].map((hour) => hours.find(hour))).toEqual([NOTHING, NOTHING]);
  });

  it("stays when another hour of its day changes, and is replaced when it changes itself", ({ expect }) => {
    const hours = hoursWith([MIDNIGHT, counted(3)], [MIDNIGHT + 1, counted(4)]);
    hours.save(new Map([[MIDNIGHT + 1, counted(9, 5)]]));
    expect([MIDNIGHT, MIDNIGHT + 1].map((hour) => hours.find(hour))).toEqual([counted(3), counted(9, 5)]);
  });
});

describe("the hours that changed after an event", () => {
  it("are those that have counted a later one, whichever hour of their day it is", ({ expect }) => {
    const hours = hoursWith([MIDNIGHT, counted(9)], [MIDNIGHT + 1, counted(3)], [MIDNIGHT + 24, counted(5)]);
    const after = (event: number) => [...hours.changedAfter(event).keys()];
    expect(after(2)).toEqual([MIDNIGHT, MIDNIGHT + 1, MIDNIGHT + 24]);
    expect(after(3)).toEqual([MIDNIGHT, MIDNIGHT + 24]);
    expect(after(8)).toEqual([MIDNIGHT]);
    expect(after(9)).toEqual([]);
    expect(hours.changedAfter(8).get(MIDNIGHT)).toEqual(counted(9));
  });
});

describe("old hours", () => {
  it("are forgotten with the day that they belong to", ({ expect }) => {
    const all = [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 23, MIDNIGHT + 24];
    const hours = hoursWith(...all.map((hour): [number, CountedHour] => [hour, counted(1)]));
    hours.removeBefore(MIDNIGHT + 23);
    expect(all.map((hour) => hours.find(hour).event)).toEqual([0, 1, 1, 1]);
    hours.removeBefore(MIDNIGHT + 24);
    expect(all.map((hour) => hours.find(hour).event)).toEqual([0, 0, 0, 1]);
  });
});
