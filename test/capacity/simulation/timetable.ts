/** What a million actors do next, each one thing at a time. Times are whole milliseconds from the start of a run. */

/** An actor that waits for more milliseconds than this is looked at once on every lap. */
const SLOTS = 2 ** 19;
const NONE = -1;

/**
 * A wheel with a slot for each millisecond, which holds the actors of that slot as a linked list. To add and to take is
 * the same small work for any number of actors, which a heap is not.
 *
 * Those of one millisecond have their turns in a random order. Any fixed one would favour those who planned late, or
 * early, whenever a queue takes only the first.
 */
export class Timetable {
  readonly #first = new Int32Array(SLOTS).fill(NONE);
  readonly #next: Int32Array;
  readonly #due: Int32Array;
  readonly #random: () => number;
  /** Those of one millisecond. */
  readonly #now: { time: number; actors: Int32Array };
  #waiting = 0;

  /** @param actors how many there are; they are numbered from 0 */
  constructor(actors: number, random: () => number) {
    this.#next = new Int32Array(actors);
    this.#due = new Int32Array(actors).fill(NONE);
    this.#now = { time: 0, actors: new Int32Array(actors) };
    this.#random = random;
  }

  /** Whether something is planned for this actor. */
  has(actor: number): boolean {
    return this.#due[actor] !== NONE;
  }

  /** Plans an actor's next turn: at `at`, or in the next millisecond if that is earlier. It must have none planned. */
  plan(actor: number, at: number): void {
    if (this.has(actor)) throw new Error(`Actor ${actor} has a turn already.`);
    this.#waiting += 1;
    this.#put(actor, Math.max(Math.ceil(at), this.#now.time + 1));
  }

  /**
   * Gives everybody their turns, in the order of time, up to and with `end`, or until nobody has a turn left.
   *
   * @param turn may plan the actor's next one
   * @returns the last millisecond that was looked at
   */
  run(end: number, turn: (actor: number, now: number) => void): number {
    const { actors } = this.#now;
    while (this.#now.time < end && this.#waiting > 0) {
      const now = (this.#now.time += 1);
      const count = this.#take(now);
      for (let left = count; left > 0; left--) {
        const drawn = left === 1 ? 0 : Math.floor(this.#random() * left);
        const actor = actors[drawn] ?? NONE;
        actors[drawn] = actors[left - 1] ?? NONE;
        this.#due[actor] = NONE;
        this.#waiting -= 1;
        turn(actor, now);
      }
    }
    return this.#now.time;
  }

  /** Collects those whose time is `now`; returns how many. */
  #take(now: number): number {
    const slot = now % SLOTS;
    let count = 0;
    let actor = this.#first[slot] ?? NONE;
    this.#first[slot] = NONE;
    while (actor !== NONE) {
      const following = this.#next[actor] ?? NONE;
      const due = this.#due[actor] ?? NONE;
      if (due > now) this.#put(actor, due);
      else this.#now.actors[count++] = actor;
      actor = following;
    }
    return count;
  }

  #put(actor: number, due: number): void {
    const slot = due % SLOTS;
    this.#due[actor] = due;
    this.#next[actor] = this.#first[slot] ?? NONE;
    this.#first[slot] = actor;
  }
}
