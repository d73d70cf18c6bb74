/** What everybody who takes part in a run shares: its journal with one JSON line an entry, known secrets, chance, and turns. */
import { createHash } from "node:crypto";
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Random, createRandom } from "../../src/sdk/simulator/random.ts";

export const ROOT = join(import.meta.dirname, "../..");

/** Tells the person who watches the run. */
export type Say = (sentence: string) => void;

export type Wire = Readonly<Record<string, unknown>>;

/** Members of answers that hold a secret. */
const SECRETS = new Set(["token", "key", "secret", "password", "signingKey"]);

export class Journal {
  /** Texts that no place of the gateway may hold, each with a name that reveals nothing of it. */
  readonly needles = new Map<string, string>();
  readonly path: string;
  readonly #file: number;
  readonly #began = performance.now();
  readonly #counts = new Map<string, number>();

  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, "w", 0o600);
  }

  write(kind: string, members: object = {}): void {
    const at = Math.round(performance.now() - this.#began);
    writeSync(this.#file, `${JSON.stringify({ at, kind, ...members })}\n`);
    this.#counts.set(kind, this.count(kind) + 1);
  }

  count(kind: string): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** Writes an entry with a number in `call`, which pairs it with another one. Returns that number. */
  writeCall(kind: string, members: object): number {
    const call = this.count(kind) + 1;
    this.write(kind, { call, ...members });
    return call;
  }

  /** Writes that a fault lasts while something happens. Throws what that throws. */
  async during(fault: string, target: string, happen: () => Promise<void>): Promise<void> {
    const call = this.writeCall("fault", { fault, target });
    try {
      await happen();
    } finally {
      this.write("fault.over", { call });
    }
  }

  /** Shorter texts also occur by chance. */
  addNeedle(kind: string, text: string): void {
    if (text.length >= 8 && !this.needles.has(text)) this.needles.set(text, `${kind} ${this.needles.size + 1}`);
  }

  /** Whatever an answer has under the name of a secret. */
  addNeedlesIn(answer: unknown): void {
    if (typeof answer !== "object" || answer === null) return;
    for (const [name, value] of Object.entries(answer)) {
      if (SECRETS.has(name) && typeof value === "string") this.addNeedle(name, value.replace("whsec_", ""));
      else this.addNeedlesIn(value);
    }
  }
}

/** A stream of random numbers of its own for each name, so that no part of a run disturbs another. */
export function streamOf(...names: readonly (string | number)[]): Random {
  return createRandom(createHash("sha256").update(names.join(" ")).digest().readInt32BE());
}

/** A whole number, both ends included. */
export function between(random: Random, least: number, most: number): number {
  return least + random.below(most - least + 1);
}

/** A JSON object, or null for anything else. */
export function parsed(text: string): Wire | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

/** One after the other, in the order in which they ask. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  async take<Of>(work: () => Promise<Of>): Promise<Of> {
    const mine = this.#last.then(work);
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Tries until something holds. Throws when the time, in milliseconds, is over. */
export async function until(what: string, within: number, holds: () => Promise<boolean> | boolean): Promise<void> {
  for (const end = performance.now() + within; !(await holds()); await delay(300))
    if (performance.now() > end) throw new Error(`waited ${within / 1_000} s in vain: ${what}`);
}

/** Texts are distinguished by their beginning. */
const BEGINNING = 8;

/** `found`: names, never texts. */
export function search(contents: readonly string[], needles: ReadonlyMap<string, string>) {
  const byBeginning = Map.groupBy(needles, ([text]) => text.slice(0, BEGINNING));
  const firsts = new Set([...byBeginning.keys()].map((beginning) => beginning.charCodeAt(0)));
  const found = new Set<string>();
  for (const content of contents) {
    for (let at = 0; at <= content.length - BEGINNING; at++) {
      if (!firsts.has(content.charCodeAt(at))) continue;
      for (const [text, name] of byBeginning.get(content.slice(at, at + BEGINNING)) ?? []) {
        if (content.startsWith(text, at)) found.add(name);
      }
    }
  }
  const bytes = contents.reduce((total, { length }) => total + length, 0);
  return { bytes, needles: needles.size, found: [...found] };
}
