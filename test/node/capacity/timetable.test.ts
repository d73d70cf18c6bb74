import { describe, it } from "vitest";
import { randomOf } from "../../../src/simulator/random.ts";
import { Timetable } from "../../capacity/simulation/timetable.ts";

const ROUNDS = 2_000;

describe("the timetable of a simulation", () => {
  it("gives every actor its turns in time order, however far ahead they are planned", ({ expect }) => {
    const random = randomOf(1).next;
    const timetable = new Timetable(1_000, random);
    const planned = Array.from({ length: 1_000 }, () => Math.ceil(random() * 1_000_000) + 1);
    planned.forEach((at, actor) => timetable.plan(actor, at));
    const turns: { actor: number; now: number }[] = [];
    timetable.run(2_000_000, (actor, now) => turns.push({ actor, now }));
    expect(turns.map(({ now }) => now)).toEqual(planned.toSorted((one, other) => one - other));
    expect(turns.every(({ actor, now }) => planned[actor] === now)).toBe(true);
  });

  it("stops at its end, and continues from there", ({ expect }) => {
    const timetable = new Timetable(2, randomOf(1).next);
    timetable.plan(0, 10);
    timetable.plan(1, 30);
    const turns: number[] = [];
    expect(timetable.run(20, (actor) => turns.push(actor))).toBe(20);
    expect(turns).toEqual([0]);
    expect(timetable.has(1)).toBe(true);
    timetable.run(40, (actor) => turns.push(actor));
    expect(turns).toEqual([0, 1]);
  });

  it("lets an actor plan its next turn, and only one", ({ expect }) => {
    const timetable = new Timetable(1, randomOf(1).next);
    const turns: number[] = [];
    timetable.plan(0, 1);
    expect(() => timetable.plan(0, 2)).toThrow("has a turn already");
    timetable.run(100, (actor, now) => {
      turns.push(now);
      if (turns.length < 3) timetable.plan(actor, now);
    });
    expect(turns).toEqual([1, 2, 3]);
  });

  it("favours no actor within one millisecond", ({ expect }) => {
    const timetable = new Timetable(10, randomOf(1).next);
    const places = new Float64Array(10);
    for (let round = 1; round <= ROUNDS; round++) {
      for (let actor = 0; actor < 10; actor++) timetable.plan(actor, 10 * round);
      let place = 0;
      timetable.run(10 * round, (actor) => {
        places[actor] = (places[actor] ?? 0) + place++;
      });
    }
    for (const sum of places) expect(sum / ROUNDS).toBeCloseTo(4.5, 0);
  });
});
