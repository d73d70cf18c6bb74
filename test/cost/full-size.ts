/**
 * What an object's calls cost when it is as full as 400 days leave it: they read as many rows as after fifty days. A call
 * that grows with the object looks harmless in every other test.
 */
import { abortAllDurableObjects } from "cloudflare:test";
import type { Meter } from "./counting.ts";

/** Sales of a day. */
export const SALES = 50;

/** Sales of 400 days, and of fifty: then every bounded search finds its bound. */
export const FULL = 400 * SALES;
export const SMALL = 50 * SALES;

/** Rows by which a call may differ: those of a turn or two more in the background, which read what is stored anew. */
const NOISE = 40;

/** Ways to make each call that an object has. */
export type Calls<Of> = Readonly<Record<string, readonly ((of: Of) => unknown)[]>>;

/** The calls of an object's class, and what the platform calls. */
export function callsOf({ prototype }: { prototype: object }): string[] {
  return Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
}

/**
 * Makes each call in each of its ways, in their order, at an object that starts with it.
 *
 * @returns the rows that each has read, by `call way`
 */
export async function rowsRead<Of>(meter: Meter, calls: Calls<Of>, of: Of): Promise<Record<string, number>> {
  const read: Record<string, number> = {};
  for (const [name, ways] of Object.entries(calls)) {
    for (const [index, way] of ways.entries()) {
      await abortAllDurableObjects();
      meter.restart();
      await way(of);
      read[`${name} ${index + 1}`] = meter.read().objectRowsRead;
    }
  }
  return read;
}

/** @param bytesWith the bytes of an object after so many sales */
export async function bytesOfASale(bytesWith: (sales: number) => Promise<number>): Promise<number> {
  const [small, full] = [await bytesWith(SMALL), await bytesWith(FULL)];
  return (full - small) / (FULL - SMALL);
}

/** The calls that read more rows in a full object than in a small one: `call way: small → full`. */
export function growing(small: Record<string, number>, full: Record<string, number>): string[] {
  return Object.entries(full).flatMap(([call, rows]) => {
    const few = small[call] ?? 0;
    return rows > few + NOISE ? [`${call}: ${few} → ${rows}`] : [];
  });
}
