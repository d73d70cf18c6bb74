/**
 * The object is reset before each single write, commit, call and answer, one after the other, in every scene. Nobody does
 * anything afterwards: the alarm alone must bring the rest to its receivers.
 */
import { beforeEach, describe, it, vi } from "vitest";
import { createRandom } from "../../../../src/sdk/simulator/random.ts";
import { HOUR, MINUTE } from "../../../../src/protocol/time/units.ts";
import {
  ascending,
  type Fate,
  ModelObject,
  newStorage,
  Receivers,
  START,
  useModelClock,
} from "../../../model/outbox/world.ts";

useModelClock();
beforeEach(() => {
  vi.spyOn(Math, "random").mockImplementation(createRandom(1).next);
});

interface Scene {
  /** Of the first calls; later ones work. */
  fates?: readonly Fate[];
  poison?: number;
  silent?: string;
}

const SCENES: [name: string, scene: Scene][] = [
  ["everything works", {}],
  ["the answers to the first calls are lost", { fates: ["answer lost", "answer lost", "answer lost"] }],
  ["D1 and the objects refuse at first", { fates: ["refused", "refused", "refused", "refused"] }],
  ["the first calls arrive late", { fates: ["late", "late", "late"] }],
  ["D1 refuses one of several rows", { poison: 2 }],
  ["one object never answers", { silent: "a" }],
];

class CrashingWorld {
  readonly receivers = new Receivers();
  readonly #storage = newStorage();
  readonly #crashAt: number;
  #steps = 0;
  object: ModelObject;
  /** What committed turns have enqueued. */
  value = 0;
  readonly audit: number[] = [];
  hasCrashed = false;

  constructor({ fates = [], poison, silent }: Scene, crashAt: number) {
    this.#crashAt = crashAt;
    const { receivers } = this;
    const left = [...fates];
    receivers.fate = () => left.shift() ?? "works";
    receivers.poison = poison ?? null;
    if (silent !== undefined) receivers.silent.add(silent);
    const call = receivers.call.bind(receivers);
    receivers.call = async <Result>(work: () => Result) => {
      // The turn ends first: its rows and its alarm are one commit.
      await Promise.resolve();
      this.#step();
      const result = await call(work);
      this.#step();
      return result;
    };
    this.object = this.#start();
  }

  #start(): ModelObject {
    return new ModelObject(this.#storage, this.receivers, () => this.#step());
  }

  #step(): void {
    if (++this.#steps !== this.#crashAt) return;
    this.hasCrashed = true;
    this.object.die();
    this.object = this.#start();
    throw new Error("the object was reset");
  }

  async play(): Promise<void> {
    const script: (() => boolean)[] = [
      () => this.#change(1, ["a", "b"]),
      () => this.#audit(1),
      () => this.#audit(2),
      () => this.#change(2, ["a"]),
      () => this.#audit(3),
    ];
    for (const act of script) {
      if (this.hasCrashed) break;
      act();
      await vi.advanceTimersByTimeAsync(1);
    }
    await this.pass(2 * MINUTE);
    this.receivers.poison = null;
    this.receivers.silent.clear();
    for (const late of this.receivers.pending.splice(0)) late();
    await this.pass(HOUR);
  }

  async pass(milliseconds: number): Promise<void> {
    const until = Date.now() + milliseconds;
    while (Date.now() < until) {
      const next = Math.min(until, Math.max(this.object.alarm ?? Infinity, Date.now() + 1));
      await vi.advanceTimersByTimeAsync(next - Date.now());
      if ((this.object.alarm ?? Infinity) <= Date.now()) this.object.ring();
    }
  }

  #change(value: number, objects: readonly string[]): boolean {
    const isDone = this.object.change(value, objects);
    if (isDone) this.value = value;
    return isDone;
  }

  #audit(entry: number): boolean {
    const isDone = this.object.audit(entry);
    if (isDone) this.audit.push(entry);
    return isDone;
  }
}

describe("an object that is reset at any step", () => {
  it.for(SCENES)("delivers everything if %s", async ([, scene], { expect }) => {
    let crashes = 0;
    for (let crashAt = 1; ; crashAt++) {
      vi.setSystemTime(START + crashAt * 24 * HOUR);
      const world = new CrashingWorld(scene, crashAt);
      await world.play();
      const about = `reset at step ${crashAt}`;
      const { receivers, object } = world;
      expect(receivers.overwritten, about).toEqual([]);
      expect(receivers.state.value, about).toBe(world.value);
      if (world.value > 0) {
        // The second change is not meant for b: it has what was the state when it was delivered to.
        expect(receivers.objects.get("a")?.value, about).toBe(world.value);
        expect(receivers.objects.get("b")?.value, about).toBeGreaterThanOrEqual(1);
      }
      expect(receivers.audit.toSorted(ascending), about).toEqual(world.audit);
      expect([object.outbox.waiting().entries, object.alarm], about).toEqual([0, null]);
      if (!world.hasCrashed) break;
      crashes = crashAt;
    }
    expect(crashes).toBeGreaterThan(40);
  });
});
