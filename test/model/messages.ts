/** What the tills of one history say, by chance: new transactions, repetitions, clashes, cancels, questions. */
import type { Traits } from "./generator.ts";
import type { Random } from "./random.ts";
import type { Message } from "./vocabulary.ts";
import type { World } from "./world.ts";

/** The tills of one history: which references are in use, and for what. */
export class Tills {
  /** Messages that started a transaction, newest last. */
  readonly started: Message[] = [];
  /** References that were asked about or cancelled before their request was sent. */
  readonly announced: string[] = [];
  /** To be said once more, in the very moment in which it was said. */
  twin: Message | null = null;
  #references = 0;
  readonly #prefix: string;

  /** @param prefix of every reference, so that histories that share an account do not share references */
  constructor(prefix = "r") {
    this.#prefix = prefix;
  }

  reference(): string {
    return `${this.#prefix}${++this.#references}`;
  }
}

export function chooseMessage(world: World, tills: Tills, traits: Traits, random: Random): Message {
  const pos = traits.rebinds && random.chance(0.35) ? "Q" : "P";
  const known = tills.started.length === 0 || !random.chance(traits.nosy) ? null : knownMessage(tills, random);
  if (known === null) return newTransaction(world, tills, traits, pos, random);
  const drawn = random.next();
  const own = tills.reference();
  if (drawn < 0.3) return known;
  if (drawn < 0.5) return { kind: "cancel", pos: known.pos, reference: known.reference };
  if (drawn < 0.68) return { kind: "inquiry", pos: known.pos, reference: own, named: known.reference };
  if (drawn < 0.74) return { kind: "inquiry", pos: known.pos, reference: random.chance(0.5) ? own : known.reference };
  if (drawn < 0.82) {
    const ids = world.sent.numbers();
    if (ids.length > 0) return { kind: "inquiry", pos, reference: own, transId: random.pick(ids) };
    return { kind: "getLast", pos: known.pos, reference: own };
  }
  if (drawn < 0.9) return { kind: "getLast", pos: known.pos, reference: own };
  if (drawn < 0.95) {
    // The same reference for something else.
    return { kind: "sale", pos: known.pos, reference: known.reference, amount: "77.00" };
  }
  // Asked about, or cancelled, before it is there.
  tills.announced.push(own);
  if (random.chance(0.5)) return { kind: "cancel", pos, reference: own };
  return { kind: "inquiry", pos, reference: tills.reference(), named: own };
}

function knownMessage(tills: Tills, random: Random): Message {
  const newest = tills.started.at(-1);
  return newest !== undefined && random.chance(0.5) ? newest : random.pick(tills.started);
}

function newTransaction(world: World, tills: Tills, traits: Traits, pos: string, random: Random): Message {
  const drawn = random.next();
  const reference = tills.announced.length > 0 && random.chance(0.4) ? random.pick(tills.announced) : tills.reference();
  let message: Message;
  const charged = world.sent.chargedSales();
  if (charged.length > 0 && random.chance(traits.voids)) {
    message = { kind: "void", pos, reference, transId: random.pick(charged) };
  } else if (drawn < 0.05 && world.sent.size > 0) {
    message = { kind: "void", pos, reference, transId: random.pick(world.sent.numbers()) };
  } else if (drawn > 0.98) message = { kind: "sale", pos, reference, amount: "10.00", inactive: true };
  else if (drawn < 0.27) message = { kind: "cashOut", pos, reference, amount: "20.00" };
  else message = { kind: "sale", pos, reference, amount: `${10 + random.below(3)}.00` };
  tills.started.push(message);
  return message;
}
