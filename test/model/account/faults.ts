/** What goes wrong around an account's object: lost calls and answers, storage that breaks, a D1 that refuses. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { Claims } from "../../../src/gateway/account/storage/claims.ts";
import { Days, Hours } from "../../../src/gateway/account/storage/days.ts";
import { Events } from "../../../src/gateway/account/storage/events.ts";
import { AccountRecordStore } from "../../../src/gateway/account/storage/record.ts";
import { whileBreaking, type Write } from "../faults.ts";
import type { Random } from "../../../src/sdk/simulator/random.ts";

const WRITES: readonly Write[] = [
  [Claims.prototype, "save"],
  [Events.prototype, "add"],
  [Days.prototype, "save"],
  [Hours.prototype, "save"],
  [AccountRecordStore.prototype, "update"],
];

export class Faults {
  readonly #random: Random;
  readonly #notice: (what: string) => void;
  /** Whether D1 does. */
  refuses = false;
  areOn = true;

  constructor(random: Random, notice: (what: string) => void) {
    this.#random = random;
    this.#notice = notice;
    const prototype = Object.getPrototypeOf(env.DATABASE) as D1Database;
    const batch = Reflect.get<D1Database, "batch">(prototype, "batch");
    const refuses = () => this.refuses && this.areOn;
    const isLost = () => this.areOn && this.#random.chance(0.1);
    vi.spyOn(prototype, "batch").mockImplementation(async function failing(this: D1Database, statements) {
      if (refuses()) throw new Error("D1 is not there");
      const answer = await batch.call(this, statements);
      if (isLost()) throw new Error("the answer of D1 is lost");
      return answer;
    });
  }

  /** Makes a call, which may never arrive, break half-way, be repeated, or lose its answer: then null. */
  async call<Answer>(make: () => Promise<Answer>, name: string): Promise<Answer | null> {
    if (!this.areOn) return make();
    const drawn = this.#random.below(20);
    if (drawn === 0) return null;
    this.#notice(drawn === 1 ? `${name}: answer lost` : drawn === 2 ? `${name}: storage broke` : `${name}: made`);
    const answer = drawn === 2 ? await whileBreaking(this.#random.pick(WRITES), make).catch(() => null) : await make();
    if (drawn === 1) return null;
    return drawn === 3 ? make() : answer;
  }
}
